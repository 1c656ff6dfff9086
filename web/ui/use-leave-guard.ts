import { useBlocker } from '@tanstack/react-router';
import { ask } from './confirm.tsx';

export interface LeaveGuard {
  dirty: boolean;
  /** Names what has changes, e.g. "this agent". */
  what: string;
  /** Resolves to whether the changes were saved. */
  save: () => Promise<boolean>;
  discard: () => void;
  /** Returns whether the browser stores all changes, so that closing the page loses nothing. */
  isHeld: () => boolean;
}

/** Asks before leaving a screen with unsaved changes. Closing or reloading the page asks only if that would lose some. */
export function useLeaveGuard({ dirty, what, save, discard, isHeld }: LeaveGuard): void {
  useBlocker({
    disabled: !dirty,
    enableBeforeUnload: () => dirty && !isHeld(),
    shouldBlockFn: async ({ current, next }) => {
      if (!dirty || current.pathname === next.pathname) return false;
      const answer = await ask({
        title: 'Save your changes?',
        message: `Your changes to ${what} are not saved yet.`,
        confirmLabel: 'Save and leave',
        otherLabel: 'Discard',
        cancelLabel: 'Stay',
      });
      if (answer === 'yes') return !(await save());
      if (answer === 'other') discard();
      return answer === 'no';
    },
  });
}
