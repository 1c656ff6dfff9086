import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { InboxItem } from '../../src/inbox/inbox.ts';
import { holdLock } from '../api/hold-lock.ts';
import { useInbox } from '../api/inbox-queries.ts';
import { notifiedNow, notify } from '../parts/inbox/notified.ts';
import { useTitleCount } from '../ui/use-title.ts';

/** Announces what waits for the user: in the title of the tab and, if allowed, by the system while they look at something else. */
export function useInboxNews(): void {
  const { data } = useInbox();
  const navigate = useNavigate();
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  useTitleCount(data?.items.length ?? 0);
  useEffect(holdWhileFocused, []);
  useEffect(() => {
    if (!data) return;
    const before = known.current;
    known.current = new Set(data.items.map(({ id }) => id));
    // The bell already shows what was waiting when the page was opened.
    const news = before ? data.items.filter(({ id }) => !before.has(id)) : [];
    const onOpen = (item?: string) => void navigate({ to: '/inbox', search: item === undefined ? {} : { item } });
    if (news.length > 0) announce(news, onOpen).catch(() => {});
  }, [data, navigate]);
}

const focusLock = 'zoo-focused-page';

/** Lets the other pages of this browser know whether the user is looking at this one. */
function holdWhileFocused(): () => void {
  let release = () => {};
  const onFocus = () => {
    release();
    if (document.hasFocus()) release = holdLock(focusLock, { mode: 'shared' });
  };
  onFocus();
  for (const event of ['focus', 'blur'] as const) window.addEventListener(event, onFocus);
  return () => {
    for (const event of ['focus', 'blur'] as const) window.removeEventListener(event, onFocus);
    release();
  };
}

/** More are announced together. */
const maxNotifications = 3;
const toldKey = 'zoo-announced';
const maxTold = 500;

/** Announces each item once for all pages of this browser, and none if the user looks at one of them. */
async function announce(news: readonly InboxItem[], onOpen: (item?: string) => void): Promise<void> {
  // Browsers that have no locks at this address show no notifications either.
  if (!('locks' in navigator)) return;
  await navigator.locks.request('zoo-announcing', async () => {
    // Only this function writes it.
    const told = JSON.parse(localStorage.getItem(toldKey) ?? '[]') as string[];
    const fresh = news.filter(({ id }) => !told.includes(id));
    localStorage.setItem(toldKey, JSON.stringify([...told, ...fresh.map(({ id }) => id)].slice(-maxTold)));
    const { held = [] } = await navigator.locks.query();
    if (notifiedNow() !== 'on' || held.some(({ name }) => name === focusLock)) return;
    if (fresh.length > maxNotifications)
      notify(`${fresh.length} items are waiting for you`, { tag: 'inbox', onOpen: () => onOpen() });
    else for (const { id, title } of fresh) notify(title, { tag: id, onOpen: () => onOpen(id) });
  });
}
