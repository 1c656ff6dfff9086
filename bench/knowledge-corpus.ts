import { DatabaseSync } from 'node:sqlite';
import { passageText } from './generated-text.ts';
import type { CollectionDocument } from './retrieval/collection.ts';
import { matchExpression } from './retrieval/fts5.ts';
import { type DatabaseAddress, type OpenKnowledgeBase, openKnowledgeBase, syncAll } from './retrieval/our-search.ts';

const passagesOfDocument = 10;
/** Large enough for one generated passage, too small for two. */
const chunking = { maxTokens: 300, overlapTokens: 0 };

/** Yields this many passages in documents of ten. Generates the text when it is read. */
export function generatedDocuments(passages: number): CollectionDocument[] {
  return Array.from({ length: passages / passagesOfDocument }, (_, number) => ({
    id: `${number}.txt`,
    title: titleOf(number),
    get text() {
      return passagesOf(number).join('\n\n');
    },
  }));
}

/** The same with the text in memory, so that generating it is not measured. */
export function readyDocuments(passages: number): CollectionDocument[] {
  return generatedDocuments(passages).map(({ id, title, text }) => ({ id, title, text }));
}

export async function openGenerated(db: DatabaseAddress, documents: readonly CollectionDocument[]) {
  return openKnowledgeBase(db, documents, { chunking });
}

/** Syncs a corpus and checks that the knowledge base contains exactly its passages. */
export async function buildGenerated(db: DatabaseAddress, passages: number): Promise<OpenKnowledgeBase> {
  const base = await openGenerated(db, generatedDocuments(passages));
  await syncAll(base);
  await checkPassages(base, passages);
  return base;
}

export async function checkPassages({ knowledge }: OpenKnowledgeBase, passages: number): Promise<void> {
  const { chunks } = await knowledge.stats();
  if (chunks !== passages) throw new Error(`${chunks} passages are in the index, not ${passages}`);
}

/** Writes the same passages into a table of SQLite's full-text search, in one transaction. */
export class Fts5Passages {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(`pragma journal_mode = wal; create virtual table passages using fts5(title, text)`);
  }

  insert(documents: readonly CollectionDocument[]): void {
    const insert = this.#db.prepare('insert into passages values (?, ?)');
    this.#db.exec('begin');
    for (const { title, text } of documents) for (const passage of text.split('\n\n')) insert.run(title, passage);
    this.#db.exec('commit');
  }

  search(query: string): number {
    const statement = this.#db.prepare('select rowid from passages where passages match ? order by rank limit 12');
    return statement.all(matchExpression(query, 'OR')).length;
  }

  close(): void {
    this.#db.close();
  }
}

function passagesOf(document: number): string[] {
  return Array.from({ length: passagesOfDocument }, (_, index) => passageText(document * passagesOfDocument + index));
}

function titleOf(document: number): string {
  return passageText(document + 10_000_000)
    .split(' ', 3)
    .join(' ');
}
