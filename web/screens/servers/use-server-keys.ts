import { useListKeys } from '../../ui/use-list-keys.ts';

export interface ServerKeys {
  onAdd?: () => void;
  /** Esc with nothing open. */
  onLeave?: () => void;
}

/** j, k and the arrows walk over whatever has `data-row`; a adds. */
export function useServerKeys({ onAdd, onLeave }: ServerKeys): void {
  useListKeys({ move: walk, actions: { ...(onAdd && { a: onAdd }), ...(onLeave && { Escape: onLeave }) } });
}

/** Returns false when there are no rows. */
function walk(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const focused = rows.findIndex((row) => row.contains(document.activeElement));
  const row = focused === -1 ? rows[0] : rows[focused + step];
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
  return rows.length > 0;
}
