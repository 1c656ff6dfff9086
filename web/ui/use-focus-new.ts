import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Scrolls a field that was just added into view, ready for typing over its text: the next key is never a shortcut. `onFocused` runs
 * once it has the focus. Whoever marks the field as new clears the mark then, because the field may be drawn anew later.
 */
export function useFocusNew(isNew: boolean, onFocused: () => void): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (!isNew) return;
    field.current?.focus({ preventScroll: true });
    field.current?.select();
    field.current?.scrollIntoView({ block: 'center' });
    onFocused();
  }, [isNew, onFocused]);
  return field;
}
