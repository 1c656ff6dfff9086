import { useMemo } from 'react';
import { showToast } from '../../../ui/toast.tsx';
import { duplicateTool, newTool, type OfferedTool } from './offered-tools.ts';
import type { ToolActions } from './tool-card.tsx';
import type { OfferedTools } from './use-offered-tools.ts';

interface Opens {
  open: (id: string | null) => void;
  test: (id: string) => void;
}

/** The same functions for the life of the tab, so that a change of one tool draws only that one again. */
export function useToolActions(update: OfferedTools['update'], { open, test }: Opens) {
  return useMemo(() => {
    const actions: ToolActions = {
      open,
      test,
      change: (id, change) => update((rows) => replace(rows, id, change)),
      duplicate: (id) => {
        let copy: OfferedTool | undefined;
        update((rows) => {
          const index = rows.findIndex((row) => row.id === id);
          const row = rows[index];
          if (!row) return rows;
          copy = duplicateTool(rows, row);
          return rows.toSpliced(index + 1, 0, copy);
        });
        if (copy) open(copy.id);
      },
      remove: (id) => {
        let before: readonly OfferedTool[] = [];
        update((rows) => {
          before = rows;
          return rows.filter((row) => row.id !== id);
        });
        const index = before.findIndex((row) => row.id === id);
        const removed = before[index];
        if (!removed) return;
        const undo = () =>
          update((rows) => (rows.some((row) => row.id === id) ? rows : rows.toSpliced(index, 0, removed)));
        showToast(`Tool ${removed.tool.name} removed`, { action: { label: 'Undo', onClick: undo } });
      },
    };
    const add = () => {
      let added: OfferedTool | undefined;
      update((rows) => {
        added = newTool(rows);
        return [...rows, added];
      });
      if (added) open(added.id);
    };
    const move = (id: string, overId: string) =>
      update((rows) => {
        const from = rows.findIndex((row) => row.id === id);
        const to = rows.findIndex((row) => row.id === overId);
        const moving = rows[from];
        return moving && to >= 0 ? rows.toSpliced(from, 1).toSpliced(to, 0, moving) : rows;
      });
    return { actions, add, move };
  }, [update, open, test]);
}

function replace(
  rows: readonly OfferedTool[],
  id: string,
  change: (row: OfferedTool) => OfferedTool,
): readonly OfferedTool[] {
  const next = rows.map((row) => (row.id === id ? change(row) : row));
  return next.every((row, index) => row === rows[index]) ? rows : next;
}
