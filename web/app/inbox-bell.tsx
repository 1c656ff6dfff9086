import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { InboxItem } from '../../src/inbox/inbox.ts';
import { useInbox } from '../api/inbox-queries.ts';
import { notifiedNow } from '../parts/inbox/notified.ts';
import { useTitleCount } from '../ui/use-title.ts';

/** Announces what waits for the user: in the title of the tab and, if allowed, by the system while the page is hidden. */
export function useInboxNews(): void {
  const { data } = useInbox();
  const navigate = useNavigate();
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  useTitleCount(data?.items.length ?? 0);
  useEffect(() => {
    if (!data) return;
    const before = known.current;
    known.current = new Set(data.items.map(({ id }) => id));
    // The bell already shows what was waiting when the page was opened.
    if (!before || !document.hidden || notifiedNow() !== 'on') return;
    const news = data.items.filter(({ id }) => !before.has(id));
    if (news.length > 0) notify(news, () => void navigate({ to: '/inbox' }));
  }, [data, navigate]);
}

function notify(news: readonly InboxItem[], onOpen: () => void): void {
  const [first] = news;
  const title = news.length === 1 && first ? first.title : `${news.length} items are waiting for you`;
  const notification = new Notification(title, { tag: 'agent-zoo-inbox', icon: '/favicon.svg' });
  notification.onclick = () => {
    window.focus();
    onOpen();
    notification.close();
  };
}
