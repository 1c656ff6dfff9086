import { HubError } from '../base/hub-error.ts';
import type { ServerMemory, ServerMemoryChange } from './server-store.ts';
import { goneHash } from './trust.ts';

export type Acceptance = readonly { tool: string; hash?: string | undefined }[];

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
