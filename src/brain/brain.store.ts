import { type Clock, dayMs, toIso } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Database, Write } from '../db/database.ts';
import type { Redact } from '../tools/redact/redact.ts';
import {
  type BrainEntry,
  type BrainEntryChange,
  type BrainQuery,
  type BrainStore,
  type CarriedEntry,
  maxContent,
  type NewBrainEntry,
} from './brain.ts';

export class StoredBrain implements BrainStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #redact: Redact;

  constructor(options: { database: Database; clock: Clock; redact?: Redact | undefined }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#redact = options.redact ?? ((text) => text);
  }

  create(agentId: string, entry: NewBrainEntry): Promise<BrainEntry> {
    const at = this.#clock.now();
    const row: BrainEntryRow = {
      id: newId('brain', at),
      agent_id: agentId,
      at,
      ...fullColumns(entry, this.#redact),
    };
    return this.#database.write(async (write) => {
      write.changed('brain', agentId);
      await write.db.insertInto('brain_entries').values(row).execute();
      return toEntry(row);
    });
  }

  async get(agentId: string, entryId: string): Promise<BrainEntry | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('brain_entries')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('id', '=', entryId)
        .executeTakeFirst(),
    );
    return row && toEntry(row);
  }

  update(agentId: string, entryId: string, change: BrainEntryChange): Promise<BrainEntry | undefined> {
    return this.#database.write(async (write) => {
      const row = await write.db
        .updateTable('brain_entries')
        .set({ id: entryId, ...toColumns(change, this.#redact) })
        .where('agent_id', '=', agentId)
        .where('id', '=', entryId)
        .returningAll()
        .executeTakeFirst();
      if (row) write.changed('brain', agentId);
      return row && toEntry(row);
    });
  }

  delete(agentId: string, entryId: string): Promise<boolean> {
    return this.#database.write(async (write) => {
      const result = await write.db
        .deleteFrom('brain_entries')
        .where('agent_id', '=', agentId)
        .where('id', '=', entryId)
        .executeTakeFirst();
      if (result.numDeletedRows > 0n) write.changed('brain', agentId);
      return result.numDeletedRows > 0n;
    });
  }

  async query(agentId: string, query: BrainQuery): Promise<BrainEntry[]> {
    const rows = await this.#database.read((db) => {
      let select = db.selectFrom('brain_entries').selectAll().where('agent_id', '=', agentId);
      if (query.type !== undefined) select = select.where('type', '=', query.type);
      if (query.pinned !== undefined) select = select.where('pinned', '=', query.pinned ? 1 : 0);
      if (query.dateFrom !== undefined) select = select.where('at', '>=', startOf(query.dateFrom));
      if (query.dateTo !== undefined) select = select.where('at', '<=', endOf(query.dateTo));
      return select.orderBy('at', 'desc').orderBy('id', 'desc').execute();
    });
    const wanted = query.tags ?? [];
    const entries = rows.map(toEntry);
    return wanted.length === 0 ? entries : entries.filter((entry) => entry.tags.some((tag) => wanted.includes(tag)));
  }
}

/** Deletes the brain of an earlier agent when its id is used for a new one. */
export async function deleteBrain(write: Write, agentId: string): Promise<void> {
  const result = await write.db.deleteFrom('brain_entries').where('agent_id', '=', agentId).executeTakeFirst();
  if (result.numDeletedRows > 0n) write.changed('brain', agentId);
}

/** The number of entries that one statement inserts. Databases limit the values of a statement. */
const batchSize = 200;

/** Adds the entries of an import. One with the id of an entry of the same agent replaces it; one with a foreign id gets its own. */
export async function carryBrain(
  write: Write,
  agentId: string,
  { entries, now, redact }: { entries: readonly CarriedEntry[]; now: number; redact: Redact },
): Promise<void> {
  for (let from = 0; from < entries.length; from += batchSize) {
    const batch = entries.slice(from, from + batchSize);
    const foreign = await idsOfOthers(
      write,
      agentId,
      batch.flatMap(({ id }) => id ?? []),
    );
    const rows = batch.map(
      ({ id, at, ...entry }): BrainEntryRow => ({
        id: id === undefined || foreign.has(id) ? newId('brain', at ?? now) : id,
        agent_id: agentId,
        at: at ?? now,
        ...fullColumns(entry, redact),
      }),
    );
    // Of two entries with the same id, the last wins: a statement must not change a row twice.
    const distinct = [...new Map(rows.map((row) => [row.id, row])).values()];
    await write.db
      .insertInto('brain_entries')
      .values(distinct)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((row) => ({
          type: row.ref('excluded.type'),
          content: row.ref('excluded.content'),
          at: row.ref('excluded.at'),
          pinned: row.ref('excluded.pinned'),
          tags: row.ref('excluded.tags'),
          metadata: row.ref('excluded.metadata'),
        })),
      )
      .execute();
  }
  if (entries.length > 0) write.changed('brain', agentId);
}

async function idsOfOthers(write: Write, agentId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await write.db
    .selectFrom('brain_entries')
    .select('id')
    .where('id', 'in', ids)
    .where('agent_id', '!=', agentId)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

function fullColumns(entry: NewBrainEntry, redact: Redact): Omit<BrainEntryRow, 'id' | 'agent_id' | 'at'> {
  return { type: entry.type, content: '', pinned: 0, tags: '[]', metadata: '{}', ...toColumns(entry, redact) };
}

/** Removes secrets, because models read a memory long after it was written. */
function toColumns(change: BrainEntryChange, redact: Redact): Partial<BrainEntryRow> {
  return {
    ...(change.type !== undefined && { type: change.type }),
    ...(change.content !== undefined && { content: shortened(redact(change.content)) }),
    ...(change.pinned !== undefined && { pinned: change.pinned ? 1 : 0 }),
    ...(change.tags !== undefined && { tags: redact(JSON.stringify(change.tags)) }),
    ...(change.metadata !== undefined && { metadata: redact(JSON.stringify(change.metadata)) }),
  };
}

/** The mark for a removed secret may be longer than the secret. */
function shortened(content: string): string {
  return content.length > maxContent ? content.slice(0, maxContent).toWellFormed() : content;
}

function toEntry(row: BrainEntryRow): BrainEntry {
  return {
    id: row.id,
    agentId: row.agent_id,
    // The schema checked type, tags and metadata before they were written.
    type: row.type as BrainEntry['type'],
    content: row.content,
    timestamp: toIso(row.at),
    pinned: row.pinned === 1,
    tags: JSON.parse(row.tags),
    metadata: JSON.parse(row.metadata),
  };
}

const dateOnly = /^\d{4}-\d{2}-\d{2}$/;
const zone = /(?:Z|[+-]\d{2}:?\d{2})$/;

/** Parses a moment. A time without a zone is UTC, like a date, so that every server gives the same result. */
function startOf(moment: string): number {
  return Date.parse(dateOnly.test(moment) || zone.test(moment) ? moment : `${moment}Z`);
}

function endOf(moment: string): number {
  return dateOnly.test(moment) ? startOf(moment) + dayMs - 1 : startOf(moment);
}

declare module '../db/tables.ts' {
  interface Tables {
    brain_entries: BrainEntryRow;
  }
}

interface BrainEntryRow {
  id: string;
  agent_id: string;
  type: string;
  content: string;
  at: number;
  pinned: number;
  tags: string;
  metadata: string;
}
