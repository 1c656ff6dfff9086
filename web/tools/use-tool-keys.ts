import { useEffect, useRef } from 'react';

export interface ToolKeys {
  move: (step: 1 | -1) => void;
  back: () => void;
}

/** j and k, or the arrows in the list, walk over the tools; u and Escape go back to them. Not while a person types or a dialog is open. */
export function useToolKeys(keys: ToolKeys): void {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
      if (isBusy(event.target)) return;
      const isInList = event.target instanceof HTMLElement && event.target.dataset.row !== undefined;
      const step = stepOf(event.key, isInList);
      if (step !== 0) now.current.move(step);
      else if (event.key === 'u' || event.key === 'Escape') now.current.back();
      else return;
      event.preventDefault();
    };
    // Before the keys of the whole app, of which k is one.
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, []);
}

function stepOf(key: string, isInList: boolean): 1 | -1 | 0 {
  if (key === 'j' || (isInList && key === 'ArrowDown')) return 1;
  if (key === 'k' || (isInList && key === 'ArrowUp')) return -1;
  return 0;
}

function isBusy(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return Boolean(
    target.closest('input, textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"]') ||
      document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]'),
  );
}
