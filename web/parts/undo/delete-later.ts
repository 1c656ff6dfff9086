import { hideUntilDeleted, settleDeletion } from '../../api/pending-deletions.ts';
import { showError, showToast } from '../../ui/toast.tsx';

export interface LaterRequest {
  /**
   * Identify what waits. Lists leave out the items with these keys, e.g. `task/T-1`. What waits under one of them already is sent
   * before.
   */
  keys: readonly string[];
  /** Says what was done. */
  message: string;
  /** What holds until the notice closes, or follows then. */
  description?: string;
  /** Asks the hub. Resolves once lists show the result. */
  carryOut: () => Promise<unknown>;
  /** Precedes the hub's reason when it refuses. */
  failure: string;
  onUndo?: () => void;
  /** Whether the notice does not wait while the page is hidden: for what ends access, or lets others begin. */
  isUrgent?: boolean;
}

/** Hides items at once and deletes them when the notice closes, so that Undo loses nothing. */
export function deleteLater(deletion: LaterRequest): void {
  sendLater(deletion);
}

/**
 * Sends a request when its notice closes, for what the hub cannot take back. Leaving the page closes it too. If the browser crashes
 * first, nothing was sent.
 */
export function sendLater(request: LaterRequest): void {
  const { keys, message, description, carryOut, failure, onUndo, isUrgent = false } = request;
  const before = Promise.all(keys.map(settleDeletion));
  let settled: Promise<void> | undefined;
  const settle = () => {
    settled ??= before
      .then(carryOut)
      .catch((error: unknown) => showError(failure, error))
      .then(show);
    return settled;
  };
  const undo = () => {
    if (settled !== undefined) return;
    settled = Promise.resolve();
    show();
    onUndo?.();
  };
  const close = showToast(message, {
    ...(description !== undefined && { description }),
    action: { label: 'Undo', onClick: undo },
    onClose: () => void settle(),
  });
  const end = () => {
    close();
    return settle();
  };
  const show = hideUntilDeleted(keys, end);
  if (isUrgent) document.addEventListener('visibilitychange', () => void end(), { once: true });
}

/** Says what was done, with a way back until the next step of the same thing, which settles `key`. */
export function offerUndo(message: string, { key, onUndo }: { key: string; onUndo: () => void }): void {
  const undo = () => {
    forget();
    onUndo();
  };
  const close = showToast(message, { action: { label: 'Undo', onClick: undo }, onClose: () => forget() });
  const forget = hideUntilDeleted([key], async () => {
    forget();
    close();
  });
}
