import { useSyncExternalStore } from 'react';

/** The hub's reason why this browser is not signed in; undefined while it is signed in. */
let reason: string | undefined;
const listeners = new Set<() => void>();

/** Called when the hub does not accept this browser. Only signing in again changes that. */
export function noteSignedOut(why: string): void {
  if (reason === undefined) change(why);
}

/** Called when the hub accepts this browser again. */
export function noteSignedIn(): void {
  change(undefined);
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

function change(next: string | undefined): void {
  if (reason === next) return;
  reason = next;
  for (const listener of listeners) listener();
}
