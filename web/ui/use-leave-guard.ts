import { useBlocker } from '@tanstack/react-router';
import { confirm } from './confirm.tsx';

/** Asks before unsaved changes are lost: on the way to another screen, and when the page closes. `what`: "this agent". */
export function useLeaveGuard(dirty: boolean, what: string): void {
  useBlocker({
    disabled: !dirty,
    enableBeforeUnload: () => dirty,
    shouldBlockFn: async ({ current, next }) => {
      if (!dirty || current.pathname === next.pathname) return false;
      const leave = await confirm({
        title: 'Leave without saving?',
        message: `Your changes to ${what} are not saved yet.`,
        confirmLabel: 'Leave',
        cancelLabel: 'Stay',
        danger: true,
      });
      return !leave;
    },
  });
}
