/** The maximum length of a word. Longer ones are cut, in texts and in searches. */
const maxWordCharacters = 40;
/** The maximum number of words per text. */
const maxTextWords = 5_000;
const maxQueryWords = 10;

/** Scripts without spaces between words: each character counts as a word. */
const alone = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const word = new RegExp(String.raw`[${alone}]|[[\p{L}\p{N}_]--[${alone}]]+`, 'gv');

/** Returns the distinct words of a text, without case and accents. */
export function wordsOf(text: string): string[] {
  return firstWords(text, maxTextWords);
}

/** Returns the words of a search. Each must be the beginning of a word in the text. */
export function queryWords(text: string): string[] {
  return firstWords(text, maxQueryWords);
}

function firstWords(text: string, maxWords: number): string[] {
  const words = new Set<string>();
  for (const [found] of fold(text).matchAll(word)) {
    words.add(cut(found));
    if (words.size === maxWords) break;
  }
  return [...words];
}

/** Shortens a text without splitting a character. */
function cut(found: string): string {
  return found.length <= maxWordCharacters ? found : found.slice(0, maxWordCharacters).toWellFormed();
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

const before = 40;
const maxSnippetCharacters = 160;

/** Returns one line of text around a matching word, or undefined if none matches. */
export function snippetOf(text: string, words: readonly string[]): string | undefined {
  const line = text.replace(/\s+/g, ' ').trim();
  const position = firstMatch(line, words);
  if (position === undefined) return undefined;
  const start = position <= before ? 0 : wordStart(line, position - before);
  const end = Math.min(line.length, start + maxSnippetCharacters);
  const shown = line.slice(start, end).toWellFormed();
  return `${start > 0 ? '…' : ''}${shown}${end < line.length ? '…' : ''}`;
}

/** Returns the start of the first space-separated piece that contains one of the words. */
function firstMatch(line: string, words: readonly string[]): number | undefined {
  const isWanted = (each: string) => words.some((wanted) => each.startsWith(wanted));
  if (isAscii.test(line)) {
    const found = line
      .toLowerCase()
      .matchAll(word)
      .find(([each]) => isWanted(each));
    return found && line.lastIndexOf(' ', found.index) + 1;
  }
  // Folding may shift positions, so each piece is folded separately.
  return line.matchAll(/\S+/g).find(([piece]) => firstWords(piece, 100).some(isWanted))?.index;
}

const isAscii = /^\p{ASCII}*$/u;

function wordStart(line: string, from: number): number {
  const space = line.indexOf(' ', from);
  return space === -1 || space > from + before ? from : space + 1;
}
