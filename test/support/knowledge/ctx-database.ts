import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Makes a database with the tables of Context Harness and one document. Leave it open to keep its content in the `-wal` file. */
export function makeCtxDatabase(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal');
  database.exec(`create table if not exists documents (
    id text primary key, source text not null, source_id text not null, source_url text, title text, author text,
    created_at integer not null, updated_at integer not null, content_type text not null default 'text/plain',
    body text not null, metadata_json text not null default '{}', raw_json text, dedup_hash text not null,
    unique(source, source_id))`);
  database.exec(
    'create table checkpoints (source text primary key, cursor text not null, updated_at integer not null)',
  );
  database.exec('create virtual table chunks_fts using fts5(chunk_id unindexed, document_id unindexed, text)');
  database.exec(
    `insert into documents values ('d1', 'filesystem:docs', 'a.md', null, 'a.md', null, 1, 1, 'text/plain', 'Hello', '{}', null, 'x')`,
  );
  return database;
}
