import { dayMs } from '../../../src/base/clock.ts';
import { analyseWord, isStopWord } from '../../../src/knowledge/index/analyse.ts';
import type { DocumentFilters } from '../../../src/knowledge/search/filter-documents.ts';
import { outlineOf, Vocabulary } from '../../../src/knowledge/search/outline.ts';
import { parseQuery } from '../../../src/knowledge/search/parse-query.ts';
import { createRescorer } from '../../../src/knowledge/search/rescore.ts';
import { documentId, type IndexedDocument } from './test-index.ts';

interface Scored {
  id: string;
  ordinal: number;
  score: number;
}

/** A reference search without an index: computes BM25, phrases, filters and bonuses for every chunk. */
export function bruteForce(
  documents: readonly Required<IndexedDocument>[],
  text: string,
  filters: DocumentFilters,
): Scored[] {
  const query = parseQuery(text);
  const chunks = documents.flatMap((document) =>
    document.chunks.map(({ heading = [], text: body }, ordinal) => {
      const fields = {
        body: terms(body),
        title: terms(document.title),
        rest: [...heading, document.sourceId].flatMap(terms),
      };
      const length = [...words(body), ...words(document.title)].filter((each) => !isStopWord(each)).length;
      const texts = [body, document.title, ...heading].map(words);
      return {
        document,
        ordinal,
        heading,
        body,
        fields,
        length,
        texts,
        frequency: (term: string) =>
          count(fields.body, term) + 4 * count(fields.title, term) + 2 * count(fields.rest, term),
      };
    }),
  );
  const average = chunks.reduce((sum, { length }) => sum + length, 0) / chunks.length;
  const scored = chunks
    .filter(({ document }) => isAllowed(document, filters))
    .filter(({ texts }) => query.required.every((phrase) => texts.some((each) => contains(each, phrase))))
    .map((chunk) => {
      let score = 0;
      for (const { term, weight } of query.terms) {
        const having = chunks.filter(({ frequency }) => frequency(term) > 0).length;
        const idf = Math.log(1 + (chunks.length - having + 0.5) / (having + 0.5));
        const tf = chunk.frequency(term);
        score += (weight * idf * tf) / (tf + 1.2 * (1 - 0.75 + (0.75 * chunk.length) / average));
      }
      return { ...chunk, id: documentId(chunk.document), score };
    })
    .filter(({ score }) => score > 0);
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const vocabulary = new Vocabulary();
  const rescored = scored.map(({ id, ordinal, score, document, heading, body }) => {
    const outline = outlineOf(vocabulary, { title: document.title, heading, text: body });
    const { adjacent, near, title, phrase } = createRescorer(query, vocabulary)(outline);
    return { id, ordinal, score: score + best * (0.1 * adjacent + 0.1 * near + 0.3 * title + 0.2 * phrase) };
  });
  rescored.sort((left, right) => right.score - left.score || left.ordinal - right.ordinal);
  const ofDocuments = [...new Map(rescored.toReversed().map((each) => [each.id, each])).values()];
  return ofDocuments.sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
}

function isAllowed({ source, updatedAt, tags }: Required<IndexedDocument>, filters: DocumentFilters): boolean {
  const until = filters.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(filters.until);
  const end = filters.until?.length === 10 ? until + dayMs - 1 : until;
  return (
    (filters.source === undefined || [source, ...source.split(':')].some((each) => filters.source?.includes(each))) &&
    (filters.since === undefined || updatedAt >= Date.parse(filters.since)) &&
    updatedAt <= end &&
    (filters.tags === undefined || tags.some((tag) => filters.tags?.includes(tag)))
  );
}

/** Works for texts whose tokens are separated by spaces. */
function words(text: string): string[] {
  return tokens(text).flatMap((token) => (isCharacters(token) ? [...token] : analyseWord(token).words));
}

function terms(text: string): string[] {
  return tokens(text).flatMap((token) => {
    if (!isCharacters(token)) return [...analyseWord(token).words, ...analyseWord(token).compounds];
    return [...token, ...[...token].slice(1).map((_, index) => token.slice(index, index + 2))];
  });
}

function tokens(text: string): string[] {
  return text.split(' ').filter((each) => each !== '');
}

function isCharacters(token: string): boolean {
  return /\p{Script=Han}/u.test(token);
}

function contains(all: readonly string[], phrase: readonly string[]): boolean {
  return all.some((_, start) => phrase.every((each, index) => all[start + index] === each));
}

function count(all: readonly string[], term: string): number {
  return all.filter((each) => each === term).length;
}
