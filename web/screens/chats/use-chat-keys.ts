import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { isBusy, isCovered, isTyping, useKeys, useListKeys } from '../../ui/use-list-keys.ts';

export interface ChatKeys {
  newChat: () => void;
  write: () => void;
  /** Opens the next (1) or previous (-1) tab. */
  moveTab: (step: 1 | -1) => void;
  closeTab: () => void;
}

const answers: Record<string, ApprovalAnswer> = { '1': 'approve', '2': 'chat', '3': 'deny', '4': 'always' };

/** Handles the keyboard shortcuts of the chat screen. */
export function useChatKeys({ newChat, write, moveTab, closeTab }: ChatKeys): void {
  useListKeys({ hasArrows: false, actions: { c: newChat, r: write, x: closeTab } });
  useKeys((event) => {
    if (!event.altKey || event.metaKey || event.ctrlKey || isCovered()) return false;
    if (event.key === 'ArrowDown') moveTab(1);
    else if (event.key === 'ArrowUp') moveTab(-1);
    else return false;
    return true;
  });
}

export interface AnswerKeys {
  /** Null when no answer is in progress. */
  stop: (() => void) | null;
  /** Null when no call is waiting. */
  decide: ((answer: ApprovalAnswer) => void) | null;
}

/** Esc stops the answer; 1 to 4 decide the waiting call, but never while the user types. */
export function useAnswerKeys({ stop, decide }: AnswerKeys): void {
  useKeys((event) => {
    if (event.altKey || event.metaKey || event.ctrlKey || event.shiftKey || isCovered()) return false;
    if (event.key === 'Escape' && stop) {
      // In the message box the first Esc only moves to the approval, so that a slip decides nothing.
      if (decide && isTyping(event)) {
        document.querySelector<HTMLElement>('[data-approval] button')?.focus();
        return true;
      }
      // In other fields Esc has its own meaning, such as clearing a search or cancelling an edit.
      const box = event.composedPath()[0];
      if (isTyping(event) && !(box instanceof HTMLElement && 'composer' in box.dataset)) return false;
      stop();
      return true;
    }
    const answer = answers[event.key];
    if (!decide || !answer || event.repeat || isBusy(event)) return false;
    decide(answer);
    return true;
  });
}
