import { type RefObject, useEffect, useRef } from 'react';

export interface RowKeys {
  list: RefObject<HTMLElement | null>;
  count: number;
  /** Days are passed over. */
  isEntry: (row: number) => boolean;
  /** Where to begin when no row has the focus. */
  firstShown: number;
  scrollTo: (row: number) => void;
  /** The focus came to this row by a key. */
  onMove: (row: number) => void;
}

/** j and k, or the arrows, walk over the rows. Letters are left alone while a person types or a dialog is open. */
export function useRowKeys(keys: RowKeys): void {
  const now = useRef(keys);
  now.current = keys;
  const wanted = useRef<number | null>(null);
  // A row far away is drawn only after the scroll that brings it near.
  useEffect(() => {
    if (wanted.current !== null && focusRow(now.current, wanted.current)) wanted.current = null;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      const isInList = focused?.dataset.row !== undefined && now.current.list.current?.contains(focused);
      const step = stepOf(event.key, Boolean(isInList));
      if (step === 0 || now.current.count === 0 || isBusy(event.target)) return;
      event.preventDefault();
      const { count, isEntry, firstShown, scrollTo } = now.current;
      let row = isInList ? Number(focused?.dataset.row) + step : firstShown;
      while (row >= 0 && row < count && !isEntry(row)) row += isInList ? step : 1;
      if (row < 0 || row >= count || focusRow(now.current, row)) return;
      wanted.current = row;
      scrollTo(row);
    };
    // Before the keys of the whole app, of which k is one.
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, []);
}

function focusRow({ list, onMove }: RowKeys, row: number): boolean {
  const button = list.current?.querySelector<HTMLElement>(`[data-row="${row}"]`);
  if (!button) return false;
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: 'nearest' });
  onMove(row);
  return true;
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
      document.querySelector('[role="dialog"], [role="alertdialog"]'),
  );
}
