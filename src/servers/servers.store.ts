import { type Kysely, sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { Database, Write } from '../db/database.ts';
import { slices } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import type { StoredVault } from '../vault/vault.store.ts';
import { deleteSealed } from '../vault/vault-rows.store.ts';
import { addPendingSignIn, takePendingSignIn } from './pending-sign-ins.store.ts';
import type { ServerDefinitionInput } from './server-definition.ts';
import type { ServerMemory, ServerMemoryChange, ServerStore, StoredServer, ToolSetting } from './server-store.ts';

interface ServerParts {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Opened only when there is something to encrypt or decrypt. */
  vault: () => Promise<StoredVault>;
}

/** Each change first raises the `servers` counter, which admits one writer at a time on both databases. */
export class StoredServers implements Omit<ServerStore, 'hasServers' | 'watch'> {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #vault: () => Promise<StoredVault>;

  constructor(parts: ServerParts) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.#vault = parts.vault;
  }

  async servers(): Promise<StoredServer[]> {
    const rows = await this.#database.read((db) => db.selectFrom('servers').selectAll().orderBy('name').execute());
    if (rows.length === 0) return [];
    const key = await (await this.#vault()).unlock();
    return rows.flatMap((row) => {
      const text = key.open(boundName(row.name), row.definition);
      if (text !== undefined) return [toStoredServer(row, text)];
      // One damaged row must not hide the others.
      this.#logger.error(
        { server: row.name },
        'the stored server is damaged or was tampered with; remove it and add it again',
      );
      return [];
    });
  }

  async save(name: string, definition: ServerDefinitionInput, revision: number | null): Promise<StoredServer> {
    const text = JSON.stringify(definition);
    const vault = await this.#vault();
    return vault.keep(boundName(name), text, async (write, sealed) => {
      const changeNumber = await write.bump('servers');
      const before = await write.db.selectFrom('servers').selectAll().where('name', '=', name).executeTakeFirst();
      expectRevision(name, before, revision);
      const changes = { definition: sealed, revision: changeNumber, updated_at: this.#clock.now() };
      await write.db
        .insertInto('servers')
        .values({ name, ...changes })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(changes))
        .execute();
      return toStoredServer({ name, ...changes }, text);
    });
  }

  async remove(name: string): Promise<void> {
    await this.#database.write((write) =>
      deleteSealed(write, async () => {
        await write.bump('servers');
        const { numDeletedRows } = await write.db.deleteFrom('servers').where('name', '=', name).executeTakeFirst();
        if (numDeletedRows === 0n) throw new HubError('NOT_FOUND', `There is no stored server "${name}".`);
        await deleteMemory(write.db, name);
      }),
    );
  }

  memory(name: string): Promise<ServerMemory> {
    return this.#database.read((db) => readMemory(db, name));
  }

  async remember(name: string, change: ServerMemoryChange): Promise<void> {
    const now = this.#clock.now();
    await this.#database.write((write) => writeMemory(write, name, change, now));
  }

  async setTool(name: string, setting: ToolSetting): Promise<void> {
    await this.#database.write(async (write) => {
      await write.bump('servers');
      await writeSetting(write.db, name, setting);
    });
  }

  async forget(name: string): Promise<void> {
    await this.#database.write(async (write) => {
      await write.bump('servers');
      await deleteMemory(write.db, name);
    });
  }

  addSignIn(stateHash: string, sealed: string): Promise<void> {
    return addPendingSignIn({ database: this.#database, clock: this.#clock }, stateHash, sealed);
  }

  takeSignIn(stateHash: string): Promise<string | undefined> {
    return takePendingSignIn({ database: this.#database, clock: this.#clock }, stateHash);
  }
}

function expectRevision(name: string, before: ServerRow | undefined, expected: number | null): void {
  const current = before?.revision ?? null;
  if (current === expected) return;
  const state =
    expected === null
      ? `A stored server named "${name}" already exists.`
      : current === null
        ? `The server "${name}" has been removed.`
        : `The server "${name}" has changed: its newest revision is ${current}, not ${expected}. Reload it and try again.`;
  throw new HubError('CONFLICT', state, { details: { expected, current } });
}

function boundName(name: string): string {
  return `server ${name}`;
}

function toStoredServer(row: ServerRow, text: string): StoredServer {
  // The schema checked it before it was encrypted. Connecting parses it again, for the defaults.
  return { name: row.name, definition: JSON.parse(text), revision: row.revision, updatedAt: row.updated_at };
}

/** SQLite accepts about 32,000 values in one statement. */
const rowsAtOnce = 500;

/** Reads in one statement, so that all parts belong to the same moment. */
async function readMemory(db: Kysely<Tables>, server: string): Promise<ServerMemory> {
  const { rows } = await sql<MemoryRow>`
    select 'pin' as kind, tool, hash, accepted_at as at, definition as data from tool_pins where server = ${server}
    union all select 'held', tool, hash, seen_at, definition from held_tools where server = ${server}
    union all select 'setting', tool, '', 0, data from tool_settings where server = ${server}
    union all select 'list', '', '', listed_at, '' from server_lists where server = ${server}
    order by tool`.execute(db);
  const memory: ServerMemory = { pins: [], held: [], settings: [], listedAt: null };
  for (const row of rows) addRow(memory, row);
  return memory;
}

/** Writes only differences, and raises the counter only for them: an unchanged list wakes no other process. */
async function writeMemory(write: Write, server: string, change: ServerMemoryChange, now: number): Promise<void> {
  const wanted = { accept: byKey(change.accept), held: byKey(change.held), drop: new Set(change.drop.map(toToolKey)) };
  const known = await readKnown(write.db, server);
  if ((change.isListed && !known.isListed) || differs(known, wanted)) {
    await write.bump('servers');
    // Read again: another writer may have come first.
    await writeTools(write.db, { ...wanted, server, now, known: await readKnown(write.db, server) });
  }
  if (!change.isListed) return;
  await write.db
    .insertInto('server_lists')
    .values({ server, listed_at: now })
    .onConflict((conflict) => conflict.column('server').doUpdateSet({ listed_at: now }))
    .execute();
}

async function writeSetting(db: Kysely<Tables>, server: string, setting: ToolSetting): Promise<void> {
  const { tool: name, ...data } = setting;
  const tool = toToolKey(name);
  await db.deleteFrom('tool_settings').where('server', '=', server).where('tool', '=', tool).execute();
  await db
    .insertInto('tool_settings')
    .values({ server, tool, data: JSON.stringify(data) })
    .execute();
}

async function deleteMemory(db: Kysely<Tables>, server: string): Promise<void> {
  for (const table of ['tool_pins', 'held_tools', 'tool_settings', 'server_lists'] as const) {
    await db.deleteFrom(table).where('server', '=', server).execute();
  }
}

interface MemoryRow {
  kind: 'pin' | 'held' | 'setting' | 'list';
  tool: string;
  hash: string;
  at: number;
  data: string;
}

function addRow(memory: ServerMemory, { kind, tool: key, hash, at, data }: MemoryRow): void {
  const tool = fromToolKey(key);
  switch (kind) {
    case 'pin':
      memory.pins.push({ tool, hash, definition: JSON.parse(data), acceptedAt: at });
      break;
    case 'held':
      memory.held.push({ tool, hash, definition: JSON.parse(data), seenAt: at });
      break;
    case 'setting':
      memory.settings.push({ tool, ...JSON.parse(data) });
      break;
    case 'list':
      memory.listedAt = at;
  }
}

type SeenTool = ServerMemoryChange['accept'][number];

interface Wanted {
  accept: ReadonlyMap<string, SeenTool>;
  held: ReadonlyMap<string, SeenTool>;
  drop: ReadonlySet<string>;
}

/** If a tool is listed twice, the last one wins. */
function byKey(tools: readonly SeenTool[]): Map<string, SeenTool> {
  return new Map(tools.map((tool) => [toToolKey(tool.tool), tool]));
}

/** The stored hashes, by tool. */
interface Known {
  pins: ReadonlyMap<string, string>;
  held: ReadonlyMap<string, string>;
  /** The server has listed its tools at least once. */
  isListed: boolean;
}

async function readKnown(db: Kysely<Tables>, server: string): Promise<Known> {
  const hashesIn = async (table: 'tool_pins' | 'held_tools') => {
    const rows = await db.selectFrom(table).select(['tool', 'hash']).where('server', '=', server).execute();
    return new Map(rows.map((row) => [row.tool, row.hash]));
  };
  const list = await db.selectFrom('server_lists').select('server').where('server', '=', server).executeTakeFirst();
  return { pins: await hashesIn('tool_pins'), held: await hashesIn('held_tools'), isListed: list !== undefined };
}

function differs(known: Known, { accept, held, drop }: Wanted): boolean {
  return (
    changed(accept, known.pins).length > 0 ||
    changed(held, known.held).length > 0 ||
    known.held.size !== held.size ||
    [...drop.difference(accept)].some((tool) => known.pins.has(tool))
  );
}

function changed(tools: ReadonlyMap<string, SeenTool>, known: ReadonlyMap<string, string>): [string, SeenTool][] {
  return [...tools].filter(([key, { hash }]) => known.get(key) !== hash);
}

/** Rows with the same hash stay, and keep their time. */
async function writeTools(
  db: Kysely<Tables>,
  { server, now, known, accept, held, drop }: Wanted & { server: string; now: number; known: Known },
): Promise<void> {
  const pins = changed(accept, known.pins);
  await deleteTools(db, 'tool_pins', server, [...drop.difference(accept), ...pins.map(([key]) => key)]);
  for (const rows of slices(pins, rowsAtOnce)) {
    const values = rows.map((row) => ({ ...toRow(server, row), accepted_at: now }));
    await db.insertInto('tool_pins').values(values).execute();
  }
  const waiting = changed(held, known.held);
  const removed = [...known.held.keys()].filter((tool) => !held.has(tool));
  await deleteTools(db, 'held_tools', server, [...removed, ...waiting.map(([key]) => key)]);
  for (const rows of slices(waiting, rowsAtOnce)) {
    const values = rows.map((row) => ({ ...toRow(server, row), seen_at: now }));
    await db.insertInto('held_tools').values(values).execute();
  }
}

function toRow(server: string, [tool, { hash, definition }]: [string, SeenTool]) {
  return { server, tool, hash, definition: JSON.stringify(definition) };
}

async function deleteTools(
  db: Kysely<Tables>,
  table: 'tool_pins' | 'held_tools',
  server: string,
  tools: readonly string[],
): Promise<void> {
  for (const names of slices(tools, rowsAtOnce)) {
    await db.deleteFrom(table).where('server', '=', server).where('tool', 'in', names).execute();
  }
}

/** Stores unusual names as JSON: PostgreSQL accepts neither NUL nor lone surrogates, and a server may use both. */
function toToolKey(tool: string): string {
  return tool.startsWith('"') || tool.includes('\0') || !tool.isWellFormed() ? JSON.stringify(tool) : tool;
}

function fromToolKey(key: string): string {
  return key.startsWith('"') ? JSON.parse(key) : key;
}

declare module '../db/tables.ts' {
  interface Tables {
    servers: ServerRow;
    server_lists: ServerListRow;
    tool_pins: ToolPinRow;
    held_tools: HeldToolRow;
    tool_settings: ToolSettingRow;
  }
}

interface ServerRow {
  name: string;
  /** The value of the `servers` counter at its last save, so that no number is used twice, even if the name was free in between. */
  revision: number;
  updated_at: number;
  /** Sealed JSON. */
  definition: string;
}

interface ServerListRow {
  server: string;
  listed_at: number;
}

/** `tool` has the form that `toToolKey` returns, and is unique per server. */
interface ToolPinRow {
  server: string;
  tool: string;
  hash: string;
  accepted_at: number;
  definition: string;
}

interface HeldToolRow {
  server: string;
  tool: string;
  hash: string;
  seen_at: number;
  definition: string;
}

interface ToolSettingRow {
  server: string;
  tool: string;
  data: string;
}
