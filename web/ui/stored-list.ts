import { useSyncExternalStore } from 'react';

/** A short list in `localStorage`, the same in all tabs of a browser. */
export interface StoredList<Item> {
  read: () => readonly Item[];
  save: (list: readonly Item[]) => void;
  /** Reads the list and draws the component again when it changes. */
  use: () => readonly Item[];
}

/** Without storage, the list lives as long as the page. Entries that are not items are ignored. */
export function createStoredList<Item>(key: string, isItem: (value: unknown) => value is Item): StoredList<Item> {
  const listeners = new Set<() => void>();
  let known: { text: string; list: readonly Item[] } = { text: '[]', list: [] };
  /** Returns the same list until the stored text changes. */
  const read = () => {
    const text = storedText(key) ?? known.text;
    if (text !== known.text) known = { text, list: itemsIn(text, isItem) };
    return known.list;
  };
  const save = (list: readonly Item[]) => {
    const text = JSON.stringify(list);
    if (text === (storedText(key) ?? known.text)) return;
    known = { text, list };
    try {
      localStorage.setItem(key, text);
    } catch {
      // Without storage, the list is kept in memory. If storage is full, the earlier list stays.
    }
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    // Other tabs.
    window.addEventListener('storage', listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', listener);
    };
  };
  return { read, save, use: () => useSyncExternalStore(subscribe, read) };
}

export function itemsIn<Item>(text: string, isItem: (value: unknown) => value is Item): Item[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isItem) : [];
  } catch {
    return [];
  }
}

function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
