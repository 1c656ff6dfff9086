import { useSyncExternalStore } from 'react';

let isSignedOut = false;
const listeners = new Set<() => void>();

/** Called when the hub does not accept this browser. Only a reload with a new sign-in changes that. */
export function noteSignedOut(): void {
  isSignedOut = true;
  for (const listener of listeners) listener();
}

/** Returns whether the hub has refused this browser because it is not signed in. */
export function useSignedOut(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isSignedOut,
  );
}
