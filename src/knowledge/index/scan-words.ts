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

/** Letters a to z and digits, the first perhaps a capital. */
export const plainWord = 0;
/** Any other word or identifier: letters and digits, with single joiners inside (`fs.readFile`, `max_tokens`). */
export const word = 1;
/** One character of a script without spaces. */
export const character = 2;
/** The same, right after another one: the two are also a term together. */
export const nextCharacter = 3;

export type TokenKind = typeof plainWord | typeof word | typeof character | typeof nextCharacter;

/** Every token of a text in order: where it starts and ends in UTF-16 units, and what it is. */
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

/** Most words end here. The start itself where it is no ASCII letter or digit. */
function endOfPlain(text: string, start: number, length: number): number {
  if (text.charCodeAt(start) > 0x7f) return start;
  let index = start + 1;
  for (; index < length; index++) {
    const code = text.charCodeAt(index);
    if (!((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39))) break;
  }
  return index;
}

/** From a place inside a word, or at its end. */
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

/** A lone half of a pair is nobody's word. */
function classAt(text: string, index: number): number {
  const found = characterClass(text.charCodeAt(index));
  if (found !== highSurrogate) return found;
  const codePoint = text.codePointAt(index) ?? 0;
  return codePoint > 0xffff ? pairClass(codePoint) : separator;
}

function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
