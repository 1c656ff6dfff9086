import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { fieldIssues } from '../base/validate.ts';
import type { ContentBlock } from '../tools/content.ts';
import { type Agent, agentLimits } from './agent.ts';
import type { AgentPrompt } from './agent-prompt.ts';
import { text } from './text-fields.ts';

const Content = z.union([
  text(agentLimits.systemPrompt),
  z.looseObject({ type: z.enum(['text', 'image', 'audio', 'resource_link', 'resource']) }),
]);

const ReturnedPrompt = z.looseObject({
  system: text(agentLimits.systemPrompt),
  tools: z.array(text(128).min(1)).max(agentLimits.tools).optional(),
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: Content }))
    .max(1_000)
    .optional(),
});

/** Validates the prompt that an agent's code or script returned. Throws AGENT_ERROR that names agent, file, field and rule. */
export function parsePrompt(agent: Pick<Agent, 'id' | 'tools'>, returned: unknown, definedIn: string): AgentPrompt {
  const result = ReturnedPrompt.safeParse(returned);
  if (result.success) {
    const { system, tools, messages = [] } = result.data;
    return {
      system,
      tools: tools ?? [...agent.tools],
      // Only the type of a block is checked; the client interprets the rest.
      messages: messages.map(({ role, content }) => ({ role, content: content as string | ContentBlock })),
    };
  }
  const isTable = typeof returned === 'object' && returned !== null;
  const rules = fieldIssues(result.error).map(({ path, message }) => `${path}: ${message}`);
  const what = isTable ? rules.join('; ') : `expected a table with a "system" text, got ${kindOf(returned)}`;
  throw new HubError('AGENT_ERROR', `Agent "${agent.id}" (${definedIn}) returned an invalid prompt: ${what}`);
}

function kindOf(value: unknown): string {
  return value === null || value === undefined ? 'nothing' : `a ${typeof value}`;
}
