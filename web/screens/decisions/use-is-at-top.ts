import { useSyncExternalStore } from 'react';

const nearTop = 24;

/** Whether the page shows its beginning. */
export function useIsAtTop(): boolean {
  return useSyncExternalStore(subscribe, () => window.scrollY < nearTop);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true });
  return () => window.removeEventListener('scroll', listener);
}
