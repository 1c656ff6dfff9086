import { useSyncExternalStore } from 'react';
import { showError, showToast } from '../../ui/toast.tsx';

export interface Deletion {
  /** Identify the items in lists, e.g. `task/T-1`. */
  keys: readonly string[];
  /** Says what was deleted. */
  message: string;
  /** What holds until the notice closes, or follows then. */
  description?: string;
  /** Asks the hub to delete. Resolves once lists no longer contain the items. */
  carryOut: () => Promise<unknown>;
  /** Precedes the hub's reason when it refuses. */
  failure: string;
  onUndo?: () => void;
  /** Whether what is deleted grants access. Its notice does not wait while the page is hidden. */
  endsAccess?: boolean;
}

let deleted: ReadonlySet<string> = new Set();
const waiting = new Set<() => void>();
const listeners = new Set<() => void>();
let isListening = false;

/**
 * Hides items at once and deletes them when the notice closes, so that Undo loses nothing. Leaving the page closes it too. If the
 * browser crashes first, the items are still there.
 */
export function deleteLater(deletion: Deletion): void {
  const { keys, message, description, carryOut, failure, onUndo, endsAccess = false } = deletion;
  change((now) => now.union(new Set(keys)));
  const show = () => change((now) => now.difference(new Set(keys)));
  const settle = () => {
    if (!waiting.delete(settle)) return;
    carryOut().then(show, (error: unknown) => {
      show();
      showError(failure, error);
    });
  };
  const undo = () => {
    if (!waiting.delete(settle)) return;
    show();
    onUndo?.();
  };
  waiting.add(settle);
  if (!isListening) {
    isListening = true;
    window.addEventListener('pagehide', () => {
      for (const each of [...waiting]) each();
    });
  }
  const close = showToast(message, {
    ...(description !== undefined && { description }),
    action: { label: 'Undo', onClick: undo },
    onClose: settle,
  });
  if (!endsAccess) return;
  const end = () => {
    settle();
    close();
  };
  document.addEventListener('visibilitychange', end, { once: true });
}

/** Returns the keys of items that lists leave out. */
export function useDeleted(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => deleted,
  );
}

function change(next: (now: ReadonlySet<string>) => ReadonlySet<string>): void {
  deleted = next(deleted);
  for (const listener of listeners) listener();
}
