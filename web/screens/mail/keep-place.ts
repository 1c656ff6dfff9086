import type { MailThread } from '../../../src/team/mail/mail.ts';

type Row = Pick<MailThread, 'threadId'>;

/** A row that got a mail moves up by itself; most of those in sight tell how far the list moved. */
const rowsThatHold = 7;

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
  const moves = before
    .slice(index, index + rowsThatHold)
    .map((row, offset) => (now.get(row.threadId) ?? Number.NaN) - index - offset)
    .filter((move) => !Number.isNaN(move))
    .sort((a, b) => a - b);
  return scrollTop + (moves[Math.floor((moves.length - 1) / 2)] ?? 0) * rowHeight;
}

/** The thread that is open stays in a list that it has just left, as one that is read is no longer unread. */
export function withOpenThread(threads: MailThread[], open: MailThread | undefined): MailThread[] {
  if (!open || threads.some((thread) => thread.threadId === open.threadId)) return threads;
  const at = threads.findIndex((thread) => thread.last.createdAt < open.last.createdAt);
  return threads.toSpliced(at === -1 ? threads.length : at, 0, { ...open, unread: 0 });
}
