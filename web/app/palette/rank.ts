/** Something the palette can find. */
export interface Findable {
  /** Unique, and the same each time the palette opens. */
  key: string;
  name: string;
  /** More texts it is found by, ranked below its name. */
  keywords: readonly string[];
}

/**
 * Returns what matches every word of the query, best first: a name that starts with it, a word in the name that does, any
 * part of the name, then the same in keywords, then a word that has the letters in order. Among equals, what was opened
 * last comes first.
 */
export function rank<T extends Findable>(things: readonly T[], query: string, recent: readonly string[] = []): T[] {
  if (query.trim() === '') return [...things];
  const age = new Map(recent.map((key, index) => [key, index]));
  return things
    .map((thing, index) => ({ thing, index, score: scoreOf(thing, query) }))
    .filter(({ score }) => score > 0)
    .sort(
      (one, other) =>
        other.score - one.score ||
        (age.get(one.thing.key) ?? recent.length) - (age.get(other.thing.key) ?? recent.length) ||
        one.index - other.index,
    )
    .map(({ thing }) => thing);
}

/** Returns how well it matches; 0 if it does not. */
export function scoreOf(thing: Findable, query: string): number {
  const asked = plain(query);
  const { title, keywords } = readOnce(thing);
  if (title.text === asked) return scores.whole;
  if (title.text.startsWith(asked)) return scores.start;
  const each = asked.split(/\s+/).map((word) => Math.max(wordScore(title, word), keywordScore(keywords, word)));
  return Math.min(...each);
}

interface ReadText {
  text: string;
  words: string[];
}

/** Prepares names once instead of at each keystroke: there may be ten thousand. */
const prepared = new WeakMap<Findable, { title: ReadText; keywords: ReadText[] }>();

function readOnce(thing: Findable): { title: ReadText; keywords: ReadText[] } {
  const known = prepared.get(thing);
  if (known) return known;
  const made = { title: read(thing.name), keywords: thing.keywords.map(read) };
  prepared.set(thing, made);
  return made;
}

function read(name: string): ReadText {
  const text = plain(name);
  return { text, words: text.split(/[^\p{L}\p{N}]+/u).filter(Boolean) };
}

const scores = { whole: 9, start: 8, wordStart: 7, part: 6, keywordStart: 5, keywordPart: 4, letters: 3 };
/** Shorter queries would match most words. */
const minLetters = 3;

function wordScore({ text, words }: ReadText, word: string): number {
  if (text.startsWith(word) || words.some((each) => each.startsWith(word))) return scores.wordStart;
  if (text.includes(word)) return scores.part;
  const isNear = word.length >= minLetters && words.some((each) => hasLetters(each, word));
  return isNear ? scores.letters : 0;
}

function keywordScore(keywords: readonly ReadText[], word: string): number {
  if (keywords.some(({ text, words }) => text.startsWith(word) || words.some((each) => each.startsWith(word)))) {
    return scores.keywordStart;
  }
  // Two letters are part of most descriptions.
  return word.length >= minLetters && keywords.some(({ text }) => text.includes(word)) ? scores.keywordPart : 0;
}

/** Whether the word begins with the first letter and has the others in order. */
function hasLetters(word: string, letters: string): boolean {
  if (word[0] !== letters[0]) return false;
  let at = 0;
  for (const letter of letters) {
    at = word.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Lower case, without accents. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
