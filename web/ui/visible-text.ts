/** A part of untrusted text; if `isHidden`, it spells out invisible characters. */
export interface TextPart {
  text: string;
  isHidden: boolean;
}

/** Matches invisible characters: control, format, surrogate and ignorable code points, but not tabs and line breaks. */
const hidden = /(?:(?![\t\n\r])\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point})+/gu;

const emojiAtEnd = /\p{Extended_Pictographic}$/u;

/**
 * Splits untrusted text and spells out characters that a model reads but a user cannot see.
 * They can hide instructions or reverse the order of letters.
 */
export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(hidden)) {
    // Emoji use such characters for color and for joining.
    const isPartOfEmoji = /^\ufe0f?\u200d?$/.test(match[0]) && emojiAtEnd.test(text.slice(0, match.index).slice(-2));
    if (isPartOfEmoji) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isHidden: false });
    parts.push({ text: nameOf(match[0]), isHidden: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHidden: false });
  return parts;
}

/** Returns the visible parts as one string, for comparing lines. */
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
  // Tag characters spell invisible ASCII: show the message, not the code points.
  const tags = points.filter((point) => point >= 0xe0020 && point <= 0xe007e);
  if (tags.length > 0 && tags.length === points.length) {
    return `⟦hidden: ${String.fromCodePoint(...tags.slice(0, 500).map((point) => point - 0xe0000))}⟧`;
  }
  const names = points.slice(0, maxNamed).map((point) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`);
  return `⟦${names.join(' ')}${points.length > maxNamed ? ` and ${points.length - maxNamed} more` : ''}⟧`;
}
