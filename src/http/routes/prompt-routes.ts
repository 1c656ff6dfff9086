import { z } from 'zod';
import type { PromptArguments } from '../../agents/agent-prompt.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Hub } from '../../hub.ts';
import { PromptAgentListBody, PromptBody } from '../api-schemas.ts';
import { defineRoute, type Route } from '../route.ts';

const group = 'Prompts';
const Arguments = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const PromptRequest = z.union([z.object({ arguments: Arguments }), Arguments]);

/** Seed 002 §7: for clients that do not speak MCP. */
export function promptRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/agents/list',
      group,
      summary: 'List agents and their arguments',
      answer: { status: 200, description: 'The agents; `name` is the id.', schema: PromptAgentListBody },
      handle: async ({ context }) => {
        await hub.agents.refresh();
        const agents = hub.agents.list().map((agent) => ({
          name: agent.id,
          description: agent.description,
          tools: agent.tools,
          source: agent.source,
          arguments: agent.arguments,
        }));
        return context.json({ agents });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/agents/{name}/prompt',
      hasOwnLimits: true,
      group,
      summary: "Resolve an agent's prompt",
      description: 'The arguments stand under `arguments`, or are the body itself. An empty body gives none.',
      body: { schema: PromptRequest, isOptional: true, example: { arguments: { service: 'payments-api' } } },
      answer: { status: 200, description: 'The prompt.', schema: PromptBody },
      errors: [400, 404, 408, 500],
      handle: async ({ context, param, body, signal }) => {
        const result = await hub.agents.resolve(param('name'), readArguments(body), { signal });
        return context.json({ result });
      },
    }),
  ];
}

/** Throws INVALID_ARGUMENTS for a value that has no plain text. */
function readArguments(body: unknown): PromptArguments {
  const given = unwrap(body === undefined || body === null ? {} : asObject(body, 'The body'));
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toText(name, value)]));
}

/** No argument is an object or null, so `arguments` with one of them holds the others. */
function unwrap({ arguments: inner, ...others }: Record<string, unknown>): Record<string, unknown> {
  if (typeof inner !== 'object') return inner === undefined ? others : { arguments: inner, ...others };
  const [extra] = Object.keys(others);
  if (extra === undefined) return inner === null ? {} : asObject(inner, 'arguments');
  throw new HubError(
    'INVALID_ARGUMENTS',
    `"${extra.slice(0, 80)}" stands beside "arguments": put every argument inside it, or leave it out.`,
  );
}

function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new HubError('INVALID_ARGUMENTS', `Argument "${name.slice(0, 80)}" must be a string.`, {
    details: { argument: name.slice(0, 80) },
  });
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new HubError('INVALID_ARGUMENTS', `${what} must be a JSON object.`);
}
