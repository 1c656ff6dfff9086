import { useEffect, useRef } from 'react';
import { areLettersOn } from './shortcut-setting.ts';

export interface ListKeys {
  /** Moves to the row below (1) or above (-1): j and k, and the arrow keys while a row has focus. By default, `moveRow`. */
  move?: (step: 1 | -1) => unknown;
  /** False if the list handles arrow keys itself. */
  hasArrows?: boolean;
  /** Actions for other keys. An action (or `move`) that returns false lets the key through. */
  actions?: Readonly<Record<string, () => unknown>>;
}

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** Handles a list's keys, except while the user types or an overlay is open. */
export function useListKeys({ move = moveRow, hasArrows = true, actions = {} }: ListKeys): void {
  useKeys((event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey || isBusy(event)) return false;
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    // Outside the list, arrow keys scroll the page.
    const isForList = !event.key.startsWith('Arrow') || (hasArrows && isInRow(event));
    if (step !== undefined) return isForList && move(step) !== false;
    return Object.hasOwn(actions, event.key) && actions[event.key]?.() !== false;
  });
}

/** How a list that draws only some of its rows moves from one of them. Returns false at its ends. */
export const rowSteps = new WeakMap<Element, (row: HTMLElement, step: 1 | -1) => boolean>();

/**
 * Moves the focus to the next (1) or previous (-1) element with `data-row`; if none has it, to the open row or the first one in
 * view. Every list of the app marks its rows that way, so j and k work on all screens and in dialogs. Returns false if there are
 * no rows.
 */
export function moveRow(step: 1 | -1): boolean {
  const area = openOverlays().at(-1) ?? document.querySelector('main');
  const rows = [...(area?.querySelectorAll<HTMLElement>('[data-row]:not(:disabled)') ?? [])].filter(
    (row) => !row.closest('[inert]'),
  );
  const focused = rows.findLastIndex((row) => row.contains(document.activeElement));
  const from = rows[focused];
  const list = from?.closest('ul');
  if (from && list && rowSteps.get(list)?.(from, step)) return true;
  const row = from ? rows[focused + step] : firstRow(rows);
  if (row) focusRow(row);
  row?.scrollIntoView({ block: 'nearest' });
  return rows.length > 0;
}

/** Focuses a row, or what opens it if the row itself cannot have the focus. */
export function focusRow(row: HTMLElement): void {
  const target = row.tabIndex >= 0 || row.hasAttribute('tabindex') ? row : row.querySelector<HTMLElement>('a, button');
  target?.focus({ preventScroll: true });
}

function firstRow(rows: readonly HTMLElement[]): HTMLElement | undefined {
  const open = rows.find((row) => row.getAttribute('aria-current') !== null);
  return open ?? rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0];
}

/** Handles keys before the app-wide shortcuts do. `onKey` returns whether it used the key. */
export function useKeys(onKey: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || isLeavingNotice(event) || !latest.current(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, []);
}

/** Escape goes back from a notice to where the focus was. */
function isLeavingNotice({ key, target }: KeyboardEvent): boolean {
  return key === 'Escape' && target instanceof Element && target.closest('[data-sonner-toaster]') !== null;
}

/** Whether the event comes from a text field, including one in the text editor's shadow root. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  const fields = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]';
  return target instanceof Element && target.closest(fields) !== null;
}

/** Whether a dialog, menu or list box is open. */
export function isCovered(): boolean {
  return openOverlays().length > 0;
}

/** The list box of a Select stays in the document, hidden, once the Select has had the focus. */
function openOverlays(): Element[] {
  const overlays = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';
  return [...document.querySelectorAll(`:is(${overlays}):not([hidden], [hidden] *)`)];
}

/** Whether a key is no shortcut now: the user types, an overlay is open, or it is a character and those are switched off. */
export function isBusy(event: KeyboardEvent): boolean {
  return isTyping(event) || isCovered() || (event.key.length === 1 && !areLettersOn());
}

/** Handles the keys of a closed select: a letter that is a shortcut does not also choose the option that begins with it. */
export function leaveShortcuts(event: SelectKeyEvent): void {
  if (event.key.length === 1 && event.key !== ' ' && !isBusy(event.nativeEvent)) event.preventBaseUIHandler();
}

interface SelectKeyEvent {
  key: string;
  nativeEvent: KeyboardEvent;
  preventBaseUIHandler: () => void;
}

function isInRow(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('[data-row]') !== null;
}
