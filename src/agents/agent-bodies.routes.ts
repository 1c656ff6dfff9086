import { toIso } from '../base/clock.ts';
import type { Agent } from './agent.ts';
import type { AgentEntry } from './agent-source.ts';
import type { StoredAgent } from './agent-store.ts';
import type { AgentDetail, AgentSummary } from './agents.contract.ts';
import { enabledSkills } from './compile-prompt.ts';

export function toSummary(entry: AgentEntry): AgentSummary {
  const { agent, place } = entry;
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    mode: agent.mode,
    source: agent.source,
    place,
    editable: isEditable(agent),
    version: agent.version,
    skills: { total: agent.skills.length, enabled: enabledSkills(agent).length },
    categories: agent.skillCategories.map(({ name, color }) => ({ name, color })),
    tools: agent.tools,
    argumentCount: agent.arguments.length,
    revision: entry.revision ?? null,
    updatedAt: isoOrNull(entry.updatedAt),
  };
}

export function entryDetail(entry: AgentEntry): AgentDetail {
  return {
    ...entry.agent,
    place: entry.place,
    editable: isEditable(entry.agent),
    revision: entry.revision ?? null,
    createdAt: null,
    updatedAt: isoOrNull(entry.updatedAt),
  };
}

export function storedDetail(stored: StoredAgent): AgentDetail {
  return {
    ...stored.agent,
    place: 'the store',
    editable: true,
    revision: stored.revision,
    createdAt: toIso(stored.createdAt),
    updatedAt: toIso(stored.updatedAt),
  };
}

function isEditable(agent: Agent): boolean {
  return agent.source === 'store';
}

function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : toIso(at);
}
