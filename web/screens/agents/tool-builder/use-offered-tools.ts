import { useMemo, useRef, useState } from 'react';
import type { ExposedTool } from '../../../../src/agents/exposes/exposed-tool.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { dropUnfinished, type OfferedTool, startTool, takeTools, unfinishedIn } from './offered-tools.ts';

type ChangeTools = (rows: readonly OfferedTool[]) => readonly OfferedTool[];

export interface OfferedTools {
  rows: readonly OfferedTool[];
  /** What was typed and is no schema yet: it is nowhere but here. */
  unfinished: readonly FieldIssue[];
  update: (change: ChangeTools) => void;
  /** Forgets what is not in the draft. */
  reset: () => void;
}

interface Kept {
  rows: readonly OfferedTool[];
  /** The tools of these rows, as they stand in the draft. */
  tools: readonly ExposedTool[];
}

/**
 * The tools of a draft as rows with ids. It lives as long as the draft, not as long as the tab: what was typed stays
 * while another tab is shown, and when the agent is saved elsewhere.
 */
export function useOfferedTools(tools: readonly ExposedTool[], onChange: (tools: ExposedTool[]) => void): OfferedTools {
  const kept = useRef<Kept | null>(null);
  const [, setTurn] = useState(0);
  if (kept.current === null) kept.current = { rows: tools.map(startTool), tools };
  else if (kept.current.tools !== tools) kept.current = { rows: takeTools(kept.current.rows, tools), tools };
  const { rows } = kept.current;
  const actions = useMemo(() => {
    const draw = () => setTurn((turn) => turn + 1);
    return {
      update: (change: ChangeTools) => {
        if (!kept.current) return;
        const before = kept.current;
        const next = change(before.rows);
        if (next === before.rows) return;
        const list = next.map((row) => row.tool);
        const isSame = list.length === before.tools.length && list.every((tool, index) => tool === before.tools[index]);
        kept.current = { rows: next, tools: isSame ? before.tools : list };
        draw();
        if (!isSame) onChange(list);
      },
      reset: () => {
        if (kept.current) kept.current = { ...kept.current, rows: kept.current.rows.map(dropUnfinished) };
        draw();
      },
    };
  }, [onChange]);
  const unfinished = useMemo(() => unfinishedIn(rows), [rows]);
  return { rows, unfinished, ...actions };
}
