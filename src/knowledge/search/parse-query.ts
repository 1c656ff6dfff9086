import { analyseCharacters, analyseWord, isStopWord } from '../index/analyse.ts';
import { nextCharacter, scanWords, word } from '../index/scan-words.ts';

/** What a query looks for. */
export interface Query {
  /** Any of these makes a passage a match; `weight` is how often the query says it. */
  terms: readonly { term: string; weight: number }[];
  /** Single words in the order of the query, without stop words where it has others: neighbours are a pair. */
  words: readonly string[];
  /** Words in quotes, in this order with nothing between: a passage that has one ranks higher. */
  phrases: readonly (readonly string[])[];
  /** Those that a passage must have: `+"…"`, or all of them when the query is nothing but phrases. */
  required: readonly (readonly string[])[];
}

/** So many different terms are looked up at most: the first of them. */
const maxTerms = 256;

/** Every word is a word: there are no operators but quotes and `+` before them. A text of punctuation alone has no terms. */
export function parseQuery(text: string): Query {
  const tokens = readTokens(text);
  const hasOnlyStopWords = tokens.every((each) => each.terms.every(isStopWord));
  const counts = (term: string) => hasOnlyStopWords || !isStopWord(term);
  const weights = new Map<string, number>();
  for (const term of tokens.flatMap((each) => each.terms).filter(counts)) {
    if (weights.size < maxTerms || weights.has(term)) weights.set(term, (weights.get(term) ?? 0) + 1);
  }
  const { quoted, rest } = readQuoted(text);
  const isOnlyPhrases = readTokens(rest).length === 0;
  const phrases = quoted
    .map((each) => ({ words: readTokens(each.text).flatMap(({ words }) => words), isRequired: each.isRequired }))
    .filter((each) => each.words.length > 0);
  return {
    terms: [...weights].map(([term, weight]) => ({ term, weight })),
    words: tokens.flatMap((each) => each.words).filter(counts),
    phrases: phrases.map(({ words }) => words),
    required: phrases.filter(({ isRequired }) => isRequired || isOnlyPhrases).map(({ words }) => words),
  };
}

interface QueryToken {
  words: string[];
  terms: string[];
}

/** Of characters without spaces between them pairs are looked up, and a single one only where it stands alone. */
function readTokens(text: string): QueryToken[] {
  const tokens: QueryToken[] = [];
  let previous = '';
  scanWords(text, (start, end, kind) => {
    const written = text.slice(start, end);
    const run = tokens.at(-1);
    if (kind <= word) {
      const { words, compounds } = analyseWord(written);
      tokens.push({ words: [...words], terms: [...words, ...compounds] });
    } else if (kind === nextCharacter && run) {
      run.terms = [...(run.words.length === 1 ? [] : run.terms), analyseCharacters(previous + written)];
      run.words.push(analyseCharacters(written));
    } else {
      tokens.push({ words: [analyseCharacters(written)], terms: [analyseCharacters(written)] });
    }
    previous = written;
  });
  return tokens;
}

interface Quoted {
  text: string;
  isRequired: boolean;
}

/** What stands between straight or curly quotes, and the rest. A quote without a partner is punctuation. */
function readQuoted(text: string): { quoted: Quoted[]; rest: string } {
  const quoted: Quoted[] = [];
  const rest = text.replaceAll(
    /((?:^|\s)\+)?(?:"([^"]*)"|“([^“”]*)”)/g,
    (_whole, plus: string | undefined, straight: string | undefined, curly: string | undefined) => {
      quoted.push({ text: straight ?? curly ?? '', isRequired: plus !== undefined });
      return ' ';
    },
  );
  return { quoted, rest };
}
