import { describe, expect, it } from 'vitest';
import type { MailThread } from '../../src/team/mail.ts';
import { addNextPage, mergeFirstPage, withThreadRead } from './merge-threads.ts';

/** A thread whose last mail came in this minute. */
const thread = (threadId: string, minute: number, unread = 0) =>
  // As much of a thread as is looked at here.
  ({ threadId, unread, last: { createdAt: `2026-03-10T12:${String(minute).padStart(2, '0')}:00.000Z` } }) as MailThread;
const loaded = (cursor: string | null, ...threads: MailThread[]) => ({ threads, cursor });
const ids = ({ threads }: { threads: MailThread[] }) => threads.map((each) => each.threadId).join('');

const before = loaded('after f', thread('a', 59), thread('b', 58), thread('c', 57), thread('e', 55), thread('f', 54));

describe('the first page again', () => {
  it('puts what is new on top and keeps what was loaded below', () => {
    const merged = mergeFirstPage(
      before,
      loaded('after c', thread('x', 60), thread('a', 59), thread('b', 58), thread('c', 57)),
    );
    expect(ids(merged)).toBe('xabcef');
    expect(merged.cursor).toBe('after f');
  });

  it('shows a thread once that moved up', () => {
    const merged = mergeFirstPage(before, loaded('after b', thread('e', 60), thread('a', 59), thread('b', 58)));
    expect(ids(merged)).toBe('eabcf');
  });

  it('drops what is no longer among the newest', () => {
    expect(ids(mergeFirstPage(before, loaded('after c', thread('a', 59), thread('c', 57))))).toBe('acef');
  });

  it('begins again when so much is new that something may lie between', () => {
    const page = loaded('after y', thread('x', 60), thread('y', 60));
    const since = loaded('after b', thread('a', 58), thread('b', 57));
    expect(mergeFirstPage(since, page)).toBe(page);
  });

  it('of a search that goes on further down leaves alone what was found there', () => {
    expect(mergeFirstPage(before, loaded('further down'))).toBe(before);
  });

  it('is all there is when no page follows, or none came before', () => {
    const page = loaded(null, thread('a', 59));
    expect(mergeFirstPage(before, page)).toBe(page);
    expect(mergeFirstPage(undefined, page)).toBe(page);
    expect(mergeFirstPage(before, loaded(null)).threads).toEqual([]);
  });
});

it('the next page follows, without threads that are there already', () => {
  const next = addNextPage(before, loaded(null, thread('f', 54), thread('g', 53)));
  expect(ids(next)).toBe('abcefg');
  expect(next.cursor).toBeNull();
});

it('a thread that was opened is read in every list', () => {
  const list = loaded(null, thread('a', 59, 2), thread('b', 58, 1));
  expect(withThreadRead(list, 'a').threads.map((each) => each.unread)).toEqual([0, 1]);
  expect(withThreadRead(list, 'nowhere')).toBe(list);
});
