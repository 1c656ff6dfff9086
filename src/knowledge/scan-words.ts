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

/** A word or identifier: letters and digits, with single joiners inside (`fs.readFile`, `max_tokens`). */
export const word = 0;
/** One character of a script without spaces. */
export const character = 1;
/** The same, right after another one: the two are also a term together. */
export const nextCharacter = 2;

export type TokenKind = typeof word | typeof character | typeof nextCharacter;

/** Every token of a text in order: where it starts and ends in UTF-16 units, and what it is. */
export function scanWords(text: string, visit: (start: number, end: number, kind: TokenKind) => void): void {
  const length = text.length;
  let previousEnd = -1;
  let index = 0;
  while (index < length) {
    const found = classAt(text, index);
    if (isWordClass(found)) {
      const end = endOfWord(text, index, length);
      visit(index, end, word);
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

function endOfWord(text: string, start: number, length: number): number {
  let end = start;
  let index = start;
  while (index < length) {
    const code = text.charCodeAt(index);
    const found = code < 0x80 ? characterClass(code) : classAt(text, index);
    if (isWordClass(found)) {
      index += code < 0x80 ? 1 : widthAt(text, index);
      end = index;
    } else if (found === mark) {
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

function isWordClass(found: number): boolean {
  return found === lowerCase || found === upperCase || found === digit;
}

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
