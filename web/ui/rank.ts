/** What a search by typing can find. */
export interface Findable {
  /** Unique, and the same at every search. */
  key: string;
  name: string;
  /** More texts it is found by, ranked below its name. */
  keywords: readonly string[];
  /** A description it is found by, ranked below its keywords. */
  about?: string;
  /** Another name, such as a screen's in the sidebar. As a whole, it counts like the name. */
  label?: string;
  /** Whether it is a screen or an action of the app; among equals, these come first. */
  isAction?: boolean;
}

/**
 * Returns what matches every word of the query, best first: the whole name of an action or another thing, a name that starts with
 * it, a word in the name that does, any part of the name, then the same in keywords, then in the description, then a word that has
 * the letters in order. Among equals, actions come first, then what was opened last.
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
        Number(other.thing.isAction ?? false) - Number(one.thing.isAction ?? false) ||
        (age.get(one.thing.key) ?? recent.length) - (age.get(other.thing.key) ?? recent.length) ||
        one.index - other.index,
    )
    .map(({ thing }) => thing);
}

/**
 * Returns the first things of a list, at most `count`. The best few of each kind are always among them, so that one kind with many
 * matches does not hide the others.
 */
export function firstOfEachKind<T>(list: readonly T[], kindOf: (thing: T) => string, count: number): T[] {
  const seen = new Map<string, number>();
  const isReserved = list.map((thing) => {
    const before = seen.get(kindOf(thing)) ?? 0;
    seen.set(kindOf(thing), before + 1);
    return before < placesPerKind;
  });
  let free = count - isReserved.filter(Boolean).length;
  return list.filter((_, index) => isReserved[index] || free-- > 0).slice(0, count);
}

const placesPerKind = 3;

/** Returns how well it matches; 0 if it does not. */
export function scoreOf(thing: Findable, query: string): number {
  const asked = plain(query);
  const { title, label, keywords, about } = readOnce(thing);
  if (title.text === asked || label === asked) return scores.whole;
  if (title.text.startsWith(asked)) return scores.start;
  const each = asked
    .split(/\s+/)
    .map((word) =>
      Math.max(
        wordScore(title, word),
        textScore(keywords, word, scores.keywordStart, scores.keywordPart),
        textScore(about, word, scores.aboutStart, scores.aboutPart),
      ),
    );
  return Math.min(...each);
}

interface ReadText {
  text: string;
  words: string[];
}

interface ReadThing {
  title: ReadText;
  label: string | undefined;
  keywords: ReadText[];
  about: ReadText[];
}

/** Prepares names once instead of at each keystroke: there may be ten thousand. */
const prepared = new WeakMap<Findable, ReadThing>();

function readOnce(thing: Findable): ReadThing {
  const known = prepared.get(thing);
  if (known) return known;
  const made = {
    title: read(thing.name),
    label: thing.label === undefined ? undefined : plain(thing.label),
    keywords: thing.keywords.map(read),
    about: thing.about === undefined ? [] : [read(thing.about)],
  };
  prepared.set(thing, made);
  return made;
}

function read(name: string): ReadText {
  const text = plain(name);
  return { text, words: text.split(/[^\p{L}\p{N}]+/u).filter(Boolean) };
}

const scores = {
  whole: 9,
  start: 8,
  wordStart: 7,
  part: 6,
  keywordStart: 5,
  keywordPart: 4,
  aboutStart: 3,
  aboutPart: 2,
  letters: 1,
};
/** Shorter queries would match most words. */
const minLetters = 3;

function wordScore({ text, words }: ReadText, word: string): number {
  if (text.startsWith(word) || words.some((each) => each.startsWith(word))) return scores.wordStart;
  if (text.includes(word)) return scores.part;
  const isNear = word.length >= minLetters && words.some((each) => hasLetters(each, word));
  return isNear ? scores.letters : 0;
}

function textScore(texts: readonly ReadText[], word: string, atStart: number, inside: number): number {
  if (texts.some(({ text, words }) => text.startsWith(word) || words.some((each) => each.startsWith(word)))) {
    return atStart;
  }
  // Two letters are part of most descriptions.
  return word.length >= minLetters && texts.some(({ text }) => text.includes(word)) ? inside : 0;
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
