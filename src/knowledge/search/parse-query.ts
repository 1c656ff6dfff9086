import { analyseCharacters, analyseWord, isStopWord } from '../index/analyse.ts';
import { nextCharacter, scanWords, word } from '../index/scan-words.ts';

/** A parsed query. */
export interface Query {
  /** A passage matches if it contains any of these. `weight` is the count in the query. */
  terms: readonly { term: string; weight: number }[];
  /** Words in query order, without stop words unless the query has no others. Neighbours form pairs. */
  words: readonly string[];
  /** Quoted phrases. A passage that contains one ranks higher. */
  phrases: readonly (readonly string[])[];
  /** Phrases that a passage must contain: `+"…"`, or all phrases if the query has nothing else. */
  required: readonly (readonly string[])[];
}

/** Only the first terms of a longer query are used. */
const maxTerms = 256;

/** Parses a query. Quotes, and `+` before them, are the only operators. A query of only punctuation has no terms. */
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

/** In scripts without spaces, pairs of characters are terms. A single character is a term only when it stands alone. */
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

/** Splits off the text between straight or curly quotes. An unpaired quote is punctuation. */
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
