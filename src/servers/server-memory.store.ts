import { type Kysely, sql } from 'kysely';
import { newId } from '../base/ids.ts';
import type { Write } from '../db/database.ts';
import { slices } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import type {
  HeldTool,
  ServerMemory,
  ServerReplica,
  ServerSwitch,
  ToolList,
  ToolPin,
  ToolSetting,
} from './server-store.ts';

/** SQLite accepts about 32,000 values in one statement. */
const rowsAtOnce = 500;

/**
 * Reads in one statement, so that all parts belong to the same moment. `tool_pins` has the definition of each tool that was accepted
 * last, and processes of older releases read and write it. `tool_definitions` has the others: those that are accepted for another version, and those that
 * wait. Until a process has stored a list of its own, what an older release stored stands for one.
 */
export async function readMemory(db: Kysely<Tables>, server: string): Promise<ServerMemory> {
  const memory = sql`(select memory from server_lists where server = ${server})`;
  const { rows } = await sql<MemoryRow>`
    select 'definition' as kind, tool, hash, seen_at as at, coalesce(accepted_at, -1) as accepted, definition as data
      from tool_definitions where server = ${server} and memory = ${memory}
    union all select 'pin', tool, hash, accepted_at, -1, definition from tool_pins where server = ${server}
    union all select 'held', tool, hash, seen_at, -1, definition from held_tools where server = ${server}
    union all select 'setting', tool, '', 0, -1, data from tool_settings where server = ${server}
    union all select 'list', id, version, listed_at, -1, tools from tool_lists where server = ${server} and memory = ${memory}
    union all select 'replica', holder, list_id, seen_at, -1, '' from server_replicas where server = ${server} and memory = ${memory}
    union all select 'listed', '', '', listed_at, -1, '' from server_lists where server = ${server}
    union all select 'switch', process, wish, number, -1, '' from server_switches where server = ${server}
    order by tool`.execute(db);
  return toMemory(rows);
}

interface MemoryRow {
  kind: 'definition' | 'pin' | 'held' | 'setting' | 'list' | 'replica' | 'listed' | 'switch';
  tool: string;
  hash: string;
  at: number;
  /** When a definition was accepted; -1 if it was not. */
  accepted: number;
  data: string;
}

function toMemory(rows: readonly MemoryRow[]): ServerMemory {
  const newest: ToolPin[] = [];
  const older: ToolPin[] = [];
  const held: HeldTool[] = [];
  const oldHeld: HeldTool[] = [];
  const settings: ToolSetting[] = [];
  const lists: ToolList[] = [];
  const replicas: ServerReplica[] = [];
  let listedAt: number | null = null;
  let lastSwitch: ServerSwitch | null = null;
  for (const { kind, tool: key, hash, at, accepted, data } of rows) {
    const tool = fromToolKey(key);
    if (kind === 'pin') newest.push({ tool, hash, definition: JSON.parse(data), acceptedAt: at });
    else if (kind === 'held') oldHeld.push({ tool, hash, definition: JSON.parse(data), seenAt: at });
    else if (kind === 'setting') settings.push({ tool, ...JSON.parse(data) });
    else if (kind === 'replica') replicas.push({ holder: key, listId: hash, seenAt: at, isSilent: false });
    else if (kind === 'listed') listedAt = at;
    // Only `switch` writes it.
    else if (kind === 'switch') lastSwitch = { wish: hash as ServerSwitch['wish'], number: at, process: key };
    else if (kind === 'list')
      lists.push({ id: key, version: JSON.parse(hash), tools: new Map(JSON.parse(data)), listedAt: at });
    else if (accepted >= 0) older.push({ tool, hash, definition: JSON.parse(data), acceptedAt: accepted });
    else held.push({ tool, hash, definition: JSON.parse(data), seenAt: at });
  }
  lists.sort((one, other) => other.listedAt - one.listedAt);
  const common = { settings, listedAt, lastSwitch };
  // A process of an older release may have accepted a definition that is also stored here.
  const known = new Set(newest.map(keyOf));
  const pins = [...older.filter((pin) => !known.has(keyOf(pin))), ...newest].toSorted((one, other) =>
    one.tool < other.tool ? -1 : one.tool > other.tool ? 1 : 0,
  );
  for (const pin of pins) known.add(keyOf(pin));
  if (lists.length > 0)
    return { pins, held: held.filter((tool) => !known.has(keyOf(tool))), lists, replicas, ...common };
  const waiting = oldHeld.filter(({ hash }) => hash !== goneHash);
  const list = listOfOlderRelease(newest, oldHeld, listedAt);
  return { pins, held: waiting, lists: list ? [list] : [], replicas: [], ...common };
}

/** In `held_tools`, marks a tool that the server no longer lists. */
const goneHash = '';

function listOfOlderRelease(
  pins: readonly ToolPin[],
  held: readonly HeldTool[],
  listedAt: number | null,
): ToolList | undefined {
  if (pins.length + held.length === 0) return undefined;
  const tools = new Map([...pins, ...held].map(({ tool, hash }) => [tool, hash]));
  for (const { tool, hash } of held) if (hash === goneHash) tools.delete(tool);
  return { id: '', version: null, tools, listedAt: listedAt ?? 0 };
}

/** Writes the differences. The caller has raised the `servers` counter, which admits one writer at a time. */
export async function writeMemory(
  write: Write,
  server: string,
  { before, after }: { before: ServerMemory; after: ServerMemory },
): Promise<void> {
  const { db } = write;
  const memory = await claimMemory(db, server, after.listedAt);
  await writePins(db, server, { before, after });
  await writeDefinitions(db, { memory, server }, after);
  await writeLists(db, { memory, server }, { before, after });
}

/** Returns the id under which the rows of this server are stored, and forgets those of a former server with its name. */
async function claimMemory(db: Kysely<Tables>, server: string, listedAt: number | null): Promise<string> {
  const row = await db.selectFrom('server_lists').select('memory').where('server', '=', server).executeTakeFirst();
  const memory = row?.memory ?? newId('memory');
  if (row?.memory !== memory) await deleteVersions(db, server);
  if (listedAt === null) return memory;
  await db
    .insertInto('server_lists')
    .values({ server, listed_at: listedAt, memory })
    .onConflict((conflict) => conflict.column('server').doUpdateSet({ listed_at: listedAt, memory }))
    .execute();
  return memory;
}

/** Notes that an unchanged list was read again. Announces nothing. */
export async function touchList({ db }: Write, server: string, listedAt: number): Promise<void> {
  await db.updateTable('server_lists').set({ listed_at: listedAt }).where('server', '=', server).execute();
}

type Change = { before: ServerMemory; after: ServerMemory };
type Owner = { memory: string; server: string };

/** Rows with the same hash stay, and keep their time. */
async function writePins(db: Kysely<Tables>, server: string, { before, after }: Change): Promise<void> {
  const old = newestPins(before.pins);
  const current = newestPins(after.pins);
  const added = [...current].filter(([key, { hash }]) => old.get(key)?.hash !== hash);
  const removed = [...old.keys()].filter((key) => !current.has(key));
  const touched = [...removed, ...added.map(([key]) => key)];
  await deleteTools(db, 'tool_pins', server, touched);
  // For processes of older releases, which would go on holding the tool.
  await deleteTools(db, 'held_tools', server, touched);
  for (const pins of slices(added, rowsAtOnce)) {
    const rows = pins.map(([tool, pin]) => ({
      server,
      tool,
      hash: pin.hash,
      accepted_at: pin.acceptedAt,
      definition: JSON.stringify(pin.definition),
    }));
    await db.insertInto('tool_pins').values(rows).execute();
  }
}

/** If a tool has several pins, the last one counts. */
function newestPins(pins: readonly ToolPin[]): Map<string, ToolPin> {
  return new Map(pins.map((pin) => [toToolKey(pin.tool), pin]));
}

/** Writes everything that is not in `tool_pins`. */
async function writeDefinitions(db: Kysely<Tables>, owner: Owner, after: ServerMemory): Promise<void> {
  const inPins = newestPins(after.pins);
  const wanted = new Map<string, Tables['tool_definitions']>();
  for (const { tool, hash, definition, ...times } of [...after.pins, ...after.held]) {
    const key = toToolKey(tool);
    if (inPins.get(key)?.hash === hash) continue;
    const isAccepted = 'acceptedAt' in times;
    const at = isAccepted ? times.acceptedAt : times.seenAt;
    const row = { ...owner, tool: key, hash, seen_at: at, accepted_at: isAccepted ? at : null };
    // What an older release holds stays where that release keeps it.
    if (!isAccepted && after.lists.every(({ id }) => id === '')) continue;
    wanted.set(keyOf({ tool: key, hash }), { ...row, definition: JSON.stringify(definition) });
  }
  const stored = await db
    .selectFrom('tool_definitions')
    .select(['tool', 'hash', 'accepted_at'])
    .where('server', '=', owner.server)
    .execute();
  const same = stored.filter((row) => {
    const next = wanted.get(keyOf(row));
    return next && (next.accepted_at === null) === (row.accepted_at === null);
  });
  const sameKeys = new Set(same.map(keyOf));
  const changed = stored.filter((row) => !sameKeys.has(keyOf(row)));
  for (const { tool, hash } of changed) {
    await db
      .deleteFrom('tool_definitions')
      .where('server', '=', owner.server)
      .where('hash', '=', hash)
      .where('tool', '=', tool)
      .execute();
  }
  const added = [...wanted].filter(([key]) => !sameKeys.has(key)).map(([, row]) => row);
  for (const rows of slices(added, rowsAtOnce)) await db.insertInto('tool_definitions').values(rows).execute();
}

async function writeLists(db: Kysely<Tables>, { memory, server }: Owner, { before, after }: Change): Promise<void> {
  const old = new Map(before.lists.map((list) => [list.id, list.listedAt]));
  const current = new Map(after.lists.map((list) => [list.id, list.listedAt]));
  for (const [id, listedAt] of old)
    if (current.get(id) !== listedAt) await ownRows(db.deleteFrom('tool_lists')).where('id', '=', id).execute();
  for (const { id, version, tools, listedAt } of after.lists) {
    if (id === '' || old.get(id) === listedAt) continue;
    const names = [...tools];
    const row = { memory, server, id, version: JSON.stringify(version), tools: JSON.stringify(names) };
    await db
      .insertInto('tool_lists')
      .values({ ...row, listed_at: listedAt })
      .execute();
  }
  const seen = new Map(before.replicas.map((replica) => [replica.holder, replica.listId]));
  const seeing = new Map(after.replicas.map((replica) => [replica.holder, replica.listId]));
  for (const [holder, listId] of seen)
    if (seeing.get(holder) !== listId)
      await ownRows(db.deleteFrom('server_replicas')).where('holder', '=', holder).execute();
  for (const { holder, listId, seenAt } of after.replicas) {
    if (seen.get(holder) === listId) continue;
    await db
      .insertInto('server_replicas')
      .values({ memory, server, holder, list_id: listId, seen_at: seenAt })
      .execute();
  }

  function ownRows<Q extends { where(column: 'server' | 'memory', operator: '=', value: string): Q }>(query: Q): Q {
    return query.where('server', '=', server).where('memory', '=', memory);
  }
}

export async function writeSetting(db: Kysely<Tables>, server: string, setting: ToolSetting): Promise<void> {
  const { tool: name, ...data } = setting;
  const tool = toToolKey(name);
  await db.deleteFrom('tool_settings').where('server', '=', server).where('tool', '=', tool).execute();
  await db
    .insertInto('tool_settings')
    .values({ server, tool, data: JSON.stringify(data) })
    .execute();
}

export async function deleteMemory(db: Kysely<Tables>, server: string): Promise<void> {
  for (const table of ['tool_pins', 'held_tools', 'tool_settings', 'server_lists', 'server_switches'] as const) {
    await db.deleteFrom(table).where('server', '=', server).execute();
  }
  await deleteVersions(db, server);
}

async function deleteVersions(db: Kysely<Tables>, server: string): Promise<void> {
  for (const table of ['tool_definitions', 'tool_lists', 'server_replicas'] as const) {
    await db.deleteFrom(table).where('server', '=', server).execute();
  }
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

function keyOf({ tool, hash }: { tool: string; hash: string }): string {
  return `${hash} ${tool}`;
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
    server_lists: ServerListRow;
    tool_pins: ToolPinRow;
    held_tools: HeldToolRow;
    tool_definitions: ToolDefinitionRow;
    tool_lists: ToolListRow;
    server_replicas: ServerReplicaRow;
    tool_settings: ToolSettingRow;
    server_switches: ServerSwitchRow;
  }
}

interface ServerListRow {
  server: string;
  listed_at: number;
  /** Null until a release with versions has stored something. */
  memory: string | null;
}

/** `tool` has the form that `toToolKey` returns, and is unique per server. */
interface ToolPinRow {
  server: string;
  tool: string;
  hash: string;
  accepted_at: number;
  definition: string;
}

/** Written by older releases only. */
interface HeldToolRow {
  server: string;
  tool: string;
  hash: string;
  seen_at: number;
  definition: string;
}

/** `memory` must be that of the server's list, as in the tables below. Otherwise the row belongs to a former server of the name. */
interface ToolDefinitionRow {
  memory: string;
  server: string;
  tool: string;
  hash: string;
  seen_at: number;
  accepted_at: number | null;
  definition: string;
}

interface ToolListRow {
  memory: string;
  server: string;
  id: string;
  /** JSON. */
  version: string;
  listed_at: number;
  /** JSON: pairs of names and hashes. */
  tools: string;
}

interface ServerReplicaRow {
  memory: string;
  server: string;
  holder: string;
  list_id: string;
  seen_at: number;
}

interface ServerSwitchRow {
  server: string;
  wish: string;
  number: number;
  process: string;
}

interface ToolSettingRow {
  server: string;
  tool: string;
  data: string;
}
