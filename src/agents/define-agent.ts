import { parseWith } from '../base/validate.ts';
import { Agent, type AgentInput } from './agent.ts';
import type { AgentPrompt, PromptArguments, PromptMessage } from './agent-prompt.ts';
import type { AgentEntry, ResolveContext } from './agent-source.ts';
import { textArguments } from './check-arguments.ts';

export interface CodeAgentDefinition extends Omit<AgentInput, 'id'> {
  /** Also the id. Use `title` for a different display name. */
  name: string;
  title?: string;
  /** Builds the prompt for a conversation. Without it, the system prompt and skills are compiled. */
  resolve?(args: PromptArguments, context: ResolveContext): Promise<CodeAgentPrompt> | CodeAgentPrompt;
}

interface CodeAgentPrompt {
  system?: string;
  tools?: string[];
  messages?: PromptMessage[];
}

/** Defines an agent in TypeScript, for `registry.register` or `createHub({ agents })`. Throws INVALID_ARGUMENTS. */
export function defineAgent(definition: CodeAgentDefinition): AgentEntry {
  const { resolve, title, name, ...rest } = definition;
  const agent = parseWith(
    Agent,
    { ...rest, id: name, name: title ?? name, source: 'code' },
    { what: `Agent "${String(name).slice(0, 80)}"` },
  );
  if (!resolve) return { agent, definedIn: 'code' };
  return {
    agent,
    definedIn: 'code',
    resolve: async (args, context): Promise<AgentPrompt> => {
      const prompt = await resolve(textArguments(args), context);
      return { system: prompt.system ?? '', tools: prompt.tools ?? [...agent.tools], messages: prompt.messages ?? [] };
    },
  };
}
