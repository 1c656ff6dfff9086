import { HubError } from '../base/hub-error.ts';
import { canonicalJson } from '../base/json.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { HeldTool, ServerMemory, ServerMemoryChange, ToolPin } from './server-store.ts';
import type { RemoteTool } from './supervise/server-connection.ts';

/** The hash of an accepted tool that the server no longer lists. Such a tool is held, so that every process knows of it. */
export const goneHash = '';

export type HashedTool = Omit<ToolPin, 'acceptedAt'>;

/** Hashes each whole definition; the order of its keys does not matter. */
export async function hashTools(tools: readonly RemoteTool[]): Promise<HashedTool[]> {
  const { createHash } = await import('node:crypto');
  return tools.map((definition) => ({
    tool: definition.name,
    hash: createHash('sha256').update(canonicalJson(definition)).digest('hex'),
    definition,
  }));
}

/**
 * Compares a new list with the pins and returns what to store. The first list is accepted, unless `trust` is `ask`. In later lists, new
 * and changed tools are held, and missing tools stay marked as gone until the user accepts that.
 */
export function reviewList(
  trust: ServerDefinition['trust'],
  memory: Pick<ServerMemory, 'pins' | 'held' | 'listedAt'>,
  listed: readonly HashedTool[],
): ServerMemoryChange {
  const pins = new Map(memory.pins.map((pin) => [pin.tool, pin]));
  const names = new Set(listed.map(({ tool }) => tool));
  const removedPins = memory.pins.filter(({ tool }) => !names.has(tool));
  const different = listed.filter(({ tool, hash }) => pins.get(tool)?.hash !== hash);
  if (trust === 'always')
    return { accept: different, drop: removedPins.map(({ tool }) => tool), held: [], isListed: true };
  const isFirst = memory.listedAt === null && trust === 'first-use';
  // Pins count even if `listedAt` was lost: a changed tool is never accepted automatically.
  const accept = isFirst ? different.filter(({ tool }) => !pins.has(tool)) : [];
  const accepted = new Set(accept);
  return {
    accept,
    drop: [],
    held: [
      ...different.filter((tool) => !accepted.has(tool)),
      ...removedPins.map(({ tool, definition }) => ({ tool, hash: goneHash, definition })),
    ],
    isListed: true,
  };
}

/** Tells whether the change leaves pins and held tools as they are. */
export function changesNothing(change: ServerMemoryChange, held: readonly HeldTool[]): boolean {
  if (change.accept.length > 0 || change.drop.length > 0 || change.held.length !== held.length) return false;
  const before = new Map(held.map(({ tool, hash }) => [tool, hash]));
  return change.held.every(({ tool, hash }) => before.get(tool) === hash);
}

type Acceptance = readonly { tool: string; hash?: string | undefined }[];

/**
 * Returns what to store when the user accepts tools: new and changed tools are pinned as proposed, gone ones are forgotten. Without
 * `wanted`, accepts every held tool. Throws NOT_FOUND, and CONFLICT if the server no longer proposes what the user saw.
 */
export function acceptTools(server: string, memory: ServerMemory, wanted: Acceptance | undefined): ServerMemoryChange {
  const held = new Map(memory.held.map((each) => [each.tool, each]));
  const pins = new Map(memory.pins.map((pin) => [pin.tool, pin]));
  const named = wanted ?? memory.held.map(({ tool }) => ({ tool, hash: undefined }));
  const accept: ServerMemoryChange['accept'][number][] = [];
  const drop: string[] = [];
  for (const { tool, hash } of named) {
    const waiting = held.get(tool);
    const pin = pins.get(tool);
    if (!waiting && !pin) throw new HubError('NOT_FOUND', `The server "${server}" has no tool "${tool.slice(0, 80)}".`);
    const isGone = waiting?.hash === goneHash;
    const current = waiting && !isGone ? waiting.hash : pin?.hash;
    if (hash !== undefined && hash !== current && !(isGone && hash === goneHash))
      throw changedMeanwhile(server, tool, current);
    if (waiting && isGone) drop.push(tool);
    else if (waiting) accept.push({ tool, hash: waiting.hash, definition: waiting.definition });
    held.delete(tool);
  }
  const rest = [...held.values()].map(({ tool, hash, definition }) => ({ tool, hash, definition }));
  return { accept, drop, held: rest, isListed: false };
}

function changedMeanwhile(server: string, tool: string, current: string | undefined): HubError {
  return new HubError(
    'CONFLICT',
    `The server "${server}" has changed its proposal for "${tool.slice(0, 80)}". Review it again.`,
    { details: { tool, hash: current ?? null } },
  );
}
