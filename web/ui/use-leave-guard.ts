import { useBlocker } from '@tanstack/react-router';
import { confirm } from './confirm.tsx';

/** Asks before navigation or closing the page discards unsaved changes. `what` names them, e.g. "this agent". */
export function useLeaveGuard(dirty: boolean, what: string): void {
  useBlocker({
    disabled: !dirty,
    enableBeforeUnload: () => dirty,
    shouldBlockFn: async ({ current, next }) => {
      if (!dirty || current.pathname === next.pathname) return false;
      const leave = await confirm({
        title: 'Discard unsaved changes?',
        message: `Your changes to ${what} will be lost.`,
        confirmLabel: 'Discard changes',
        cancelLabel: 'Keep editing',
        danger: true,
      });
      return !leave;
    },
  });
}
