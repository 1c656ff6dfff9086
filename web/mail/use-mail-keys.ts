import { useEffect, useRef } from 'react';

export interface MailKeys {
  /** To the thread below (1) or above (-1). */
  move: (step: 1 | -1) => void;
  reply: () => void;
  compose: () => void;
  /** False when there is nothing to go back from. */
  back: () => boolean;
}

/** The keys of the mailbox. They come before those of the app, which has other plans for "k". */
export function useMailKeys(keys: MailKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
      if (isBusy(event.composedPath()[0])) return;
      const { move, reply, compose, back } = latest.current;
      if (event.key === 'j') move(1);
      else if (event.key === 'k') move(-1);
      else if (event.key === 'r') reply();
      else if (event.key === 'c') compose();
      else if (!((event.key === 'u' || event.key === 'Escape') && back())) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, []);
}

/** A person types, or something stands over the screen. */
function isBusy(target: EventTarget | undefined): boolean {
  return (
    (target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null) ||
    document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null
  );
}
