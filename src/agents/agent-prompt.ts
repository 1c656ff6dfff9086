import { compileGlobs } from '../base/glob.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { Agent } from './agent.ts';
import { compilePrompt } from './compile-prompt.ts';
import type { ContextItem } from './context.contract.ts';

export interface PromptMessage {
  role: 'user' | 'assistant' | 'system';
  /** Text, or one content block (an image, a resource). */
  content: string | ContentBlock;
}

/** An agent resolved for a conversation. */
export interface AgentPrompt {
  system: string;
  tools: string[];
  messages: PromptMessage[];
  /** The files and pages that the agent names: in the prompt, or as links. */
  context?: readonly ContextItem[] | undefined;
  /** The source of the text from outside in the prompt; undefined if there is none. */
  outside?: readonly string[] | undefined;
}

export type PromptArguments = Record<string, string>;

/**
 * Resolves an agent without its own code: compiles the prompt and fills `{argument}` with the given values. The identity line
 * belongs to an injection and to `agent_zoo_*` tools: otherwise, a persona whose scope has none of them gets its text as written.
 */
export function resolveStatically(
  agent: Agent,
  args: PromptArguments,
  {
    isConversation,
    isInjection = false,
  }: { isConversation?: boolean | undefined; isInjection?: boolean | undefined } = {},
): AgentPrompt {
  const fill = (text: string) => fillArguments(agent, args, text, (whole) => whole);
  const filled =
    agent.arguments.length === 0
      ? agent
      : {
          ...agent,
          systemPrompt: fill(agent.systemPrompt),
          skills: agent.skills.map((skill) => ({ ...skill, description: fill(skill.description) })),
          rules: agent.rules.map((rule) => ({ ...rule, text: fill(rule.text) })),
          references: agent.references.map((reference) => ({ ...reference, text: fill(reference.text) })),
        };
  const { text } = compilePrompt(filled, { isConversation, hasIdentity: isInjection || usesZooTools(agent) });
  return { system: text, tools: [...agent.tools], messages: [] };
}

/** The tools that take the `agentId` of the identity line. */
export const zooToolNames = [
  'agent_zoo_inject',
  'agent_zoo_list_agents',
  'agent_zoo_get_agent',
  'agent_zoo_create_brain_entry',
  'agent_zoo_update_brain_entry',
  'agent_zoo_delete_brain_entry',
  'agent_zoo_query_brain_entries',
] as const;

function usesZooTools({ tools }: Pick<Agent, 'tools'>): boolean {
  if (tools.length === 0) return false;
  const scope = compileGlobs(tools);
  return zooToolNames.some((name) => scope.find(name) !== undefined);
}

/** Replaces each `{argument}` by its value, in one pass. `missing` returns the text for a declared argument without a value. */
export function fillArguments(
  agent: Pick<Agent, 'arguments'>,
  args: PromptArguments,
  text: string,
  missing: (whole: string) => string,
): string {
  return text.replace(/\{([A-Za-z_][A-Za-z0-9_-]*)\}/g, (whole, name: string) => {
    if (!agent.arguments.some((argument) => argument.name === name)) return whole;
    return Object.hasOwn(args, name) ? (args[name] ?? whole) : missing(whole);
  });
}
