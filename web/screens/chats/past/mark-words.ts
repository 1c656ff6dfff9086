export interface MarkedPart {
  /** The offset in the text. */
  at: number;
  text: string;
  isMarked: boolean;
}

/** Removes Markdown emphasis and code marks from a snippet. */
export function plainSnippet(snippet: string): string {
  return snippet.replaceAll(/(?<=\S)[*`]+|[*`]+(?=\S)/g, '');
}

/** Splits a text at the words that start with a search word, ignoring case. */
export function markWords(text: string, searchText: string): MarkedPart[] {
  const words = searchText
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    // Longer words first, so that "ledgers" is not cut after "ledger".
    .sort((one, other) => other.length - one.length);
  if (words.length === 0) return text === '' ? [] : [{ at: 0, text, isMarked: false }];
  // Words contain only letters and digits, so they need no escaping.
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
