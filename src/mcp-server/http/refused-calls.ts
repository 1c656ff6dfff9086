import type { IncomingMessage } from 'node:http';
import { type HubError, isStorageError } from '../../base/hub-error.ts';
import { parseJson } from '../../base/json.ts';
import type { Calls } from '../../hub/calls.ts';
import type { Caller } from '../../tools/caller.ts';
import { isObject } from '../protocol/protocol.ts';
import { bearerToken, readBody } from './http-request.ts';

/** No batch holds more. */
const maxCalls = 100;

/** The body of a request that is refused; undefined where it cannot be read. */
export async function readRefusedBody(request: IncomingMessage): Promise<unknown> {
  try {
    return parseJson(await readBody(request));
  } catch {
    return undefined;
  }
}

/**
 * A tool that is called by who proves to be nobody, or names nobody, leaves its row in the log as every call does. Throws
 * UNAVAILABLE, STORAGE_FULL or STORAGE_FAILED when it cannot be written.
 */
export async function logRefusedCalls(
  calls: Calls,
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

/** For the log of a call that was refused: whose token it was that claimed to be somebody else. */
export async function provenCaller(
  calls: Pick<Calls, 'resolveCaller'>,
  surface: Caller['surface'],
  request: IncomingMessage,
): Promise<Caller> {
  try {
    const token = bearerToken(request);
    if (token !== undefined) return await calls.resolveCaller({ surface, token });
  } catch {
    // Nobody is proved.
  }
  return { surface };
}
