import { useEffect } from 'react';

export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
/** How the palette's shortcut is written on this machine. */
export const paletteKeys = isApple ? '⌘K' : 'Ctrl K';

export interface ShortcutActions {
  openPalette: () => void;
  focusSearch: () => void;
  newAgent: () => void;
  openChat: () => void;
  openKnowledge: () => void;
  openTeam: () => void;
  openMail: () => void;
  openDecisions: () => void;
  openServers: () => void;
  openTools: () => void;
  openHelp: () => void;
}

/** The keys of the whole app. Single letters are left alone while a person types or a dialog is open. */
export function useShortcuts(actions: ShortcutActions): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if ((event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        actions.openPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isBusy(event.composedPath()[0])) return;
      const keys = {
        '/': actions.focusSearch,
        n: actions.newAgent,
        c: actions.openChat,
        k: actions.openKnowledge,
        t: actions.openTeam,
        m: actions.openMail,
        d: actions.openDecisions,
        s: actions.openServers,
        w: actions.openTools,
        '?': actions.openHelp,
      };
      const action = Object.hasOwn(keys, event.key) ? keys[event.key as keyof typeof keys] : undefined;
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [actions]);
}

/** `target` is the innermost element, also inside a shadow root such as that of the text editor. */
function isBusy(target: EventTarget | undefined): boolean {
  if (!(target instanceof Element)) return false;
  return Boolean(
    target.closest('input, textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"]') ||
      document.querySelector('[role="dialog"], [role="alertdialog"]'),
  );
}
