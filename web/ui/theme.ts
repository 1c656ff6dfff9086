import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'zoo-theme';
const listeners = new Set<() => void>();
const systemIsDark = () => window.matchMedia('(prefers-color-scheme: dark)').matches;

/** Returns the chosen theme, which early-theme.js set on the document before the first paint. */
function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === 'system') localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, theme);
  } catch {
    // Storage is disabled: the choice lasts until the page closes.
  }
  for (const listener of listeners) listener();
}

/** Switches between light and dark. */
export function toggleTheme(): void {
  setTheme(shownTheme() === 'dark' ? 'light' : 'dark');
}

function shownTheme(): 'light' | 'dark' {
  const theme = currentTheme();
  return theme === 'system' ? (systemIsDark() ? 'dark' : 'light') : theme;
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
