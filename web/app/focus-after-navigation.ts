import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** A screen that goes away takes the focus with it; the keyboard then goes on at the start of the next screen. */
export function useFocusAfterNavigation(): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    const isFirst = before.current === undefined;
    before.current = path;
    if (isFirst || (document.activeElement && document.activeElement !== document.body)) return;
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [path]);
}
