import { useSyncExternalStore } from 'react';

let isReady = false;
const listeners = new Set<() => void>();

/** Whether the hub serves a different version of the app from the one on this page. */
export function useNewVersion(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isReady,
  );
}

/** Compares the app that the hub serves now with this page. The page keeps working with what it has. */
export async function checkVersion(): Promise<void> {
  try {
    const response = await fetch('/', { headers: { accept: 'text/html' }, cache: 'no-store' });
    const served = response.ok ? entryOf(await response.text()) : undefined;
    const own = document.querySelector('script[type="module"][src]')?.getAttribute('src');
    if (served === undefined || !own || served === own || isReady) return;
    isReady = true;
    for (const listener of listeners) listener();
  } catch {
    // The hub is unreachable: there is nothing to compare.
  }
}

/** Returns the address of the app's script, which changes with its content. */
export function entryOf(html: string): string | undefined {
  const script = /<script\b[^>]*\btype="module"[^>]*>/.exec(html)?.[0];
  return script && /\bsrc="([^"]+)"/.exec(script)?.[1];
}
