import { useListKeys } from '../../ui/use-list-keys.ts';

export interface ServerKeys {
  onAdd?: () => void;
  /** Called on Esc when nothing is open. */
  onLeave?: () => void;
}

/** Moves between rows with j, k and the arrow keys; a adds a server. */
export function useServerKeys({ onAdd, onLeave }: ServerKeys): void {
  useListKeys({ actions: { ...(onAdd && { a: onAdd }), ...(onLeave && { Escape: onLeave }) } });
}
