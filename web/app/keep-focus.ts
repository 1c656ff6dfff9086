import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { focusRow } from '../ui/use-list-keys.ts';
import { hasKeyboard } from '../ui/use-media.ts';

/**
 * Keeps the focus in a sensible place. On a new screen it moves to the heading. When the focused element disappears, it moves
 * to the row that took the place of its row, in a chat to the field for the next message, or else to the heading. Parts with
 * `data-keeps-focus` do this themselves.
 */
export function useKeptFocus(): void {
  useFocusAfterNavigation();
  useEffect(() => {
    let last: { element: Element; row: number; isKept: boolean; isApproval: boolean } | null = null;
    const note = ({ target }: FocusEvent) => {
      const element = target instanceof Element ? target.closest('main *') : null;
      if (!element) return;
      const row = rowsInMain().findLastIndex((each) => each.contains(element));
      const isApproval = element.closest('[data-approval]') !== null;
      last = { element, row, isKept: element.closest('[data-keeps-focus]') !== null, isApproval };
    };
    const observer = new MutationObserver(() => {
      if (!last || last.isKept || last.element.isConnected || !isFocusLost()) return;
      const rows = rowsInMain();
      const row = last.row === -1 ? undefined : rows[Math.min(last.row, rows.length - 1)];
      // The next call may be decided with a number key, which must not be typed into the field.
      const mayWrite = !last.isApproval && window.matchMedia(hasKeyboard).matches;
      const composer = mayWrite ? document.querySelector<HTMLElement>('main [data-composer]') : null;
      last = null;
      if (row) focusRow(row);
      else if (composer) composer.focus({ preventScroll: true });
      else focusHeading();
    });
    document.addEventListener('focusin', note);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', note);
      observer.disconnect();
    };
  }, []);
}

function useFocusAfterNavigation(): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    const isFirst = before.current === undefined;
    before.current = path;
    if (
      !isFirst &&
      (isFocusLost() || document.activeElement?.closest('nav[aria-label=Main], nav[aria-labelledby=recent]'))
    )
      focusHeading();
  }, [path]);
}

function isFocusLost(): boolean {
  return !document.activeElement || document.activeElement === document.body;
}

function rowsInMain(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('main [data-row]')];
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1') ?? document.getElementById('main');
  if (heading && !heading.hasAttribute('tabindex')) heading.tabIndex = -1;
  heading?.focus({ preventScroll: true });
}
