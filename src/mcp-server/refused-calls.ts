import type { IncomingMessage } from 'node:http';
import type { HubError } from '../base/hub-error.ts';
import { parseJson } from '../base/json.ts';
import type { Hub } from '../hub.ts';
import { isObject } from './protocol.ts';
import { provenCaller } from './proven-caller.ts';
import { readBody } from './read-body.ts';

/** No batch holds more. */
const mostCalls = 100;

/**
 * Reads the body of a request that is refused, for the log: a tool that is called by who proves to be nobody, or names nobody,
 * leaves its row as every call does. Throws UNAVAILABLE when it cannot be written.
 */
export async function logRefusedCalls(hub: Hub, request: IncomingMessage, error: HubError): Promise<void> {
  const caller = await provenCaller(hub, 'mcp', request);
  for (const { name, input } of await readToolCalls(request)) {
    const outcome = await hub.refuse({ caller, tool: name, input }, error);
    if (!outcome.ok && outcome.error.code === 'UNAVAILABLE') throw outcome.error;
  }
}

/** None where the body cannot be read. */
async function readToolCalls(request: IncomingMessage): Promise<{ name: string; input: unknown }[]> {
  let body: unknown;
  try {
    body = parseJson(await readBody(request));
  } catch {
    return [];
  }
  const messages = (Array.isArray(body) ? body : [body]).slice(0, mostCalls).filter(isObject);
  return messages.flatMap(({ method, params }) => {
    const { name, arguments: input } = isObject(params) ? params : {};
    return method === 'tools/call' && typeof name === 'string' ? [{ name, input }] : [];
  });
}
