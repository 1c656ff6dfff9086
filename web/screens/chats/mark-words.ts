export interface MarkedPart {
  /** Where it begins in the text. */
  at: number;
  text: string;
  isMarked: boolean;
}

/** A snippet without the marks of Markdown, which would be read as words. */
export function plainSnippet(snippet: string): string {
  return snippet.replaceAll(/(?<=\S)[*`]+|[*`]+(?=\S)/g, '');
}

/** A text cut where words begin as those that were sought, whatever their case. */
export function markWords(text: string, sought: string): MarkedPart[] {
  const words = sought
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    // The longer first: "ledgers" is not cut after "ledger".
    .sort((one, other) => other.length - one.length);
  if (words.length === 0) return text === '' ? [] : [{ at: 0, text, isMarked: false }];
  // Letters and digits only, so nothing of them means something in a pattern.
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${words.join('|')})`, 'giu');
  const parts: MarkedPart[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push({ at: end, text: text.slice(end, match.index), isMarked: false });
    parts.push({ at: match.index, text: match[0], isMarked: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ at: end, text: text.slice(end), isMarked: false });
  return parts;
}
