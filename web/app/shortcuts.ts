import { useEffect } from 'react';
import { isApple } from '../ui/kbd.tsx';
import { areLettersOn } from '../ui/shortcut-setting.ts';
import { isBusy, isTyping, moveRow } from '../ui/use-list-keys.ts';
import { type Screen, screens } from './screens.ts';

/** The label of the palette shortcut on this platform. */
export const paletteKeys = isApple ? '⌘K' : 'Ctrl K';

export interface ShortcutActions {
  openPalette: () => void;
  focusSearch: () => void;
  open: (screen: Screen) => void;
  openHelp: () => void;
}

/** Handles the app-wide shortcuts. Single letters do nothing while you type; in a dialog, only j and k do. */
export function useShortcuts(actions: ShortcutActions): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if ((event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        actions.openPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey) return;
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : undefined;
      if (step) {
        // Dialogs have lists, too.
        if (!isTyping(event) && areLettersOn() && moveRow(step)) event.preventDefault();
        return;
      }
      if (isBusy(event)) return;
      const screen = screens.find(({ shortcut }) => shortcut === event.key);
      if (screen) actions.open(screen);
      else if (event.key === '/') actions.focusSearch();
      else if (event.key === '?') actions.openHelp();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [actions]);
}
