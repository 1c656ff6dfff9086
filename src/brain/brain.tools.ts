import { z } from 'zod';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { text } from '../agents/text-fields.ts';
import { HubError } from '../base/hub-error.ts';
import type { Caller } from '../tools/caller.ts';
import { defineReadingTool, defineTool, type Tool } from '../tools/tool.ts';
import { BrainEntry, BrainEntryChange, BrainQuery, type BrainStore, NewBrainEntry } from './brain.ts';

const agentId = z.string().trim().min(1).max(200).describe('The agent that the brain belongs to.');
const entryId = text(200).min(1).describe('The id of the entry.');

/**
 * The tools for an agent's brain, its memory between conversations. A caller in the view of an agent, and a member of the team, reach
 * only the brain of that agent.
 */
export function brainTools(agents: AgentRegistry, brain: BrainStore): Tool[] {
  /** Returns the agent whose brain the caller asks for. Throws PERMISSION_DENIED, AGENT_NOT_FOUND. */
  async function ownerOf(id: string, { caller }: { caller: Caller }): Promise<string> {
    refuseOthers(id, caller);
    return (await agents.get(id)).agent.id;
  }
  return [
    defineTool({
      name: 'agent_zoo_create_brain_entry',
      title: 'Remember something',
      description:
        "Adds an entry to an agent's brain: a decision, a milestone, a note or a summary worth keeping for later conversations.",
      origin: 'built-in',
      right: 'use',
      hasDeadline: true,
      isMemory: true,
      requiresApproval: false,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      input: NewBrainEntry.extend({ agentId }),
      output: BrainEntry,
      run: async ({ agentId: id, ...entry }, context) => brain.create(await ownerOf(id, context), entry),
    }),
    defineTool({
      name: 'agent_zoo_update_brain_entry',
      title: 'Change a memory',
      description: "Changes an entry of an agent's brain. Omitted fields keep their values.",
      origin: 'built-in',
      right: 'use',
      hasDeadline: true,
      isMemory: true,
      requiresApproval: false,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      input: BrainEntryChange.extend({ agentId, entryId }),
      output: BrainEntry,
      run: async ({ agentId: id, entryId: entry, ...change }, context) =>
        found(await brain.update(await ownerOf(id, context), entry, change), id, entry),
    }),
    defineTool({
      name: 'agent_zoo_delete_brain_entry',
      title: 'Forget something',
      description: "Permanently deletes an entry from an agent's brain.",
      origin: 'built-in',
      right: 'use',
      hasDeadline: true,
      isMemory: true,
      requiresApproval: false,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      input: z.strictObject({ agentId, entryId }),
      output: z.object({ success: z.boolean(), entryId: z.string() }),
      run: async ({ agentId: id, entryId: entry }, context) => {
        found((await brain.delete(await ownerOf(id, context), entry)) || undefined, id, entry);
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
      run: async ({ agentId: id, ...query }, context) => ({
        agentId: id,
        entries: await brain.query(await ownerOf(id, context), query),
      }),
    }),
  ];
}

/** Throws the same error whether or not the other agent exists. */
function refuseOthers(agentId: string, { scope, member }: Caller): void {
  if (!scope && !member) return;
  const own = scope ? scope.agentId : member?.agent;
  if (agentId === own) return;
  const reach = own
    ? `Here, only the brain of agent "${own}" can be used: pass agentId "${own}".`
    : `The member "${member?.id}" is not an instance of an agent, so it has no brain.`;
  throw new HubError('PERMISSION_DENIED', `The brain of agent "${agentId.slice(0, 80)}" is out of reach. ${reach}`);
}

function found<T>(value: T | undefined, agent: string, entry: string): T {
  if (value !== undefined) return value;
  throw new HubError(
    'NOT_FOUND',
    `The brain of agent '${agent}' has no entry '${entry.slice(0, 80)}'. agent_zoo_query_brain_entries lists its entries.`,
  );
}
