import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Scrolls a field that was just added into view, ready for typing over its text: the next key is never a shortcut. */
export function useFocusNew(isNew: boolean): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (!isNew) return;
    field.current?.focus({ preventScroll: true });
    field.current?.select();
    field.current?.scrollIntoView({ block: 'center' });
  }, [isNew]);
  return field;
}
