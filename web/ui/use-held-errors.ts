import { createContext, type FocusEvent, useCallback, useMemo, useState } from 'react';

/** Whether the user is typing in a field of the surrounding form. */
export const TypingContext = createContext(false);

export interface Typing {
  isTyping: boolean;
  /** Shows what is held back, because the user asked for it to be saved. */
  stop: () => void;
  /** For the element around the form. */
  events: { onFocus: (event: FocusEvent) => void; onBlur: () => void };
}

const textFields = 'input:not([type="checkbox"], [type="radio"], [type="color"]), textarea, [contenteditable="true"]';

/** Notices whether the focus is in a text field of a form. */
export function useTyping(): Typing {
  const [isTyping, setIsTyping] = useState(false);
  const stop = useCallback(() => setIsTyping(false), []);
  const events = useMemo(
    () => ({ onFocus: ({ target }: FocusEvent) => setIsTyping(target.closest(textFields) !== null), onBlur: stop }),
    [stop],
  );
  return { isTyping, stop, events };
}

/**
 * Returns the items without the errors that came up while the user types: those are shown once the field is left. Errors that were
 * shown before stay until they are corrected.
 */
export function useHeldErrors<T>(items: readonly T[], keyOf: (item: T) => string, isTyping: boolean): readonly T[] {
  const [shown, setShown] = useState<ReadonlySet<string>>(() => new Set(items.map(keyOf)));
  const next = useMemo(
    () => (isTyping ? items.filter((item) => shown.has(keyOf(item))) : items),
    [items, shown, keyOf, isTyping],
  );
  const keys = new Set(next.map(keyOf));
  // Errors that were corrected are forgotten, so that they are held back when they come up again.
  if (keys.symmetricDifference(shown).size > 0) setShown(keys);
  return next.length === items.length ? items : next;
}
