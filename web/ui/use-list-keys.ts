import { useEffect, useRef } from 'react';

export interface ListKeys {
  /** To the row below (1) or above (-1), by j and k, and by the arrows while a row has the focus. */
  move: (step: 1 | -1) => unknown;
  /** False where the list has arrow keys of its own. */
  hasArrows?: boolean;
  /** What other keys do. An action that returns false leaves its key alone, and so does `move`. */
  actions?: Readonly<Record<string, () => unknown>>;
}

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** The keys of a list. Left alone while somebody types or something stands over the screen. */
export function useListKeys({ move, hasArrows = true, actions = {} }: ListKeys): void {
  useKeys((event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey || isBusy(event)) return false;
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    // Elsewhere the arrows scroll the page.
    const isForList = !event.key.startsWith('Arrow') || (hasArrows && isInRow(event));
    if (step !== undefined) return isForList && move(step) !== false;
    return Object.hasOwn(actions, event.key) && actions[event.key]?.() !== false;
  });
}

/** Hears keys before those of the whole app, which has other plans for some. Returns whether the key was for it. */
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

/** Somebody types. The innermost element counts, also inside a shadow root such as that of the text editor. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}

/** Something stands over the screen. */
export function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null;
}

export function isBusy(event: KeyboardEvent): boolean {
  return isTyping(event) || isCovered();
}

function isInRow(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('[data-row]') !== null;
}
