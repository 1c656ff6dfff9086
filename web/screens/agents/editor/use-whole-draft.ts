import { useIsMutating } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useEffectEvent, useMemo, useReducer, useState } from 'react';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { ExposedTool } from '../../../../src/agents/exposes/exposed-tool.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { ApiError } from '../../../api/client.ts';
import { useUpdateAgent } from '../../../api/queries.ts';
import { isRefused, keepDraft, readDraft, removeDraft, useIsRefused } from '../../../parts/drafts/drafts.ts';
import { showError, showToast } from '../../../ui/toast.tsx';
import { type KeptTool, keptOf } from '../tool-builder/offered-tools.ts';
import { type OfferedTools, useOfferedTools } from '../tool-builder/use-offered-tools.ts';
import {
  type Draft,
  type DraftState,
  type EditDraft,
  isDirty,
  reduceDraft,
  sameDraft,
  sameValue,
  startDraft,
  toDraft,
} from './draft.ts';
import { draftName, type KeptDraft, readKept, restoreDraft, toKept } from './kept-draft.ts';
import { validateDraft } from './validate-draft.ts';

export interface WholeDraft extends AgentDraft {
  offered: OfferedTools;
  /** The unsaved changes of an earlier page, which this one started with. */
  restored: { at: number } | null;
  /** Returns whether a reload would restore all changes. */
  isHeld: () => boolean;
  /** Whether the browser does not store the changes. */
  isRefused: boolean;
}

/** The agent's draft including unfinished tools, which block saving and count as unsaved changes. */
export function useWholeDraft(agent: AgentDetail, onInvalid: (issues: readonly FieldIssue[]) => void): WholeDraft {
  const [found] = useState(() => findKept(agent));
  const [restored, setRestored] = useState(found ? { at: found.at } : null);
  const model = useAgentDraft(agent, found?.kept, onInvalid);
  const { edit, state } = model;
  const offered = useOfferedTools(
    model.draft.exposes,
    useCallback((exposes: ExposedTool[]) => edit((before) => ({ ...before, exposes })), [edit]),
    found?.kept.tools ?? noTools,
  );
  const { unfinished, reset } = offered;
  const hasUnfinished = unfinished.length > 0;
  const dirty = model.dirty || hasUnfinished;
  const name = draftName(agent.id);
  const { rows } = offered;
  useEffect(() => {
    const tools = keptOf(rows);
    if (dirty || tools.length > 0) keepDraft(name, toKept(state, tools), String(state.saved.revision));
    else removeDraft(name);
    if (!dirty) setRestored(null);
  }, [name, state, rows, dirty]);
  return {
    ...model,
    offered,
    dirty,
    restored,
    isHeld: () => !isRefused(name),
    isRefused: useIsRefused(name),
    issues: hasUnfinished ? [...model.issues, ...unfinished] : model.issues,
    save: async () => {
      if (!hasUnfinished) return model.save();
      onInvalid(unfinished);
      return false;
    },
    saveMerged: async (theirs, merged) => {
      // Whoever takes their tools drops the text typed in the own ones; it would end up in other tools.
      const takesTheirs = hasUnfinished && !sameValue(merged.exposes, model.draft.exposes);
      if (takesTheirs) reset();
      if (!hasUnfinished || takesTheirs) return model.saveMerged(theirs, merged);
      model.merge(theirs, merged);
      onInvalid(unfinished);
      return false;
    },
    load: (newest) => {
      reset();
      model.load(newest);
    },
    discard: () => {
      removeDraft(name);
      reset();
      model.discard();
    },
  };
}

/** One array, so that the rows of tools start only once. */
const noTools: readonly KeptTool[] = [];

/** Finds the changes that an earlier page could not save. */
function findKept({ id, editable }: AgentDetail): { kept: KeptDraft; at: number } | undefined {
  const draft = editable ? readDraft(draftName(id)) : undefined;
  const kept = readKept(draft?.value);
  return draft && kept && { kept, at: draft.at };
}

interface AgentDraft {
  state: DraftState;
  draft: Draft;
  /** The deferred draft, for slow views. */
  settled: Draft;
  dirty: boolean;
  saving: boolean;
  issues: readonly FieldIssue[];
  /** The version another user or process saved first. */
  conflict: AgentDetail | null;
  edit: (edit: EditDraft) => void;
  /** Resolves to whether the hub saved the draft. */
  save: () => Promise<boolean>;
  /** Replaces the draft by `merged`, which has the changes of `theirs`, and saves it as the next version. */
  saveMerged: (theirs: AgentDetail, merged: Draft) => Promise<boolean>;
  load: (agent: AgentDetail) => void;
  discard: () => void;
  showConflict: (agent: AgentDetail | null) => void;
}

interface SavedDraft extends AgentDraft {
  /** Like `saveMerged`, without saving. */
  merge: (theirs: AgentDetail, merged: Draft) => void;
}

/** One array, so that views without issues do not rerender on each keystroke. */
const noIssues: readonly FieldIssue[] = [];

/** The draft of one agent, kept in sync with the hub. */
function useAgentDraft(
  agent: AgentDetail,
  kept: KeptDraft | undefined,
  onInvalid: (issues: readonly FieldIssue[]) => void,
): SavedDraft {
  const [state, dispatch] = useReducer(reduceDraft, agent, () =>
    kept ? restoreDraft(agent, kept) : startDraft(agent),
  );
  const [conflict, showConflict] = useState<AgentDetail | null>(null);
  const update = useUpdateAgent(agent.id);
  const saving = update.isPending;
  const dirty = useMemo(() => isDirty(state), [state]);
  const settled = useDeferredValue(state.draft);
  const { hubIssues } = state;
  const editable = agent.editable;
  const issues = useMemo(() => {
    const found = editable ? [...validateDraft(settled), ...hubIssues] : noIssues;
    return found.length === 0 ? noIssues : found;
  }, [editable, settled, hubIssues]);

  const arrive = useEffectEvent((newest: AgentDetail) => {
    const isNews = (newest.revision ?? 0) > (state.saved.revision ?? 0) || newest.revision === null;
    if (isNews && !dirty && !sameDraft(state.draft, toDraft(newest)))
      showToast('This agent was changed elsewhere and has been updated');
    dispatch({ type: 'arrived', agent: newest });
  });
  // The live event of a save or restore may arrive before its reply.
  const isBusy = useIsMutating() > 0;
  useEffect(() => {
    if (!isBusy) arrive(agent);
  }, [agent, isBusy]);

  const send = async (sent: Draft, revision: number | null): Promise<boolean> => {
    if (saving) return false;
    const found = validateDraft(sent);
    if (found.length > 0) {
      onInvalid(found);
      return false;
    }
    try {
      const saved = await update.mutateAsync({ input: sent, revision });
      dispatch({ type: 'saved', agent: saved, sent });
      showConflict(null);
      return true;
    } catch (error) {
      const details = error instanceof ApiError ? error.details : undefined;
      if (error instanceof ApiError && error.isConflict && details?.current) {
        showConflict(details.current);
      } else if (details?.issues && details.issues.length > 0) {
        dispatch({ type: 'refused', issues: details.issues });
        onInvalid(details.issues);
      } else {
        showError('The agent could not be saved', error);
      }
      return false;
    }
  };

  const merge = (theirs: AgentDetail, merged: Draft) => {
    dispatch({ type: 'merged', agent: theirs, draft: merged });
    showConflict(null);
  };

  return {
    state,
    draft: state.draft,
    settled,
    dirty,
    saving,
    issues,
    conflict,
    edit: useCallback((edit: EditDraft) => dispatch({ type: 'edited', edit }), []),
    save: () => send(state.draft, state.saved.revision),
    merge,
    saveMerged: (theirs, merged) => {
      merge(theirs, merged);
      return send(merged, theirs.revision);
    },
    load: useCallback((newest: AgentDetail) => dispatch({ type: 'loaded', agent: newest }), []),
    discard: useCallback(() => dispatch({ type: 'discarded' }), []),
    showConflict,
  };
}
