import { useSyncExternalStore } from 'react';

/** Whether the system tells the user about new items while they do not look at the app. */
export type Notified = 'on' | 'off' | 'blocked' | 'unsupported';

const key = 'zoo-notifications';
const listeners = new Set<() => void>();
/** Chrome on Android grants the permission, but refuses to show anything. */
let isRefused = false;

export function notifiedNow(): Notified {
  if (!('Notification' in window) || isRefused) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && localStorage.getItem(key) === 'on' ? 'on' : 'off';
}

export function useNotified(): Notified {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, notifiedNow);
}

/** Asks the browser for permission if it has not been asked. */
export async function setNotified(isOn: boolean): Promise<void> {
  if (isOn && Notification.permission === 'default') await Notification.requestPermission();
  localStorage.setItem(key, isOn ? 'on' : 'off');
  tellListeners();
}

/** Shows a notification, which replaces an earlier one with the same tag. */
export function notify(title: string, { tag, onOpen }: { tag: string; onOpen: () => void }): void {
  try {
    const notification = new Notification(title, { tag, icon: '/favicon.svg' });
    notification.onclick = () => {
      window.focus();
      onOpen();
      notification.close();
    };
  } catch {
    isRefused = true;
    tellListeners();
  }
}

function tellListeners(): void {
  for (const listener of listeners) listener();
}
