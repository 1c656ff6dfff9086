import { useCallback, useState } from 'react';

export interface Selection {
  ids: ReadonlySet<string>;
  /** Selects or deselects an agent. With `toHere`, everything between the last one and this one gets its new state. */
  toggle: (id: string, options?: { toHere?: boolean }) => void;
  set: (ids: readonly string[]) => void;
}

/** Which of the `shown` agents are selected. Agents that are no longer shown are not. */
export function useSelection(shown: readonly string[]): Selection {
  const [state, setState] = useState<SelectionState>({ ids: new Set(), last: null });
  const visible = new Set(shown.filter((id) => state.ids.has(id)));
  const order = shown.join('\n');
  const toggle = useCallback(
    (id: string, { toHere = false } = {}) => setState((now) => toggled(now, { id, toHere, order: order.split('\n') })),
    [order],
  );
  const set = useCallback((ids: readonly string[]) => setState({ ids: new Set(ids), last: null }), []);
  return { ids: visible, toggle, set };
}

export interface SelectionState {
  ids: ReadonlySet<string>;
  last: string | null;
}

export function toggled(
  { ids, last }: SelectionState,
  { id, toHere, order }: { id: string; toHere: boolean; order: readonly string[] },
): SelectionState {
  const isOn = !ids.has(id);
  const from = toHere && last !== null ? order.indexOf(last) : -1;
  const here = order.indexOf(id);
  const changed = from < 0 || here < 0 ? [id] : order.slice(Math.min(from, here), Math.max(from, here) + 1);
  const next = new Set(ids);
  for (const each of changed) {
    if (isOn) next.add(each);
    else next.delete(each);
  }
  return { ids: next, last: id };
}
