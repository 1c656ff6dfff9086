import { useSyncExternalStore } from 'react';

/** Why this browser is not signed in, as the hub said it; undefined while it is. */
let reason: string | undefined;
const listeners = new Set<() => void>();

/** Called when the hub does not accept this browser. Only a reload with a new sign-in changes that. */
export function noteSignedOut(why: string): void {
  if (reason !== undefined) return;
  reason = why;
  for (const listener of listeners) listener();
}

/** Returns why the hub has refused this browser; undefined if it has not. */
export function useSignedOut(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => reason,
  );
}
