import type { IncomingMessage } from 'node:http';
import { HubError, isStorageError } from '../../base/hub-error.ts';
import { nobody, toCaller } from '../../callers/callers.ts';
import type { Callers } from '../../callers/create-callers.ts';
import type { Calls } from '../../hub/calls.ts';
import type { Caller } from '../../tools/caller.ts';
import { isObject } from '../protocol/protocol.ts';

interface RefusingParts extends Pick<Calls, 'resolveCaller' | 'refuse'> {
  callers: Pick<Callers, 'identify'>;
}

/** Stands in the log for the tool of a refused call whose body was too large to be read. */
export const unreadTool = 'unknown';

/** Returns what the log shows instead of a body that could not be read. */
export function unreadCall(error: unknown): unknown {
  const isTooLarge = error instanceof HubError && error.code === 'TOO_LARGE';
  return isTooLarge ? { method: 'tools/call', params: { name: unreadTool } } : undefined;
}

/** The maximum size of a batch. */
const maxCalls = 100;

/**
 * Logs the tool calls of a request whose caller could not be identified, because the log has an entry for every call. Throws
 * UNAVAILABLE, STORAGE_FULL or STORAGE_FAILED if the log cannot be written.
 */
export async function logRefusedCalls(
  calls: RefusingParts,
  request: IncomingMessage,
  { body, error }: { body: unknown; error: HubError },
): Promise<void> {
  const caller = await provenCaller(calls, 'mcp', request);
  for (const { name, input } of toolCallsOf(body)) {
    const outcome = await calls.refuse({ caller, tool: name, input }, error);
    if (!outcome.ok && (outcome.error.code === 'UNAVAILABLE' || isStorageError(outcome.error))) throw outcome.error;
  }
}

function toolCallsOf(body: unknown): { name: string; input: unknown }[] {
  const messages = (Array.isArray(body) ? body : [body]).slice(0, maxCalls).filter(isObject);
  return messages.flatMap(({ method, params }) => {
    const { name, arguments: input } = isObject(params) ? params : {};
    return method === 'tools/call' && typeof name === 'string' ? [{ name, input }] : [];
  });
}

/** Returns the owner of the token for the log of a refused call. It may have claimed to be another member. */
export async function provenCaller(
  { callers, resolveCaller }: Omit<RefusingParts, 'refuse'>,
  surface: Caller['surface'],
  request: IncomingMessage,
): Promise<Caller> {
  try {
    return await resolveCaller({ surface, from: await callers.identify(request) });
  } catch {
    // The credential identifies nobody.
    return toCaller(surface, nobody);
  }
}
