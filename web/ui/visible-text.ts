/** A piece of a foreign text; `isHidden` where the piece names characters that could not be seen. */
export interface TextPart {
  text: string;
  isHidden: boolean;
}

/** Format, control, unassigned and surrogate code points, and letters and marks that have no shape. Tab and line ends stay. */
const hidden = /(?:(?![\t\n\r])\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point})+/gu;

const emojiAtEnd = /\p{Extended_Pictographic}$/u;

/**
 * The text of somebody else as it is: what a person cannot see, but a model reads, is named instead of drawn.
 * Such characters hide instructions or turn the order of the letters around.
 */
export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(hidden)) {
    // An emoji is coloured and joined to the next one by characters of this kind.
    const isOfEmoji = /^\ufe0f?\u200d?$/.test(match[0]) && emojiAtEnd.test(text.slice(0, match.index).slice(-2));
    if (isOfEmoji) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isHidden: false });
    parts.push({ text: nameOf(match[0]), isHidden: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHidden: false });
  return parts;
}

/** The same in one string, for lines that are compared. */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map((part) => part.text)
    .join('');
}

export function hasHiddenText(text: string): boolean {
  return visibleParts(text).some((part) => part.isHidden);
}

const maxNamed = 3;

function nameOf(characters: string): string {
  const points = [...characters].map((each) => each.codePointAt(0) ?? 0);
  // Tag characters spell ASCII that nobody sees: the message matters more than its numbers.
  const tags = points.filter((point) => point >= 0xe0020 && point <= 0xe007e);
  if (tags.length > 0 && tags.length === points.length) {
    return `⟦hidden: ${String.fromCodePoint(...tags.slice(0, 500).map((point) => point - 0xe0000))}⟧`;
  }
  const names = points.slice(0, maxNamed).map((point) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`);
  return `⟦${names.join(' ')}${points.length > maxNamed ? ` and ${points.length - maxNamed} more` : ''}⟧`;
}
