import { useSyncExternalStore } from 'react';

/** Returns whether a media query matches. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
}

/** Matches where the focus in a text field opens no on-screen keyboard, which would cover the screen. */
export const hasKeyboard = '(hover: hover) and (min-width: 48rem)';
