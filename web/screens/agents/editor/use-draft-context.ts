import { useMemo } from 'react';
import { Agent } from '../../../../src/agents/agent.ts';
import type { ContextItem } from '../../../../src/agents/context.contract.ts';
import { type ContextRequest, useContextPreview } from '../../../api/queries.ts';
import { useDebounced } from '../../../ui/use-debounced.ts';
import type { Draft } from './draft.ts';

export interface DraftContext {
  /** What becomes of each reference, by its text. */
  found: ReadonlyMap<string, ContextItem>;
  /** The text added to the compiled prompt. */
  text: string;
  /** The tokens of the budget that the embedded text takes. */
  used: number;
  /** Whether the results are missing or belong to an earlier draft. */
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
}

const quietMs = 400;

/** Reads the files and pages of a draft while the user types. */
export function useDraftContext(id: string, draft: Draft): DraftContext {
  const { contextRefs, contextBudget } = draft;
  const now = useMemo(() => toContextRequest(id, { contextRefs, contextBudget }), [id, contextRefs, contextBudget]);
  const settled = useDebounced(now, quietMs);
  const reply = useContextPreview(settled);
  const body = now === null || settled === null ? undefined : reply.data;
  const found = useMemo(() => new Map((body?.items ?? []).map((item) => [item.ref, item])), [body]);
  return {
    found,
    text: body?.text ?? '',
    used: body?.used ?? 0,
    isLoading: now !== null && (now !== settled || reply.isPending || reply.isPlaceholderData),
    error: now === null ? null : reply.error,
    retry: () => void reply.refetch(),
  };
}

/** Returns the request for a draft without empty references, or null if none is left or the budget is not valid. */
function toContextRequest(
  id: string,
  { contextRefs, contextBudget }: Pick<Draft, 'contextRefs' | 'contextBudget'>,
): ContextRequest | null {
  const refs = contextRefs.filter((ref) => Agent.shape.contextRefs.safeParse([ref]).success);
  if (refs.length === 0 || !Agent.shape.contextBudget.safeParse(contextBudget).success) return null;
  return { id, contextRefs: refs, contextBudget };
}
