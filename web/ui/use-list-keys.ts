import { useEffect, useRef } from 'react';

export interface ListKeys {
  /** Moves to the row below (1) or above (-1): j and k, and the arrow keys while a row has focus. */
  move: (step: 1 | -1) => unknown;
  /** False if the list handles arrow keys itself. */
  hasArrows?: boolean;
  /** Actions for other keys. An action (or `move`) that returns false lets the key through. */
  actions?: Readonly<Record<string, () => unknown>>;
}

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** Handles a list's keys, except while the user types or an overlay is open. */
export function useListKeys({ move, hasArrows = true, actions = {} }: ListKeys): void {
  useKeys((event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey || isBusy(event)) return false;
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    // Outside the list, arrow keys scroll the page.
    const isForList = !event.key.startsWith('Arrow') || (hasArrows && isInRow(event));
    if (step !== undefined) return isForList && move(step) !== false;
    return Object.hasOwn(actions, event.key) && actions[event.key]?.() !== false;
  });
}

/** Handles keys before the app-wide shortcuts do. `onKey` returns whether it used the key. */
export function useKeys(onKey: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !latest.current(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, []);
}

/** Whether the event comes from a text field, including one in the text editor's shadow root. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}

/** Whether a dialog, menu or list box is open. */
export function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null;
}

export function isBusy(event: KeyboardEvent): boolean {
  return isTyping(event) || isCovered();
}

function isInRow(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('[data-row]') !== null;
}
