import { characterClass, digit, lowerCase, upperCase } from './character-class.ts';
import { stem } from './stem.ts';

/** The terms of one token. */
export interface TokenTerms {
  /** Its words in order: `fs.readFile` → fs, read, file. */
  words: readonly string[];
  /** Terms that join several words: `readfil`, `fsreadfil`. Empty for a plain word. */
  compounds: readonly string[];
}

/** The maximum length of a term in UTF-16 units. */
const maxTermLength = 64;
/** Only the beginning of a longer token is indexed: people do not write longer ones. */
const maxTokenLength = 512;

const noCompounds: readonly string[] = [];

/** Returns the terms of a token from `scanWords`. Ignores case and accents. */
export function analyseWord(token: string): TokenTerms {
  const cut = token.length > maxTokenLength ? cutAt(token, maxTokenLength) : token;
  if (/^[a-z]+$/.test(cut) || /^[A-Z]?[a-z0-9]+$/.test(cut)) return plain(cut);
  if (/^[0-9.-]+$/.test(cut)) return numbers(cut);
  const words: string[] = [];
  const compounds: string[] = [];
  const names = cut.split(/[.-]+/);
  for (const name of names) {
    const parts = name.split(/_+/).flatMap(splitCamelCase);
    for (const part of parts) addTerm(words, part);
    if (parts.length > 1) addTerm(compounds, parts.join(''));
  }
  if (names.length > 1) addTerm(compounds, names.join('').replaceAll('_', ''));
  return { words, compounds };
}

/** Returns the term of one or two characters of a script without spaces. */
export function analyseCharacters(characters: string): string {
  return characters.normalize('NFKC').toLowerCase();
}

function plain(word: string): TokenTerms {
  return { words: [termOf(word)], compounds: noCompounds };
}

/** Keeps `3.14` and `2026-01-31` whole as well. Joined, they would become other numbers. */
function numbers(token: string): TokenTerms {
  const words = token.split(/[.-]+/).map((each) => cutAt(each, maxTermLength));
  return { words, compounds: words.length > 1 && token.length <= maxTermLength ? [token] : noCompounds };
}

function addTerm(terms: string[], word: string): void {
  const term = termOf(word);
  if (term !== '' && !(word.length > maxTermLength && terms.includes(term))) terms.push(term);
}

function termOf(word: string): string {
  const folded = isAscii(word) ? word.toLowerCase() : fold(word);
  if (folded.length > maxTermLength) return cutAt(folded, maxTermLength);
  return isStopWord(folded) || !/^[a-z]+$/.test(folded) ? folded : stem(folded);
}

function isAscii(word: string): boolean {
  for (let index = 0; index < word.length; index++) if (word.charCodeAt(index) > 0x7f) return false;
  return true;
}

/** Letters that Unicode normalization does not decompose. */
const foldedLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

function fold(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/[ßæœøđðłþıς]/g, (letter) => foldedLetters[letter] ?? letter);
}

function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

/** Splits an identifier without joiners: `XMLHttpRequest` → XML, Http, Request; `html5Parser` → html5, Parser. */
function splitCamelCase(identifier: string): string[] {
  // The plural of an acronym is one word: PDFs, URLs.
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

/** Words too common to tell documents apart. They are indexed, but a query uses them only if it has no others. */
const stopWords = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by
  can did do does doing don down during each few for from further had has have having he her here hers herself him himself
  his how i if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours
  ourselves out over own s same she should so some such t than that the their theirs them themselves then there these they
  this those through to too under until up very was we were what when where which while who whom why will with you your
  yours yourself yourselves`.split(/\s+/),
);

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}
