import { characterClass, digit, lowerCase, upperCase } from './character-class.ts';

/** The words of an identifier without joiners: `XMLHttpRequest` → XML, Http, Request; `html5Parser` → html5, Parser. */
export function splitCamelCase(identifier: string): string[] {
  // A plural of capitals is one word: PDFs, URLs.
  if (/^[A-Z]{2,}s$/.test(identifier)) return [identifier];
  const words: string[] = [];
  let start = 0;
  for (let index = 1; index < identifier.length; index++) {
    if (!startsWord(identifier, index)) continue;
    words.push(identifier.slice(start, index));
    start = index;
  }
  words.push(identifier.slice(start));
  return words;
}

function startsWord(identifier: string, index: number): boolean {
  if (characterClass(identifier.charCodeAt(index)) !== upperCase) return false;
  const before = characterClass(identifier.charCodeAt(index - 1));
  if (before === lowerCase || before === digit) return true;
  return before === upperCase && characterClass(identifier.charCodeAt(index + 1)) === lowerCase;
}
