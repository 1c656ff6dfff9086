import { useSyncExternalStore } from 'react';

/** The same width as `lg` in the class names. */
const twoPanes = window.matchMedia('(min-width: 64rem)');

/** Where it is narrow, the open thread stands in the place of the list. */
export function useOnePane(): boolean {
  return !useSyncExternalStore(
    (onChange) => {
      twoPanes.addEventListener('change', onChange);
      return () => twoPanes.removeEventListener('change', onChange);
    },
    () => twoPanes.matches,
  );
}
