import { useListKeys } from '../../ui/use-list-keys.ts';

export interface ServerKeys {
  onAdd?: () => void;
  /** Called on Esc when nothing is open. */
  onLeave?: () => void;
}

/** Moves between elements with `data-row` using j, k and the arrow keys; a adds a server. */
export function useServerKeys({ onAdd, onLeave }: ServerKeys): void {
  useListKeys({ move: moveFocus, actions: { ...(onAdd && { a: onAdd }), ...(onLeave && { Escape: onLeave }) } });
}

/** Moves the focus. Returns false when there are no rows. */
function moveFocus(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const focused = rows.findIndex((row) => row.contains(document.activeElement));
  const row = focused === -1 ? rows[0] : rows[focused + step];
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
  return rows.length > 0;
}
