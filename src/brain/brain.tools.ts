import { z } from 'zod';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { text } from '../agents/text-fields.ts';
import { HubError } from '../base/hub-error.ts';
import { defineReadingTool, defineTool, type Tool } from '../tools/tool.ts';
import { BrainEntry, BrainEntryChange, BrainQuery, type BrainStore, NewBrainEntry } from './brain.ts';

const agentId = z.string().min(1).max(200).describe('The agent that the brain belongs to.');
const entryId = text(200).min(1).describe('The id of the entry.');

/** The tools for an agent's brain, its memory between conversations. */
export function brainTools(agents: AgentRegistry, brain: BrainStore): Tool[] {
  return [
    defineTool({
      name: 'agent_zoo_create_brain_entry',
      title: 'Remember something',
      description:
        "Adds an entry to an agent's brain: a decision, a milestone, a note or a summary worth keeping for later conversations.",
      origin: 'built-in',
      right: 'use',
      hasDeadline: true,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      input: NewBrainEntry.extend({ agentId }),
      output: BrainEntry,
      run: async ({ agentId: id, ...entry }) => brain.create((await agents.get(id)).agent.id, entry),
    }),
    defineTool({
      name: 'agent_zoo_update_brain_entry',
      title: 'Change a memory',
      description: "Changes an entry of an agent's brain. Omitted fields keep their values.",
      origin: 'built-in',
      right: 'use',
      hasDeadline: true,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      input: BrainEntryChange.extend({ agentId, entryId }),
      output: BrainEntry,
      run: async ({ agentId: id, entryId: entry, ...change }) =>
        found(await brain.update((await agents.get(id)).agent.id, entry, change), id, entry),
    }),
    defineTool({
      name: 'agent_zoo_delete_brain_entry',
      title: 'Forget something',
      description: "Permanently deletes an entry from an agent's brain.",
      origin: 'built-in',
      right: 'use',
      hasDeadline: true,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      input: z.strictObject({ agentId, entryId }),
      output: z.object({ success: z.boolean(), entryId: z.string() }),
      run: async ({ agentId: id, entryId: entry }) => {
        found((await brain.delete((await agents.get(id)).agent.id, entry)) || undefined, id, entry);
        return { success: true, entryId: entry };
      },
    }),
    defineReadingTool({
      name: 'agent_zoo_query_brain_entries',
      title: 'Recall',
      description:
        "Finds entries of an agent's brain by type, tags (any of them), dates and pinned state, newest first.",
      input: BrainQuery.extend({ agentId }),
      output: z.object({ agentId: z.string(), entries: z.array(BrainEntry) }),
      run: async ({ agentId: id, ...query }) => ({
        agentId: id,
        entries: await brain.query((await agents.get(id)).agent.id, query),
      }),
    }),
  ];
}

function found<T>(value: T | undefined, agent: string, entry: string): T {
  if (value !== undefined) return value;
  throw new HubError(
    'NOT_FOUND',
    `The brain of agent '${agent}' has no entry '${entry.slice(0, 80)}'. agent_zoo_query_brain_entries lists its entries.`,
  );
}
