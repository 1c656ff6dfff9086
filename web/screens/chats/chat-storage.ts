import { useSyncExternalStore } from 'react';

/** The part of `localStorage` that stores open tabs. Chats also work when it throws. */
export interface KeyValueStorage {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
}

const tabsKey = 'zoo.chat.tabs';
const maxTabs = 30;

export function readTabs(storage: KeyValueStorage): string[] {
  try {
    const value: unknown = JSON.parse(storage.getItem(tabsKey) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string').slice(-maxTabs) : [];
  } catch {
    return [];
  }
}

export function writeTabs(storage: KeyValueStorage, ids: readonly string[]): void {
  ignoreErrors(() => storage.setItem(tabsKey, JSON.stringify(ids)));
}

/** Adds a tab at the end and drops the oldest one above the maximum. */
export function withTab(ids: readonly string[], id: string): readonly string[] {
  return ids.includes(id) ? ids : [...ids, id].slice(-maxTabs);
}

/** Returns the tab to show after this one is closed: the next one, or else the previous one. */
export function neighborOf(ids: readonly string[], id: string): string | undefined {
  const index = ids.indexOf(id);
  return index === -1 ? undefined : (ids[index + 1] ?? ids[index - 1]);
}

/** Ignores a full or blocked storage: the value is then not remembered. */
function ignoreErrors(run: () => void): void {
  try {
    run();
  } catch {}
}

let ids: readonly string[] | null = null;
const listeners = new Set<() => void>();

/** Reads `localStorage` only when called, because some browsers throw on access. */
const browserStorage: KeyValueStorage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
};

/** Returns the ids of the chats open in this browser, in tab order. */
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
