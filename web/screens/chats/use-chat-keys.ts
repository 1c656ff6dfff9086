import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { isBusy, isCovered, isTyping, useKeys, useListKeys } from '../../ui/use-list-keys.ts';

export interface ChatKeys {
  newChat: () => void;
  write: () => void;
  /** To the tab after this one (1) or before it (-1). */
  moveTab: (step: 1 | -1) => void;
  closeTab: () => void;
  /** To the past chat below (1) or above (-1). */
  moveRow: (step: 1 | -1) => void;
}

const answers: Record<string, ApprovalAnswer> = { '1': 'approve', '2': 'always', '3': 'deny' };

/** The keys of the chats. */
export function useChatKeys({ newChat, write, moveTab, closeTab, moveRow }: ChatKeys): void {
  useListKeys({ move: moveRow, hasArrows: false, actions: { c: newChat, r: write, x: closeTab } });
  useKeys((event) => {
    if (!event.altKey || event.metaKey || event.ctrlKey || isCovered()) return false;
    if (event.key === 'ArrowDown') moveTab(1);
    else if (event.key === 'ArrowUp') moveTab(-1);
    else return false;
    return true;
  });
}

export interface AnswerKeys {
  /** Null when nothing is under way. */
  stop: (() => void) | null;
  /** Null when no call waits. */
  decide: ((answer: ApprovalAnswer) => void) | null;
}

/** Esc stops the answer; 1, 2 and 3 decide about the call that waits, never while somebody types. */
export function useAnswerKeys({ stop, decide }: AnswerKeys): void {
  useKeys((event) => {
    if (event.altKey || event.metaKey || event.ctrlKey || event.shiftKey || isCovered()) return false;
    if (event.key === 'Escape' && stop) {
      // From the message box the first Esc leads to the question, so that no slip of the finger decides it.
      if (decide && isTyping(event)) {
        document.querySelector<HTMLElement>('[data-approval] button')?.focus();
        return true;
      }
      // Elsewhere Esc has its own meaning: an emptied search, an edit that is given up.
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
