import { useCallback } from 'react';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { ExposedTool } from '../../../../src/agents/exposes/exposed-tool.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { type OfferedTools, useOfferedTools } from '../tool-builder/use-offered-tools.ts';
import { type AgentDraft, useAgentDraft } from './use-agent-draft.ts';

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
