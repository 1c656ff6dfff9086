import { useSyncExternalStore } from 'react';

const key = 'zoo.shortcuts';
const listeners = new Set<() => void>();
let isOn = read();

/** Whether one-letter shortcuts act in this browser, and a function that switches them. */
export function useLetterShortcuts(): [isOn: boolean, change: (isOn: boolean) => void] {
  const value = useSyncExternalStore(subscribe, areLettersOn);
  return [value, change];
}

export function areLettersOn(): boolean {
  return isOn;
}

function change(next: boolean): void {
  isOn = next;
  try {
    if (next) localStorage.removeItem(key);
    else localStorage.setItem(key, 'off');
  } catch {
    // The browser stores nothing: the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): boolean {
  try {
    return localStorage.getItem(key) !== 'off';
  } catch {
    return true;
  }
}
