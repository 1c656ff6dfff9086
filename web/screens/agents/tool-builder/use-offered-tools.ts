import { useMemo, useRef, useState } from 'react';
import type { ExposedTool } from '../../../../src/agents/exposes/exposed-tool.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import {
  dropUnfinished,
  type KeptTool,
  mergeTools,
  type OfferedTool,
  restoreRows,
  startTool,
  unfinishedIn,
} from './offered-tools.ts';

type ChangeTools = (rows: readonly OfferedTool[]) => readonly OfferedTool[];

export interface OfferedTools {
  rows: readonly OfferedTool[];
  /** Typed text that is not valid yet; it is not in the draft. */
  unfinished: readonly FieldIssue[];
  update: (change: ChangeTools) => void;
  /** Discards everything that is not in the draft. */
  reset: () => void;
}

interface RowState {
  rows: readonly OfferedTool[];
  /** The rows' tools in the draft. */
  tools: readonly ExposedTool[];
}

/**
 * The draft's tools as rows with ids. The rows live as long as the draft, not the tab, so unfinished text survives
 * switching tabs and saves made elsewhere.
 */
export function useOfferedTools(
  tools: readonly ExposedTool[],
  onChange: (tools: ExposedTool[]) => void,
  kept: readonly KeptTool[],
): OfferedTools {
  const state = useRef<RowState | null>(null);
  const [, setRenderCount] = useState(0);
  if (state.current === null) state.current = { rows: restoreRows(tools.map(startTool), kept), tools };
  else if (state.current.tools !== tools) state.current = { rows: mergeTools(state.current.rows, tools), tools };
  const { rows } = state.current;
  const actions = useMemo(() => {
    const rerender = () => setRenderCount((count) => count + 1);
    return {
      update: (change: ChangeTools) => {
        if (!state.current) return;
        const before = state.current;
        const next = change(before.rows);
        if (next === before.rows) return;
        const list = next.map((row) => row.tool);
        const isSame = list.length === before.tools.length && list.every((tool, index) => tool === before.tools[index]);
        state.current = { rows: next, tools: isSame ? before.tools : list };
        rerender();
        if (!isSame) onChange(list);
      },
      reset: () => {
        if (state.current) state.current = { ...state.current, rows: state.current.rows.map(dropUnfinished) };
        rerender();
      },
    };
  }, [onChange]);
  const unfinished = useMemo(() => unfinishedIn(rows), [rows]);
  return { rows, unfinished, ...actions };
}
