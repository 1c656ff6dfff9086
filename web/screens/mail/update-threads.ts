import type { MailThread } from '../../../src/team/mail/mail.ts';

type Row = Pick<MailThread, 'threadId'>;

/** The number of visible rows whose median shift tells how far the list moved. A row with new mail moves on its own. */
const anchorRows = 7;

/** Returns the scroll position that keeps the visible rows in place after the list changed. */
export function scrollAfterUpdate(
  before: readonly Row[],
  after: readonly Row[],
  { scrollTop, rowHeight }: { scrollTop: number; rowHeight: number },
): number {
  // At the top, new mail should be visible.
  if (scrollTop < rowHeight / 2) return scrollTop;
  const index = Math.floor(scrollTop / rowHeight);
  const now = new Map(after.map((row, position) => [row.threadId, position]));
  const moves = before
    .slice(index, index + anchorRows)
    .map((row, offset) => (now.get(row.threadId) ?? Number.NaN) - index - offset)
    .filter((move) => !Number.isNaN(move))
    .sort((a, b) => a - b);
  return scrollTop + (moves[Math.floor((moves.length - 1) / 2)] ?? 0) * rowHeight;
}

/** Keeps the open thread in a list that it has just left, such as the unread list. */
export function withOpenThread(threads: MailThread[], open: MailThread | undefined): MailThread[] {
  if (!open || threads.some((thread) => thread.threadId === open.threadId)) return threads;
  const at = threads.findIndex((thread) => thread.last.createdAt < open.last.createdAt);
  return threads.toSpliced(at === -1 ? threads.length : at, 0, { ...open, unread: 0 });
}
