import { useSyncExternalStore } from 'react';
import { type Remembering, readTabs, withTab, writeTabs } from './chat-storage.ts';

let ids: readonly string[] | null = null;
const listeners = new Set<() => void>();

/** Some browsers forbid even to look at it. */
export const browserStorage: Remembering = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
  removeItem: (key) => localStorage.removeItem(key),
};

/** The chats that are open in this browser, in the order of their tabs. */
export function useOpenTabs(): readonly string[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, openTabs);
}

export function openTabs(): readonly string[] {
  ids ??= readTabs(browserStorage);
  return ids;
}

export function addTab(id: string): void {
  change(withTab(openTabs(), id));
}

export function removeTab(id: string): void {
  change(openTabs().filter((each) => each !== id));
}

function change(next: readonly string[]): void {
  if (next === ids || (ids?.length === next.length && ids.every((id, index) => id === next[index]))) return;
  ids = next;
  writeTabs(browserStorage, next);
  for (const listener of listeners) listener();
}
