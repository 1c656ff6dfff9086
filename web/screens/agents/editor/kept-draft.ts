import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { KeptTool } from '../tool-builder/offered-tools.ts';
import { changedFields, type Draft, type DraftState, pickFields, sameDraft, startDraft, toDraft } from './draft.ts';

/** The unsaved changes to an agent, as the browser stores them. */
export interface KeptDraft {
  /** The changed fields. */
  fields: Partial<Draft>;
  /** The same fields of the version that was edited. */
  before: Partial<Draft>;
  revision: number | null;
  /** Typed parts of offered tools that are not in the draft. */
  tools: readonly KeptTool[];
}

export function draftName(agentId: string): string {
  return `agent/${agentId}`;
}

export function toKept({ draft, saved }: DraftState, tools: readonly KeptTool[]): KeptDraft {
  const before = toDraft(saved);
  const changed = changedFields(draft, before);
  return { fields: pickFields(draft, changed), before: pickFields(before, changed), revision: saved.revision, tools };
}

/**
 * Returns the editor's state with the kept changes. If someone saved one of the same fields since, the state has a newer version,
 * so that saving asks. Their changes to other fields stay.
 */
export function restoreDraft(agent: AgentDetail, kept: KeptDraft): DraftState {
  const start = startDraft(agent);
  const saved = toDraft(agent);
  const draft = { ...saved, ...fitting(kept.fields, saved) };
  // JSON has no NaN, which stands for an emptied field.
  if (draft.contextBudget === null) draft.contextBudget = Number.NaN;
  if (sameDraft(draft, saved)) return start;
  const before = { ...saved, ...fitting(kept.before, saved) };
  if (kept.revision === agent.revision || sameDraft(before, saved)) return { ...start, draft };
  return { ...start, draft, saved: { ...agent, ...before, revision: kept.revision }, newer: agent };
}

/** Reads what the browser stored. */
export function readKept(value: unknown): KeptDraft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { fields, before, revision, tools } = value as Partial<KeptDraft>;
  if (typeof fields !== 'object' || typeof before !== 'object' || revision === undefined || !Array.isArray(tools))
    return undefined;
  return { fields, before, revision, tools };
}

/** Leaves out fields that this version of the app does not have. */
function fitting(fields: Partial<Draft>, saved: Draft): Partial<Draft> {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => Object.hasOwn(saved, field)));
}
