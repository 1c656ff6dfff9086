import { type FocusEvent, type RefObject, useCallback, useEffect, useRef } from 'react';
import type { TaskState } from '../../../../src/team/work/task-moves.ts';

/** The card whose task has the keyboard, until the person goes elsewhere. */
interface Owed {
  id: string;
  /** Where the task was moved to by keys or menu; its card there takes the focus, also from a menu that closes. */
  goal: TaskState | null;
  /** Where the card had the focus last. */
  seenIn: string | undefined;
}

/**
 * Keeps the focus with a card. In another column it is another element, and one that leaves the page takes the focus
 * with it: so the focus is put again after each change of the board, however many there are and whoever made them.
 */
export function useCardFocus(board: RefObject<HTMLElement | null>) {
  const owed = useRef<Owed | null>(null);

  const settle = useCallback(() => {
    if (!board.current || !owed.current) return;
    const { id, goal, seenIn } = owed.current;
    const inGoal = goal && board.current.querySelector<HTMLElement>(`[data-column="${goal}"] ${cardSelector(id)}`);
    if (inGoal) {
      owed.current.goal = null;
      inGoal.focus();
    } else if (isFocusLost()) {
      const card = board.current.querySelector<HTMLElement>(cardSelector(id));
      // Where it was already, the person may have scrolled on.
      card?.focus({ preventScroll: columnOf(card) === seenIn });
    }
  }, [board]);

  useEffect(settle);
  // Columns draw their cards on their own, too.
  useEffect(() => {
    if (!board.current) return;
    const observer = new MutationObserver(settle);
    observer.observe(board.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [board, settle]);
  // Who goes on meanwhile is not called back: by pointer to nowhere, by key from a place the card did not have yet.
  useEffect(() => {
    const onPointer = () => {
      owed.current = null;
    };
    const onKey = () => {
      if (owed.current) owed.current.goal = null;
    };
    document.addEventListener('pointerdown', onPointer, true);
    document.addEventListener('keydown', onKey, true);
    return () => {
      document.removeEventListener('pointerdown', onPointer, true);
      document.removeEventListener('keydown', onKey, true);
    };
  }, []);

  const onFocus = useCallback(({ target }: FocusEvent<HTMLElement>) => {
    const id = target.dataset.task;
    if (id === undefined) return;
    const goal = owed.current?.id === id ? owed.current.goal : null;
    owed.current = { id, goal, seenIn: columnOf(target) };
  }, []);
  // React is silent about elements that it takes away, and a window that loses the focus keeps its active element:
  // what is left is a person who goes on to something else.
  const onBlur = useCallback(({ target }: FocusEvent<HTMLElement>) => {
    if (target === document.activeElement || target.dataset.task !== owed.current?.id) return;
    if (owed.current?.goal === null) owed.current = null;
  }, []);

  /** The task goes to another column, and the focus with it. */
  const follow = useCallback((id: string, goal: TaskState) => {
    owed.current = { id, goal, seenIn: undefined };
  }, []);
  return { onFocus, onBlur, follow };
}

export function cardSelector(taskId: string): string {
  return `[data-task="${CSS.escape(taskId)}"]`;
}

function columnOf(card: HTMLElement): string | undefined {
  return card.closest<HTMLElement>('[data-column]')?.dataset.column;
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
