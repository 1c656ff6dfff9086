import { hash } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { holderId } from '../../base/holder.ts';
import { Standstill } from '../../base/standstill.ts';
import type { Database } from '../../db/database.ts';
import type { Leases } from '../../db/leases.ts';
import type { Tables } from '../../db/tables.ts';
import type { LogLevel } from '../../tools/tool-client.ts';
import type { McpSessionStore, ReceivedMessage, SessionMessage, SessionState, StateChange } from './session-store.ts';

/** How long messages and the events of finished streams are kept. Longer than a client has to answer a question. */
const keptMs = 15 * 60 * 1000;
/** How often a process that sends messages deletes old ones. */
const pruneEveryMs = 60_000;
/** The maximum number of messages that are read at once. */
const maxRead = 1_000;
/** After this many messages, the place up to which they were read is found anew. */
const settleAfter = 100;
/** A process without a lease has ended if it does not take one within this time. */
const leaselessMs = 3_000;

/** Addresses a message to all processes. */
const everybody = '';
/** Begins the name of a row that says which process knows a session. */
const knownAt = 'at ';

interface Parts {
  database: Database;
  clock: Clock;
  leases: Leases;
}

export class StoredMcpSessions implements McpSessionStore {
  readonly #parts: Parts;
  readonly #leaseless = new Standstill();
  /** No message up to this one is still to be read. Undefined until the first messages were read. */
  #readTo: number | undefined;
  /** The messages after it that were read. */
  #seen = new Set<number>();
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  process(): string {
    return holderId(this.#parts.leases.holder);
  }

  keep(): void {
    this.#parts.leases.keep();
  }

  async state(sessionId: string): Promise<SessionState> {
    const rows = await this.#parts.database.read((db) =>
      db.selectFrom('mcp_session_state').select(['name', 'value']).where('session_id', '=', sessionId).execute(),
    );
    const valueNamed = (name: string) => rows.find((row) => row.name === name)?.value;
    return {
      isEnded: valueNamed('ended') !== undefined,
      // Only `change` writes it.
      logLevel: valueNamed('level') as LogLevel | undefined,
      uris: rows.filter(({ name }) => name.startsWith('uri ')).map(({ value }) => JSON.parse(value)),
    };
  }

  async change(sessionId: string, change: StateChange, expiresAt: number): Promise<void> {
    const { database } = this.#parts;
    const { name, value } = toRow(change);
    await database.write(
      async ({ db, changed }) => {
        if (value === undefined) {
          await db
            .deleteFrom('mcp_session_state')
            .where('session_id', '=', sessionId)
            .where('name', '=', name)
            .execute();
        } else {
          await db
            .insertInto('mcp_session_state')
            .values({ session_id: sessionId, name, value, expires_at: expiresAt })
            .onConflict((conflict) => conflict.columns(['session_id', 'name']).doUpdateSet({ value }))
            .execute();
        }
        await this.#insert(db, { sessionId, to: everybody, body: JSON.stringify({ kind: 'changed' }) });
        changed('mcp', sessionId);
      },
      { isDurable: 'ended' in change },
    );
  }

  async claim(sessionId: string, expiresAt: number, instead = ''): Promise<{ process: string; isNew: boolean }> {
    const value = this.process();
    return this.#parts.database.write(
      async ({ db }) => {
        const { rows } = await sql`insert into mcp_session_state (session_id, name, value, expires_at)
          values (${sessionId}, 'home', ${value}, ${expiresAt})
          on conflict (session_id, name) do update set value = excluded.value
          where mcp_session_state.value = ${instead} returning name`.execute(db);
        if (rows.length > 0) return { process: value, isNew: true };
        const row = await db
          .selectFrom('mcp_session_state')
          .select('value')
          .where('session_id', '=', sessionId)
          .where('name', '=', 'home')
          .executeTakeFirstOrThrow();
        return { process: row.value, isNew: false };
      },
      { isDurable: false },
    );
  }

  async send(sessionId: string, message: SessionMessage, to = everybody): Promise<number> {
    return this.#parts.database.write(
      async ({ db, changed }) => {
        const id = await this.#insert(db, { sessionId, to, body: JSON.stringify(message) });
        changed('mcp', sessionId);
        return id;
      },
      { isDurable: false },
    );
  }

  async receive(): Promise<{ messages: ReceivedMessage[]; isMore: boolean }> {
    const { database } = this.#parts;
    const me = this.process();
    const settled = database.dialect.commitsInOrder ? undefined : await this.#settled();
    const rows = await database.read((db) => {
      const query = db
        .selectFrom('mcp_messages')
        .selectAll()
        // An expression, so that the rows are found by number or time: there may be many to all processes.
        .where(sql<boolean>`(target || '') in (${me}, ${everybody})`)
        .where('sender', '!=', me)
        .orderBy('id')
        .limit(maxRead);
      const newer =
        this.#readTo === undefined
          ? query.where('at', '>', sql<number>`${this.#now()} - ${keptMs}`)
          : query.where('id', '>', this.#readTo);
      return (this.#seen.size === 0 ? newer : newer.where('id', 'not in', [...this.#seen])).execute();
    });
    const own = rows.filter(({ target }) => target === me).map(({ id }) => id);
    if (own.length > 0)
      await database.write(({ db }) => db.deleteFrom('mcp_messages').where('id', 'in', own).execute(), {
        isDurable: false,
      });
    this.#noteRead(rows, settled);
    const messages = rows.map((row) => ({
      id: row.id,
      sessionId: row.session_id,
      from: row.sender,
      // Written by `send` of any process. The receiver ignores kinds that it does not know.
      message: JSON.parse(row.body),
    }));
    return { messages, isMore: rows.length === maxRead };
  }

  /** Returns a number up to which nothing else can be committed any more, from time to time. */
  async #settled(): Promise<number | undefined> {
    const { database } = this.#parts;
    const isDue = this.#seen.size > (this.#readTo === undefined ? 0 : settleAfter);
    // A message gets its number before it is committed, so a smaller number may appear after a greater one.
    if (!isDue || !(await database.read((db) => database.dialect.writersEnded(db, 'mcp_messages')))) return undefined;
    return Math.max(...this.#seen);
  }

  #noteRead(rows: readonly { id: number }[], settled = 0): void {
    for (const { id } of rows) this.#seen.add(id);
    const last = rows.at(-1)?.id ?? 0;
    const { commitsInOrder } = this.#parts.database.dialect;
    const to = commitsInOrder ? last : rows.length === maxRead ? Math.min(settled, last) : settled;
    if (to === 0) return;
    this.#readTo = to;
    for (const id of this.#seen) if (id <= to) this.#seen.delete(id);
  }

  async keepEvents(sessionId: string, stream: string, events: string): Promise<void> {
    await this.#parts.database.write(({ db }) => this.#insert(db, { sessionId, to: mailboxOf(stream), body: events }), {
      isDurable: false,
    });
  }

  async events(sessionId: string, stream: string): Promise<string | undefined> {
    const row = await this.#parts.database.read((db) =>
      db
        .selectFrom('mcp_messages')
        .select('body')
        .where('target', '=', mailboxOf(stream))
        .where('session_id', '=', sessionId)
        .executeTakeFirst(),
    );
    return row?.body;
  }

  async join(sessionId: string, processes: readonly string[], expiresAt: number): Promise<void> {
    const rows = processes.map((each) => ({
      session_id: sessionId,
      name: `${knownAt}${each}`,
      value: '',
      expires_at: expiresAt,
    }));
    await this.#parts.database.write(
      ({ db }) =>
        db
          .insertInto('mcp_session_state')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      { isDurable: false },
    );
  }

  async leave(sessionIds: readonly string[]): Promise<void> {
    const name = `${knownAt}${this.process()}`;
    await this.#parts.database.write(
      async ({ db, changed }) => {
        const left = await db
          .deleteFrom('mcp_session_state')
          .where('session_id', 'in', sessionIds)
          .where('name', '=', name)
          .returning('session_id')
          .execute();
        if (left.length > 0) changed('mcp', ...left.map((row) => row.session_id));
      },
      { isDurable: false },
    );
  }

  async others(sessionId: string): Promise<string[]> {
    const rows = await this.#parts.database.read((db) =>
      db
        .selectFrom('mcp_session_state')
        .select('name')
        .where('session_id', '=', sessionId)
        .where('name', 'like', `${knownAt}%`)
        .execute(),
    );
    return rows.map(({ name }) => name.slice(knownAt.length)).filter((process) => process !== this.process());
  }

  async isGone(process: string): Promise<boolean> {
    const { database, leases } = this.#parts;
    const rows = await database.read((db) => db.selectFrom('leases').select('holder').distinct().execute());
    const holder = rows.map((row) => row.holder).find((each) => holderId(each) === process);
    if (holder === undefined) return this.#leaseless.isStill(process, undefined, leaselessMs);
    return (await leases.gone([holder])).has(holder);
  }

  async #insert(db: Kysely<Tables>, message: { sessionId: string; to: string; body: string }): Promise<number> {
    await this.#prune(db);
    const { rows } = await sql<{ id: number }>`
      insert into mcp_messages (session_id, sender, target, body, at)
      values (${message.sessionId}, ${this.process()}, ${message.to}, ${message.body}, ${this.#now()}) returning id`.execute(
      db,
    );
    return rows[0]?.id ?? 0;
  }

  async #prune(db: Kysely<Tables>): Promise<void> {
    if (performance.now() - this.#prunedAt < pruneEveryMs) return;
    this.#prunedAt = performance.now();
    await sql`delete from mcp_messages where at < ${this.#now()} - ${keptMs}`.execute(db);
    await sql`delete from mcp_session_state where expires_at < ${this.#now()}`.execute(db);
  }

  /** The same clock for all processes, if the database has one. */
  #now(): RawBuilder<number> {
    const { database, clock } = this.#parts;
    return database.dialect.now ?? sql<number>`${clock.now()}`;
  }
}

/** The value is undefined if the row is deleted. */
function toRow(change: StateChange): { name: string; value: string | undefined } {
  if ('ended' in change) return { name: 'ended', value: '' };
  if ('logLevel' in change) return { name: 'level', value: change.logLevel };
  // As JSON, because PostgreSQL stores no NUL characters.
  if ('subscribed' in change) return { name: uriName(change.subscribed), value: JSON.stringify(change.subscribed) };
  return { name: uriName(change.unsubscribed), value: undefined };
}

/** A hash, because an address may be too long for an index. */
function uriName(uri: string): string {
  return `uri ${hash('sha256', uri, 'hex')}`;
}

function mailboxOf(stream: string): string {
  return `stream ${stream}`;
}

declare module '../../db/tables.ts' {
  interface Tables {
    mcp_session_state: SessionStateRow;
    mcp_messages: MessageRow;
  }
}

interface SessionStateRow {
  session_id: string;
  /** `ended`, `level`, `home`, `at` and a process, or `uri` and a hash. */
  name: string;
  value: string;
  expires_at: number;
}

interface MessageRow {
  /** Assigned by the database. */
  id: number;
  session_id: string;
  sender: string;
  /** The id of a process; empty for all; or `stream` and the name of a finished stream, whose events the body holds. */
  target: string;
  body: string;
  /** By the database's clock, if it has one. */
  at: number;
}
