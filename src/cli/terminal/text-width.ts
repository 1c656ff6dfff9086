/** Created on first use, because it loads slowly. */
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Returns the number of columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += segmentWidth(segment);
  return width;
}

/** Cuts a text to at most `maxColumns`, with an ellipsis. */
export function fitText(text: string, maxColumns: number): string {
  if (textWidth(text) <= maxColumns) return text;
  let fitted = '';
  let width = 0;
  for (const { segment } of segmentsOf(text)) {
    width += segmentWidth(segment);
    if (width > maxColumns - 1) break;
    fitted += segment;
  }
  return `${fitted.trimEnd()}…`;
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Removes control characters, so that foreign text cannot send escape sequences to the terminal. Keeps line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** Returns the text unchanged if a program reads the output, and safe to print if it is a terminal. */
export function forTerminal({ stdout }: { stdout: { isTTY?: boolean } }, text: string): string {
  return stdout.isTTY ? printable(text) : text;
}

/** Like `printable`, but joins all lines into one. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s*[\n\t]\s*/g, ' ');
}

function segmentWidth(segment: string): number {
  if (invisible.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}
