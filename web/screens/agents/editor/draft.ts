import type { Agent } from '../../../../src/agents/agent.ts';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';

/** The editable part of an agent. */
export type Draft = Omit<Agent, 'id' | 'source'>;
export type EditDraft = (draft: Draft) => Draft;

export interface DraftState {
  /** The version the draft started from. */
  saved: AgentDetail;
  draft: Draft;
  /** A version saved elsewhere while the draft had changes. */
  newer: AgentDetail | null;
  /** The issues the hub reported at the last save. */
  hubIssues: readonly FieldIssue[];
  /** Counts replacements of the draft, so that text editors load the new text. */
  loads: number;
}

export type DraftAction =
  | { type: 'edited'; edit: EditDraft }
  /** The hub saved `sent`; later edits stay. */
  | { type: 'saved'; agent: AgentDetail; sent: Draft }
  | { type: 'refused'; issues: readonly FieldIssue[] }
  /** A version fetched from the hub, whoever saved it. */
  | { type: 'arrived'; agent: AgentDetail }
  /** Replaces the draft. */
  | { type: 'loaded'; agent: AgentDetail }
  /** Bases the draft, which has been merged with this version, on it. */
  | { type: 'merged'; agent: AgentDetail; draft: Draft }
  | { type: 'discarded' };

export function startDraft(agent: AgentDetail): DraftState {
  return { saved: agent, draft: toDraft(agent), newer: null, hubIssues: [], loads: 0 };
}

export function reduceDraft(state: DraftState, action: DraftAction): DraftState {
  switch (action.type) {
    case 'edited': {
      const draft = action.edit(state.draft);
      return draft === state.draft ? state : { ...state, draft, hubIssues: [] };
    }
    case 'saved':
      return {
        ...state,
        saved: action.agent,
        draft: state.draft === action.sent ? toDraft(action.agent) : state.draft,
        newer: null,
        hubIssues: [],
      };
    case 'refused':
      return { ...state, hubIssues: action.issues };
    case 'arrived':
      return arrive(state, action.agent);
    case 'loaded':
      return { ...startDraft(action.agent), loads: state.loads + 1 };
    case 'merged':
      return { ...startDraft(action.agent), draft: action.draft, loads: state.loads + 1 };
    case 'discarded':
      return { ...startDraft(state.newer ?? state.saved), loads: state.loads + 1 };
  }
}

function arrive(state: DraftState, agent: AgentDetail): DraftState {
  if (!isNewer(agent, state.saved)) return state;
  if (sameDraft(state.draft, toDraft(agent))) return { ...state, saved: agent, newer: null };
  // Saved without changes, or deleted and restored: there is no conflict.
  if (sameDraft(toDraft(agent), toDraft(state.saved))) return { ...state, saved: agent, newer: null };
  if (isDirty(state)) return { ...state, newer: agent };
  return { ...startDraft(agent), loads: state.loads + 1 };
}

/** Compares revisions. Agents from files have none: any other version counts as newer. */
function isNewer(agent: AgentDetail, saved: AgentDetail): boolean {
  if (agent.revision !== null && saved.revision !== null) return agent.revision > saved.revision;
  return agent !== saved;
}

export function toDraft(agent: Agent | AgentDetail): Draft {
  return {
    name: agent.name,
    description: agent.description,
    version: agent.version,
    tags: agent.tags,
    mode: agent.mode,
    systemPrompt: agent.systemPrompt,
    skillCategories: agent.skillCategories,
    skills: agent.skills,
    rules: agent.rules,
    references: agent.references,
    tools: agent.tools,
    arguments: agent.arguments,
    exposes: agent.exposes,
    shareContext: agent.shareContext,
    knowledge: agent.knowledge,
    contextRefs: agent.contextRefs,
    contextBudget: agent.contextBudget,
    model: agent.model,
    modelSettings: agent.modelSettings,
    toolPermission: agent.toolPermission,
    appearanceSeed: agent.appearanceSeed,
    provider: agent.provider,
    iconUrl: agent.iconUrl,
    documentationUrl: agent.documentationUrl,
  };
}

export function isDirty(state: DraftState): boolean {
  return !sameDraft(state.draft, toDraft(state.saved));
}

export function sameDraft(left: Draft, right: Draft): boolean {
  return left === right || changedFields(left, right).length === 0;
}

export function changedFields(left: Draft, right: Draft): (keyof Draft)[] {
  // A draft has exactly the fields that `toDraft` sets.
  return (Object.keys(left) as (keyof Draft)[]).filter((field) => !sameValue(left[field], right[field]));
}

export function pickFields(draft: Draft, fields: readonly (keyof Draft)[]): Partial<Draft> {
  return Object.fromEntries(fields.map((field) => [field, draft[field]]));
}

/** Compares deeply. Unchanged parts are the same objects, so most comparisons are immediate. */
export function sameValue(left: unknown, right: unknown, isOrdered = false): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const leftEntries = Object.entries(left);
  const rightKeys = Object.keys(right);
  return (
    leftEntries.length === rightKeys.length &&
    leftEntries.every(
      ([key, value], index) =>
        (isOrdered ? rightKeys[index] === key : Object.hasOwn(right, key)) &&
        // The order of properties matters: callers see parameters in this order.
        sameValue(value, Reflect.get(right, key), key === 'properties'),
    )
  );
}
