import { DatabaseSync } from 'node:sqlite';
import type { CollectionDocument } from './collection.ts';

/** SQLite's full-text search in its usual setup: two columns, `unicode61`, the default `bm25`. */
export class Fts5Index {
  readonly #db = new DatabaseSync(':memory:');

  constructor(documents: readonly CollectionDocument[]) {
    this.#db.exec(`create virtual table pages using fts5(id unindexed, title, text, tokenize = 'unicode61')`);
    const insert = this.#db.prepare('insert into pages values (?, ?, ?)');
    this.#db.exec('begin');
    for (const { id, title, text } of documents) insert.run(id, title, text);
    this.#db.exec('commit');
  }

  search(query: string, limit: number, join: 'OR' | 'AND'): string[] {
    const match = matchExpression(query, join);
    if (match === '') return [];
    const found = this.#db.prepare('select id from pages where pages match ? order by rank limit ?').all(match, limit);
    return found.map(({ id }) => String(id));
  }

  close(): void {
    this.#db.close();
  }
}

/** Quotes every word, so that none is an operator. */
export function matchExpression(query: string, join: 'OR' | 'AND'): string {
  return (query.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`).join(` ${join} `);
}
