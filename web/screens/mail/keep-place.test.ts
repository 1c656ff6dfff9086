import { describe, expect, it } from 'vitest';
import type { MailThread } from '../../../src/team/mail/mail.ts';
import { scrollAfterNews, withOpenThread } from './keep-place.ts';

const rows = (ids: string) => [...ids].map((threadId) => ({ threadId }));
const place = (scrollTop: number) => ({ scrollTop, rowHeight: 10 });
const thread = (threadId: string, minute: number, unread = 1) =>
  // As much of a thread as is looked at here.
  ({ threadId, unread, last: { createdAt: `2026-03-10T12:${minute}:00.000Z` } }) as MailThread;

describe('scrollAfterNews', () => {
  it.each([
    ['at the top what is new is seen', 'abcdef', 'xabcdef', 0, 0],
    ['further down the rows stay in sight', 'abcdef', 'xyabcdef', 25, 45],
    ['a row that moved to the top from below moves the others by one', 'abcdef', 'fabcde', 25, 35],
    ['a row that moved to the top from above changes nothing below', 'abcdef', 'bacdef', 25, 25],
    ['when the row in sight moved up itself, the others hold the place', 'abcdef', 'cabdef', 25, 25],
    ['a row that is gone from above moves the others back', 'abcdef', 'acdef', 25, 15],
    ['rows at the end change nothing', 'abcdef', 'abcdefgh', 25, 25],
    ['other rows altogether change nothing', 'abcdef', 'uvwxyz', 25, 25],
  ])('%s', (_what, before, after, from, to) => {
    expect(scrollAfterNews(rows(before), rows(after), place(from))).toBe(to);
  });
});

describe('withOpenThread', () => {
  const list = [thread('a', 30), thread('b', 20)];

  it('keeps the open thread where it stood, as read', () => {
    expect(withOpenThread(list, thread('open', 25)).map((each) => [each.threadId, each.unread])).toEqual([
      ['a', 1],
      ['open', 0],
      ['b', 1],
    ]);
    expect(withOpenThread(list, thread('open', 10)).at(-1)?.threadId).toBe('open');
  });

  it('leaves a list alone that holds it already, or when none is open', () => {
    expect(withOpenThread(list, thread('a', 30))).toBe(list);
    expect(withOpenThread(list, undefined)).toBe(list);
  });
});
