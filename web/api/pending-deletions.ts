import { useSyncExternalStore } from 'react';

type CarryOut = () => Promise<void>;

let pending: ReadonlyMap<string, CarryOut> = new Map();
const listeners = new Set<() => void>();
let isListening = false;

/** Hides the items with these keys, e.g. `task/T-1`, and carries their deletion out when the page is left. Returns what shows them again. */
export function hideUntilDeleted(keys: readonly string[], carryOut: CarryOut): () => void {
  if (!isListening) {
    isListening = true;
    window.addEventListener('pagehide', () => {
      for (const each of new Set(pending.values())) void each();
    });
  }
  change([...pending, ...keys.map((key) => [key, carryOut] as const)]);
  return () => change([...pending].filter(([key, each]) => each !== carryOut || !keys.includes(key)));
}

/** Carries out what is pending under this key, so that something new can have the name or the next step can follow. */
export async function settleDeletion(key: string): Promise<void> {
  await pending.get(key)?.();
}

/** Returns the keys of the items that lists leave out. */
export function useDeleted(): Pick<ReadonlySet<string>, 'has'> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pending,
  );
}

function change(next: Iterable<readonly [string, CarryOut]>): void {
  pending = new Map(next);
  for (const listener of listeners) listener();
}
