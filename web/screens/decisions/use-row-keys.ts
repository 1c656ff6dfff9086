import { type RefObject, useEffect, useRef } from 'react';
import { useListKeys } from '../../ui/use-list-keys.ts';

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

/** j and k, or the arrows, walk over the rows. */
export function useRowKeys(keys: RowKeys): void {
  const wanted = useRef<number | null>(null);
  // A row far away is drawn only after the scroll that brings it near.
  useEffect(() => {
    if (wanted.current !== null && focusRow(keys, wanted.current)) wanted.current = null;
  });
  useListKeys({
    move(step) {
      const { list, count, isEntry, firstShown, scrollTo } = keys;
      if (count === 0) return false;
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      const isInList = focused?.dataset.row !== undefined && list.current?.contains(focused);
      let row = isInList ? Number(focused?.dataset.row) + step : firstShown;
      while (row >= 0 && row < count && !isEntry(row)) row += isInList ? step : 1;
      if (row < 0 || row >= count || focusRow(keys, row)) return true;
      wanted.current = row;
      scrollTo(row);
      return true;
    },
  });
}

function focusRow({ list, onMove }: RowKeys, row: number): boolean {
  const button = list.current?.querySelector<HTMLElement>(`[data-row="${row}"]`);
  if (!button) return false;
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: 'nearest' });
  onMove(row);
  return true;
}
