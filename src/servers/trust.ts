import { HubError } from '../base/hub-error.ts';
import { canonicalJson } from '../base/same-json.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { HeldTool, ServerMemory, ServerMemoryChange, ToolPin } from './server-store.ts';
import type { RemoteTool } from './supervise/server-connection.ts';

/** Stands for the hash of a tool that was accepted once and is no longer listed; it is held, so that every process knows. */
export const goneHash = '';

export type HashedTool = Omit<ToolPin, 'acceptedAt'>;

/** The hash is of the whole definition, whatever the order of its keys. */
export async function hashTools(tools: readonly RemoteTool[]): Promise<HashedTool[]> {
  const { createHash } = await import('node:crypto');
  return tools.map((definition) => ({
    tool: definition.name,
    hash: createHash('sha256').update(canonicalJson(definition)).digest('hex'),
    definition,
  }));
}

/**
 * What a new list means. The first list is accepted, but where a person wants to be asked; later on, what is new or changed
 * is held back, and what is gone stays marked until a person says so.
 */
export function judgeList(
  trust: ServerDefinition['trust'],
  memory: Pick<ServerMemory, 'pins' | 'held' | 'listedAt'>,
  listed: readonly HashedTool[],
): ServerMemoryChange {
  const pins = new Map(memory.pins.map((pin) => [pin.tool, pin]));
  const names = new Set(listed.map(({ tool }) => tool));
  const gone = memory.pins.filter(({ tool }) => !names.has(tool));
  const other = listed.filter(({ tool, hash }) => pins.get(tool)?.hash !== hash);
  if (trust === 'always') return { accept: other, drop: gone.map(({ tool }) => tool), held: [], isListed: true };
  const isFirst = memory.listedAt === null && trust === 'first-use';
  // A pin that is already there outlives a lost time of listing: a changed tool is never accepted by itself.
  const accept = isFirst ? other.filter(({ tool }) => !pins.has(tool)) : [];
  const taken = new Set(accept);
  return {
    accept,
    drop: [],
    held: [
      ...other.filter((tool) => !taken.has(tool)),
      ...gone.map(({ tool, definition }) => ({ tool, hash: goneHash, definition })),
    ],
    isListed: true,
  };
}

/** Whether it would leave pins and held tools as they are. */
export function changesNothing(change: ServerMemoryChange, held: readonly HeldTool[]): boolean {
  if (change.accept.length > 0 || change.drop.length > 0 || change.held.length !== held.length) return false;
  const before = new Map(held.map(({ tool, hash }) => [tool, hash]));
  return change.held.every(({ tool, hash }) => before.get(tool) === hash);
}

type Acceptance = readonly { tool: string; hash?: string | undefined }[];

/**
 * What a person's yes means: new and changed tools are pinned as they are proposed, gone ones are forgotten. Without names all
 * that waits. Throws NOT_FOUND, and CONFLICT when the server proposes something else than the person saw.
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
    `The server "${server}" proposes something else for "${tool.slice(0, 80)}" by now. Look at it again.`,
    { details: { tool, hash: current ?? null } },
  );
}
