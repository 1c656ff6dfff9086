import { z } from 'zod';
import { filledLine, text } from './text-fields.ts';

export const promptItemLimits = { items: 500, text: 200_000 } as const;

/**
 * A rule (how to work) or a reference (what to know) of an agent. `include` says when the model gets it: `always`, `agent` if it is among
 * those that fit a message best, `manual` if a message names it.
 */
export const PromptItem = z.strictObject({
  name: filledLine(120),
  description: text(4_000).default(''),
  /** The lowest number comes first. */
  priority: z.int().min(0).max(999).default(500),
  text: text(promptItemLimits.text),
  include: z.enum(['always', 'agent', 'manual']).default('manual'),
});
export type PromptItem = z.infer<typeof PromptItem>;

/** What decides when items reach the model. */
export interface WithItems {
  rules?: readonly PromptItem[];
  references?: readonly PromptItem[];
  modelSettings?: Readonly<Record<string, unknown>>;
}

/** TsAgent's default. */
const defaultCount = 5;

/** Returns how many of the items with `include: agent` go with a message. */
export function countForMessage({ modelSettings = {} }: WithItems): number {
  const { contextTopN } = modelSettings;
  return typeof contextTopN === 'number' && contextTopN >= 0 ? Math.trunc(contextTopN) : defaultCount;
}

/**
 * Returns whether an item is in the system prompt. In a conversation, items with `include: agent` are chosen for each message, unless
 * there are so few that every message would get all of them. Outside a conversation nobody could choose.
 */
export function inSystemPrompt(agent: WithItems, { isConversation }: { isConversation: boolean }) {
  const offered = [...(agent.rules ?? []), ...(agent.references ?? [])].filter(({ include }) => include === 'agent');
  const hasAll = !isConversation || offered.length <= countForMessage(agent);
  return ({ include }: PromptItem): boolean => include === 'always' || (include === 'agent' && hasAll);
}

/** Returns the items in the order in which the model gets them. */
export function byPriority<T extends Pick<PromptItem, 'name' | 'priority'>>(items: readonly T[]): T[] {
  return items.toSorted((one, other) => one.priority - other.priority || (one.name < other.name ? -1 : 1));
}
