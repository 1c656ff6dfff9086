import { useIsMutating } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useEffectEvent, useMemo, useReducer, useState } from 'react';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { ExposedTool } from '../../../../src/agents/exposes/exposed-tool.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { ApiError } from '../../../api/client.ts';
import { useUpdateAgent } from '../../../api/queries.ts';
import { showError, showToast } from '../../../ui/toast.tsx';
import { type OfferedTools, useOfferedTools } from '../tool-builder/use-offered-tools.ts';
import {
  type Draft,
  type DraftState,
  type EditDraft,
  isDirty,
  reduceDraft,
  sameDraft,
  startDraft,
  toDraft,
} from './draft.ts';
import { validateDraft } from './validate-draft.ts';

export interface WholeDraft extends AgentDraft {
  offered: OfferedTools;
}

/** The draft with what is typed of its tools and cannot be part of it yet: nothing is saved, or left, without it. */
export function useWholeDraft(agent: AgentDetail, onInvalid: (issues: readonly FieldIssue[]) => void): WholeDraft {
  const model = useAgentDraft(agent, onInvalid);
  const { edit } = model;
  const offered = useOfferedTools(
    model.draft.exposes,
    useCallback((exposes: ExposedTool[]) => edit((before) => ({ ...before, exposes })), [edit]),
  );
  const { unfinished, reset } = offered;
  const hasUnfinished = unfinished.length > 0;
  return {
    ...model,
    offered,
    dirty: model.dirty || hasUnfinished,
    issues: hasUnfinished ? [...model.issues, ...unfinished] : model.issues,
    save: async (onTop) => {
      if (!hasUnfinished) return model.save(onTop);
      onInvalid(unfinished);
      return false;
    },
    load: (newest) => {
      reset();
      model.load(newest);
    },
    discard: () => {
      reset();
      model.discard();
    },
  };
}

interface AgentDraft {
  state: DraftState;
  draft: Draft;
  /** The draft as of the last quiet moment: for what is slow to show. */
  settled: Draft;
  dirty: boolean;
  saving: boolean;
  issues: readonly FieldIssue[];
  /** The version that another writer saved first. */
  conflict: AgentDetail | null;
  edit: (edit: EditDraft) => void;
  /** True when the hub has taken the draft; `onTop` overwrites that version. */
  save: (onTop?: AgentDetail) => Promise<boolean>;
  load: (agent: AgentDetail) => void;
  discard: () => void;
  showConflict: (agent: AgentDetail | null) => void;
}

/** One array, so that what shows no issues is not drawn again at each key. */
const noIssues: readonly FieldIssue[] = [];

/** The draft of one agent, in step with the hub. */
function useAgentDraft(agent: AgentDetail, onInvalid: (issues: readonly FieldIssue[]) => void): AgentDraft {
  const [state, dispatch] = useReducer(reduceDraft, agent, startDraft);
  const [conflict, showConflict] = useState<AgentDetail | null>(null);
  const update = useUpdateAgent(agent.id);
  const saving = update.isPending;
  const dirty = useMemo(() => isDirty(state), [state]);
  const settled = useDeferredValue(state.draft);
  const { refused } = state;
  const editable = agent.editable;
  const issues = useMemo(() => {
    const found = editable ? [...validateDraft(settled), ...refused] : noIssues;
    return found.length === 0 ? noIssues : found;
  }, [editable, settled, refused]);

  const arrive = useEffectEvent((newest: AgentDetail) => {
    const isNews = (newest.revision ?? 0) > (state.saved.revision ?? 0) || newest.revision === null;
    if (isNews && !dirty && !sameDraft(state.draft, toDraft(newest)))
      showToast('Updated: this agent was changed elsewhere');
    dispatch({ type: 'arrived', agent: newest });
  });
  // The answer to a save or a restore may come after the news of it.
  const isBusy = useIsMutating() > 0;
  useEffect(() => {
    if (!isBusy) arrive(agent);
  }, [agent, isBusy]);

  const save = async (onTop?: AgentDetail): Promise<boolean> => {
    if (saving) return false;
    const sent = state.draft;
    const found = validateDraft(sent);
    if (found.length > 0) {
      onInvalid(found);
      return false;
    }
    try {
      const saved = await update.mutateAsync({ input: sent, revision: (onTop ?? state.saved).revision });
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
        showError('Not saved', error);
      }
      return false;
    }
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
    save,
    load: useCallback((newest: AgentDetail) => dispatch({ type: 'loaded', agent: newest }), []),
    discard: useCallback(() => dispatch({ type: 'discarded' }), []),
    showConflict,
  };
}
