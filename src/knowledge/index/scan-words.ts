import {
  characterClass,
  digit,
  highSurrogate,
  ideograph,
  joiner,
  lowerCase,
  mark,
  pairClass,
  separator,
  upperCase,
} from './character-class.ts';

/** Letters a to z and digits. The first may be upper case. */
export const plainWord = 0;
/** Any other word or identifier: letters and digits with single joiners inside (`fs.readFile`, `max_tokens`). */
export const word = 1;
/** One character of a script without spaces. */
export const character = 2;
/** A character right after another one. Both together are also a term. */
export const nextCharacter = 3;

export type TokenKind = typeof plainWord | typeof word | typeof character | typeof nextCharacter;

/** Visits every token of a text in order, with its offsets in UTF-16 units and its kind. */
export function scanWords(text: string, visit: (start: number, end: number, kind: TokenKind) => void): void {
  const length = text.length;
  let previousEnd = -1;
  let index = 0;
  while (index < length) {
    const found = classAt(text, index);
    if (found === lowerCase || found === upperCase || found === digit) {
      const plainEnd = endOfPlain(text, index, length);
      const end = plainEnd === length ? plainEnd : endOfWord(text, plainEnd, length);
      visit(index, end, end === plainEnd && plainEnd > index ? plainWord : word);
      index = end;
    } else if (found === ideograph) {
      const end = index + widthAt(text, index);
      visit(index, end, previousEnd === index ? nextCharacter : character);
      previousEnd = end;
      index = end;
    } else {
      index += 1;
    }
  }
}

/** Returns the end of a plain word, or `start` if the first character is not ASCII. Covers most words. */
function endOfPlain(text: string, start: number, length: number): number {
  if (text.charCodeAt(start) > 0x7f) return start;
  let index = start + 1;
  for (; index < length; index++) {
    const code = text.charCodeAt(index);
    if (!((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39))) break;
  }
  return index;
}

/** Returns the end of the word that contains or ends at `start`. */
function endOfWord(text: string, start: number, length: number): number {
  let end = start;
  let index = start;
  while (index < length) {
    const code = text.charCodeAt(index);
    const found = classAt(text, index);
    if (found === lowerCase || found === upperCase || found === digit || found === mark) {
      index += widthAt(text, index);
      end = index;
    } else if (found === joiner && (index === end || (code === underscore && text.charCodeAt(index - 1) === code))) {
      index += 1;
    } else {
      break;
    }
  }
  return end;
}

const underscore = 0x5f;

/** Treats an unpaired surrogate as a separator. */
function classAt(text: string, index: number): number {
  const found = characterClass(text.charCodeAt(index));
  if (found !== highSurrogate) return found;
  const codePoint = text.codePointAt(index) ?? 0;
  return codePoint > 0xffff ? pairClass(codePoint) : separator;
}

function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
