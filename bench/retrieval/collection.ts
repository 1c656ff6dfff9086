/** Documents, and questions about them whose answers are known. */
export interface Collection {
  name: string;
  documents: CollectionDocument[];
  queries: CollectionQuery[];
}

export interface CollectionDocument {
  /** Tells nothing of the content, so that no search can learn from it. */
  id: string;
  title: string;
  text: string;
}

interface CollectionQuery {
  text: string;
  /** Ids of documents. */
  relevant: ReadonlySet<string>;
}

/** A question and the text that it was taken out of. */
export interface Pair {
  title: string;
  query: string;
  text: string;
}

/**
 * Equal texts are one document. A question that two texts answer has both as its answers; one that stands in any
 * text word for word is left out, because whoever finds that text would be right and counted wrong.
 */
export function toCollection(
  name: string,
  pairs: readonly Pair[],
  { extension, maxQueries }: { extension: string; maxQueries: number },
): Collection {
  const documents = new Map<string, CollectionDocument>();
  const answers = new Map<string, { text: string; relevant: Set<string> }>();
  for (const { title, query, text } of pairs) {
    const known = documents.get(words(text));
    const document = known ?? { id: `${String(documents.size).padStart(5, '0')}.${extension}`, title, text };
    documents.set(words(text), document);
    const answer = answers.get(words(query)) ?? { text: withoutQuotes(query), relevant: new Set() };
    answer.relevant.add(document.id);
    answers.set(words(query), answer);
  }
  const everything = [...documents].map(([text, { title }]) => ` ${words(title)} ${text} `).join('\n');
  const queries = [...answers].filter(([text]) => !everything.includes(` ${text} `)).map(([, answer]) => answer);
  return { name, documents: [...documents.values()], queries: spread(queries, maxQueries) };
}

/** So many of them, evenly over the whole. */
export function spread<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  return Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)] as T);
}

/** Some of the questions, their answers, and other documents up to a number. */
export function reduceCollection(
  { name, documents, queries }: Collection,
  most: { documents: number; queries: number },
): Collection {
  const kept = spread(queries, most.queries);
  const answers = new Set(kept.flatMap(({ relevant }) => [...relevant]));
  const others = documents.filter(({ id }) => !answers.has(id));
  const chosen = new Set(spread(others, Math.max(0, most.documents - answers.size)));
  return { name, documents: documents.filter((each) => answers.has(each.id) || chosen.has(each)), queries: kept };
}

/** In our search they ask for a phrase; here they are somebody's punctuation. */
function withoutQuotes(text: string): string {
  return text.replace(/["“”]/g, ' ').replace(/ +/g, ' ').trim();
}

function words(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

export function wordCount(text: string): number {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).length;
}
