import { useSyncExternalStore } from 'react';

/** Whether the system tells the user about new items while the page is hidden. */
export type Notified = 'on' | 'off' | 'blocked' | 'unsupported';

const key = 'zoo-notifications';
const listeners = new Set<() => void>();

export function notifiedNow(): Notified {
  if (!('Notification' in window)) return 'unsupported';
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
  for (const listener of listeners) listener();
}
