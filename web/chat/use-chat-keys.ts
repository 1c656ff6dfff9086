import { useEffect, useRef } from 'react';
import type { ApprovalAnswer } from '../../src/engine/run-events.ts';

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

/** The keys of the chats. They come before those of the app, which has other plans for some. */
export function useChatKeys(keys: ChatKeys): void {
  useKeys(keys, (event, { newChat, write, moveTab, closeTab, moveRow }) => {
    if (event.altKey && !event.metaKey && !event.ctrlKey && !isCovered()) {
      if (event.key === 'ArrowDown') moveTab(1);
      else if (event.key === 'ArrowUp') moveTab(-1);
      else return false;
      return true;
    }
    if (event.altKey || event.metaKey || event.ctrlKey || event.shiftKey || isBusy(event)) return false;
    if (event.key === 'c') newChat();
    else if (event.key === 'r') write();
    else if (event.key === 'x') closeTab();
    else if (event.key === 'j') moveRow(1);
    else if (event.key === 'k') moveRow(-1);
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
export function useAnswerKeys(keys: AnswerKeys): void {
  useKeys(keys, (event, { stop, decide }) => {
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

function useKeys<K>(keys: K, onKey: (event: KeyboardEvent, keys: K) => boolean): void {
  const latest = useRef({ keys, onKey });
  useEffect(() => {
    latest.current = { keys, onKey };
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !latest.current.onKey(event, latest.current.keys)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, []);
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}

/** Something stands over the screen. */
function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null;
}

function isBusy(event: KeyboardEvent): boolean {
  return isTyping(event) || isCovered();
}
