/** Documents, and questions about them with known answers. */
export interface Collection {
  name: string;
  documents: CollectionDocument[];
  queries: CollectionQuery[];
}

export interface CollectionDocument {
  /** Reveals nothing about the content, so that no search can use it. */
  id: string;
  title: string;
  text: string;
}

interface CollectionQuery {
  text: string;
  /** Ids of documents. */
  relevant: ReadonlySet<string>;
}

/** A question and the text that it was taken from. */
export interface Pair {
  title: string;
  query: string;
  text: string;
}

/**
 * Builds a collection. Equal texts become one document. A question that two texts answer has both as its answers. A question
 * that occurs word for word in a text is dropped, because finding that text would be right but count as wrong.
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

/** Picks this many items, spread evenly. */
export function spread<T>(all: readonly T[], maxItems: number): T[] {
  if (all.length <= maxItems) return [...all];
  return Array.from({ length: maxItems }, (_, index) => all[Math.floor((index * all.length) / maxItems)] as T);
}

/** Returns a sample: some questions, their answers, and other documents up to a number. */
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

/** Removes quotes, which are phrase operators in our search but only punctuation here. */
function withoutQuotes(text: string): string {
  return text.replace(/["“”]/g, ' ').replace(/ +/g, ' ').trim();
}

function words(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

export function wordCount(text: string): number {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).length;
}
