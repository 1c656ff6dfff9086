import type { MailThread } from '../../src/team/mail.ts';

type Row = Pick<MailThread, 'threadId'>;

/** Where the list must be scrolled to after news, so that the rows one looks at stay where they are. */
export function scrollAfterNews(
  before: readonly Row[],
  after: readonly Row[],
  { scrollTop, rowHeight }: { scrollTop: number; rowHeight: number },
): number {
  // At the very top one wants to see what arrives.
  if (scrollTop < rowHeight / 2) return scrollTop;
  const index = Math.floor(scrollTop / rowHeight);
  const now = new Map(after.map((row, place) => [row.threadId, place]));
  // A row that moved up itself, because it got a mail, does not hold the place: the next one that stayed does.
  for (let place = index; place < Math.min(before.length, index + 20); place += 1) {
    const row = before[place];
    const next = row && now.get(row.threadId);
    if (next !== undefined && next >= place) return scrollTop + (next - place) * rowHeight;
  }
  return scrollTop;
}

/** The thread that is open stays in a list that it has just left, as one that is read is no longer unread. */
export function withOpenThread(threads: MailThread[], open: MailThread | undefined): MailThread[] {
  if (!open || threads.some((thread) => thread.threadId === open.threadId)) return threads;
  const at = threads.findIndex((thread) => thread.last.createdAt < open.last.createdAt);
  return threads.toSpliced(at === -1 ? threads.length : at, 0, { ...open, unread: 0 });
}
