import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { visibleAgents } from '../callers/visible-agents.ts';
import { implement, type Route } from '../http/route.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { ArgumentValues } from './agent-source.ts';
import { promptsContract } from './prompts.contract.ts';

export function promptRoutes(agents: AgentRegistry): Route[] {
  return implement(promptsContract)({
    'GET /agents/list': async ({ caller }) => {
      await agents.refresh();
      const listed = visibleAgents(agents.list(), caller).map((agent) => ({
        name: agent.id,
        description: agent.description,
        tools: agent.tools,
        source: agent.source,
        arguments: agent.arguments,
      }));
      return { agents: listed };
    },
    'POST /agents/{name}/prompt': async ({ params, body, signal }) => ({
      result: await agents.resolve(params.name, readArguments(body), { signal }),
    }),
  });
}

function readArguments(body: unknown): ArgumentValues {
  return unwrap(body === undefined || body === null ? {} : asObject(body, 'The body'));
}

/** An `arguments` field with an object or null holds the arguments. */
function unwrap({ arguments: inner, ...others }: Record<string, unknown>): Record<string, unknown> {
  if (typeof inner !== 'object') return inner === undefined ? others : { arguments: inner, ...others };
  const [extra] = Object.keys(others);
  if (extra === undefined) return inner === null ? {} : asObject(inner, 'arguments');
  throw new HubError(
    'INVALID_ARGUMENTS',
    `The body has "${extra.slice(0, 80)}" next to "arguments". Put every argument inside "arguments", or leave "arguments" out.`,
  );
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (isRecord(value)) return { ...value };
  throw new HubError('INVALID_ARGUMENTS', `${what} must be a JSON object.`);
}
