import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import { isObject } from './protocol.ts';

/** What a client must have declared before it may be asked this. */
function requiredFor(method: string, params: JsonObject): JsonObject {
  if (method === 'elicitation/create') return { elicitation: params.mode === 'url' ? { url: {} } : { form: {} } };
  if (method === 'sampling/createMessage')
    return { sampling: params.tools !== undefined || params.toolChoice !== undefined ? { tools: {} } : {} };
  return { roots: {} };
}

const words: Record<string, string> = {
  elicitation: 'ask its user this question',
  sampling: 'answer sampling requests',
  roots: 'list its roots',
};

/** UNAVAILABLE, with `details.requiredCapabilities`, when the client did not declare what the question needs. */
export function checkCapability(declared: JsonObject, method: string, params: JsonObject): HubError | undefined {
  const required = requiredFor(method, params);
  for (const [name, members] of Object.entries(required)) {
    const found = declared[name];
    if (isObject(found) && isObject(members) && Object.keys(members).every((member) => hasMember(name, found, member)))
      continue;
    return new HubError(
      'UNAVAILABLE',
      `This client cannot ${words[name]}. Call the tool from an MCP client that can.`,
      {
        details: { requiredCapabilities: required, retryable: false },
      },
    );
  }
  return undefined;
}

/** `elicitation: {}` is the older way to say "forms". */
function hasMember(name: string, found: JsonObject, member: string): boolean {
  if (found[member] !== undefined) return true;
  return name === 'elicitation' && member === 'form' && found.url === undefined;
}
