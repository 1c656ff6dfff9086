import { useEffect, useRef } from 'react';

export interface ServerKeys {
  onAdd?: () => void;
  /** Esc with nothing open. */
  onLeave?: () => void;
}

/** j, k and the arrows walk over whatever has `data-row`; a adds. Left alone while a person types or a dialog is open. */
export function useServerKeys(keys: ServerKeys): void {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
      const step = stepOf(event.key);
      if (isBusy(event.target)) return;
      if (step !== 0) {
        if (walk(step, event.key.startsWith('Arrow'))) take(event);
      } else if (event.key === 'a' && now.current.onAdd) {
        take(event);
        now.current.onAdd();
      } else if (event.key === 'Escape' && now.current.onLeave) {
        take(event);
        now.current.onLeave();
      }
    };
    // Before the keys of the whole app, of which k is one.
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, []);
}

function take(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

/** Whether the focus moved. Arrows scroll the page unless a row has the focus. */
function walk(step: 1 | -1, isArrow: boolean): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const focused = rows.findIndex((row) => row.contains(document.activeElement));
  if (rows.length === 0 || (focused === -1 && isArrow)) return false;
  const row = focused === -1 ? rows[0] : rows[focused + step];
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
  return true;
}

function stepOf(key: string): 1 | -1 | 0 {
  if (key === 'j' || key === 'ArrowDown') return 1;
  if (key === 'k' || key === 'ArrowUp') return -1;
  return 0;
}

function isBusy(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return Boolean(
    target.closest(
      'input, textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"], [role="tab"]',
    ) || document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]'),
  );
}
