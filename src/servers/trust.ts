import { HubError } from '../base/hub-error.ts';
import { canonicalJson } from '../base/json.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { AnnouncedVersion, HeldTool, ServerMemory, ToolList, ToolPin } from './server-store.ts';
import { isSeenBy, relevantLists, shownList, versionLabel } from './server-versions.ts';
import type { RemoteTool, ServerGreeting } from './supervise/server-connection.ts';

export type HashedTool = Omit<ToolPin, 'acceptedAt'>;

/** A list that was just read, with the definitions of its tools. */
export interface ReadList extends Pick<ToolList, 'id'> {
  version: AnnouncedVersion;
  tools: readonly HashedTool[];
}

/** A server chooses its name and version, so they may be of any length. */
const maxVersionLength = 100;
/** The maximum number of lists that are kept for versions that no process sees, so that a server can go back to one of them. */
const maxUnseenLists = 4;

/** Hashes each whole definition; the order of its keys does not matter. */
export async function hashTools(tools: readonly RemoteTool[]): Promise<HashedTool[]> {
  const { createHash } = await import('node:crypto');
  return tools.map((definition) => ({
    tool: definition.name,
    hash: createHash('sha256').update(canonicalJson(definition)).digest('hex'),
    definition,
  }));
}

/** Returns the list that a connection has read. If a name is listed twice, the first one counts. */
export async function toReadList(
  { name, version }: ServerGreeting['serverInfo'],
  listed: readonly RemoteTool[],
): Promise<ReadList> {
  const { createHash } = await import('node:crypto');
  const unique = new Map(listed.toReversed().map((tool) => [tool.name, tool]));
  const tools = await hashTools([...unique.values()].reverse());
  const announced = { name: cut(name), version: cut(version) };
  const hashes = tools.map(({ hash }) => hash).sort();
  const id = createHash('sha256')
    .update(canonicalJson([announced, hashes]))
    .digest('hex')
    .slice(0, 32);
  return { id, version: announced, tools };
}

function cut(text: unknown): string {
  return String(text ?? '')
    .toWellFormed()
    .slice(0, maxVersionLength)
    .toWellFormed();
}

export interface ReviewOptions {
  trust: ServerDefinition['trust'];
  /** The name of this process, if it stays; null for a command that ends soon. */
  holder: string | null;
  now: number;
}

/**
 * Returns the memory after a process has read a list. The first list of a server is accepted, unless `trust` is `ask`; it counts once,
 * not once per version. Later, a definition that was accepted for any version of the server is accepted for all: the user has read
 * it, and a version is only what the server says. Everything else is held. A missing tool keeps its pins until the user accepts
 * that it is gone.
 */
export function reviewList(memory: ServerMemory, read: ReadList, { trust, holder, now }: ReviewOptions): ServerMemory {
  const pins = Map.groupBy(memory.pins, ({ tool }) => tool);
  const different = read.tools.filter(({ tool, hash }) => !pins.get(tool)?.some((pin) => pin.hash === hash));
  const isFirst = memory.listedAt === null && trust === 'first-use';
  // Pins count even if `listedAt` was lost: a changed tool is never accepted automatically.
  const accept = trust === 'always' ? different : isFirst ? different.filter(({ tool }) => !pins.has(tool)) : [];
  const others = memory.replicas.filter((replica) => replica.holder !== holder);
  const self = { holder: holder ?? '', listId: read.id, seenAt: now, isSilent: false };
  const before = memory.replicas.find((replica) => replica.holder === holder);
  const replicas =
    holder === null ? memory.replicas : [...others, before?.listId === read.id ? { ...before, isSilent: false } : self];
  const lists = keepLists(memory, toToolList(memory, read, { others, now }), replicas);
  const held = [...memory.held, ...different.map((tool) => ({ ...tool, seenAt: now }))];
  const next = {
    ...memory,
    pins: [...memory.pins, ...accept.map((tool) => ({ ...tool, acceptedAt: now }))],
    lists,
    replicas,
    listedAt: now,
  };
  if (trust === 'always') next.pins = next.pins.filter((pin) => isListed(lists, pin));
  return { ...next, held: stillHeld(next, held) };
}

/** A list that is read again keeps its place, unless nobody sees the lists that appeared after it. */
function toToolList(
  memory: ServerMemory,
  { id, version, tools }: ReadList,
  { others, now }: { others: ServerMemory['replicas']; now: number },
): ToolList {
  const known = memory.lists.find((list) => list.id === id);
  const [newest] = memory.lists;
  const isInPlace = known && (known === newest || (newest && isSeenBy(others, newest)));
  const hashes = tools
    .map(({ tool, hash }) => [tool, hash] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { id, version, tools: new Map(hashes), listedAt: isInPlace ? known.listedAt : now };
}

/** Drops what this list replaces: older lists of the same version that nobody sees, and versions from long ago. */
function keepLists(memory: ServerMemory, list: ToolList, replicas: ServerMemory['replicas']): ToolList[] {
  const label = versionLabel(list);
  let unseen = 0;
  const others = memory.lists.filter((other) => {
    if (other.id === list.id || other.version === null) return false;
    if (replicas.some(({ listId }) => listId === other.id)) return true;
    if (versionLabel(other) === label) return false;
    unseen += 1;
    return unseen <= maxUnseenLists;
  });
  return [list, ...others].toSorted((one, other) => other.listedAt - one.listedAt);
}

/** Returns each held definition once that some list still has and nobody has accepted. */
function stillHeld({ lists, pins }: Pick<ServerMemory, 'lists' | 'pins'>, held: readonly HeldTool[]): HeldTool[] {
  const accepted = new Set(pins.map(keyOf));
  const left = new Map<string, HeldTool>();
  for (const tool of held) {
    const key = keyOf(tool);
    if (!left.has(key) && !accepted.has(key) && isListed(lists, tool)) left.set(key, tool);
  }
  return [...left.values()];
}

function isListed(lists: readonly ToolList[], { tool, hash }: { tool: string; hash: string }): boolean {
  return lists.some(({ tools }) => tools.get(tool) === hash);
}

function keyOf({ tool, hash }: { tool: string; hash: string }): string {
  return JSON.stringify([tool, hash]);
}

export interface Acceptance {
  /** Without it, everything that waits is accepted. */
  tools?: readonly { tool: string; hash?: string | undefined }[] | undefined;
  /** Accepts only what this version lists. */
  version?: string | undefined;
}

/**
 * Returns the memory after the user has accepted tools: new and changed definitions are pinned as proposed, gone tools are forgotten.
 * A pin that no list has any more is replaced; one that another version still lists stays beside the new one. `listId` is the list
 * that this process sees. Throws NOT_FOUND, and CONFLICT if the server no longer proposes what the user saw.
 */
export function acceptTools(
  server: string,
  memory: ServerMemory,
  { tools: wanted, version, listId, now }: Acceptance & { listId: string | undefined; now: number },
): ServerMemory {
  const own = shownList(memory, listId);
  const shown = relevantLists(memory, own).toReversed();
  const lists = version === undefined ? shown : shown.filter((list) => versionLabel(list) === version);
  if (lists.length === 0 && version !== undefined) throw unknownVersion(server, version, shown);
  const waiting = memory.held.filter((tool) => isListed(lists, tool));
  // The definition of this process's own version is accepted last.
  waiting.sort(
    (one, other) => Number(own?.tools.get(one.tool) === one.hash) - Number(own?.tools.get(other.tool) === other.hash),
  );
  const isGone = (tool: string) => version === undefined && !shown.some(({ tools }) => tools.has(tool));
  const names = new Set(memory.pins.map(({ tool }) => tool));
  const pinned = new Set(memory.pins.map(keyOf));
  const proposed = Map.groupBy(waiting, ({ tool }) => tool);
  const accept = new Map<string, HeldTool>();
  const drop = new Set<string>();
  for (const { tool, hash } of wanted ?? [...waiting, ...[...names].map((tool) => ({ tool, hash: undefined }))]) {
    const proposals = proposed.get(tool) ?? [];
    if (proposals.length === 0 && !names.has(tool))
      throw new HubError('NOT_FOUND', `The server "${server}" has no tool "${tool.slice(0, 80)}".`);
    const chosen = hash === undefined ? proposals : proposals.filter((each) => each.hash === hash);
    if (hash !== undefined && chosen.length === 0 && !pinned.has(keyOf({ tool, hash })))
      throw changedMeanwhile(server, tool, proposals[0]);
    for (const each of chosen) accept.set(keyOf(each), each);
    if (isGone(tool)) drop.add(tool);
  }
  const replaced = new Set([...accept.values()].map(({ tool }) => tool));
  const kept = memory.pins.filter(
    (pin) => !drop.has(pin.tool) && (!replaced.has(pin.tool) || isListed(memory.lists, pin)),
  );
  const added = [...accept.values()].map(({ tool, hash, definition }) => ({ tool, hash, definition, acceptedAt: now }));
  const pins = [...kept, ...added];
  return { ...memory, pins, held: stillHeld({ lists: memory.lists, pins }, memory.held) };
}

function changedMeanwhile(server: string, tool: string, current: HeldTool | undefined): HubError {
  return new HubError(
    'CONFLICT',
    `The server "${server}" has changed its proposal for "${tool.slice(0, 80)}". Review it again.`,
    { details: { tool, hash: current?.hash ?? null } },
  );
}

function unknownVersion(server: string, version: string, lists: readonly ToolList[]): HubError {
  const known = lists.map(versionLabel).join(', ') || 'none';
  return new HubError(
    'NOT_FOUND',
    `No process sees version "${version.slice(0, 80)}" of the server "${server}". Available: ${known}.`,
  );
}
