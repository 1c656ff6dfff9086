/** Classes of UTF-16 code units in the analysis of words. */
export const separator = 1;
export const lowerCase = 2;
export const upperCase = 3;
export const digit = 4;
/** `_`, `.` and `-` belong to a word only between letters or digits. */
export const joiner = 5;
/** Accents and soft hyphens: they continue a word and are dropped from its term. */
export const mark = 6;
/** A character of a script that puts no spaces between words. */
export const ideograph = 7;
/** The first half of a character beyond U+FFFF: ask `pairClass`. */
export const highSurrogate = 8;

const unknown = 0;
const classes = new Uint8Array(65_536);

export function characterClass(code: number): number {
  const known = classes[code] ?? separator;
  if (known !== unknown) return known;
  const found = code >= 0xd800 && code < 0xdc00 ? highSurrogate : classOf(String.fromCharCode(code));
  classes[code] = found;
  return found;
}

const pairs = new Map<number, number>();

export function pairClass(codePoint: number): number {
  let found = pairs.get(codePoint);
  if (found === undefined) {
    found = classOf(String.fromCodePoint(codePoint));
    pairs.set(codePoint, found);
  }
  return found;
}

const spaceless =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

function classOf(character: string): number {
  if (character === '_' || character === '.' || character === '-') return joiner;
  // Soft hyphen, non-joiner, joiner, word joiner, byte order mark: invisible inside words.
  if (/\u00ad|\u200c|\u200d|\u2060|\ufeff/.test(character)) return mark;
  if (!/[\p{L}\p{M}\p{N}]/u.test(character)) return separator;
  if (/\p{Nd}/u.test(character)) return digit;
  if (spaceless.test(character) && !/[\u0300-\u036f]/.test(character)) return ideograph;
  if (/\p{M}/u.test(character)) return mark;
  if (/\p{N}/u.test(character)) return digit;
  return /[\p{Lu}\p{Lt}]/u.test(character) ? upperCase : lowerCase;
}
