import { describe, expect, it } from 'vitest';
import type { MailThread } from '../../../src/team/mail/mail.ts';
import { scrollAfterUpdate, withOpenThread } from './update-threads.ts';

const rows = (ids: string) => [...ids].map((threadId) => ({ threadId }));
const position = (scrollTop: number) => ({ scrollTop, rowHeight: 10 });
const thread = (threadId: string, minute: number, unread = 1) =>
  // Only the fields that the functions read.
  ({ threadId, unread, last: { createdAt: `2026-03-10T12:${minute}:00.000Z` } }) as MailThread;

describe('scrollAfterUpdate', () => {
  it.each([
    ['at the top, new rows become visible', 'abcdef', 'xabcdef', 0, 0],
    ['further down, the rows stay in view', 'abcdef', 'xyabcdef', 25, 45],
    ['a row that moves to the top from below shifts the others by one', 'abcdef', 'fabcde', 25, 35],
    ['a row that moves to the top from above changes nothing below', 'abcdef', 'bacdef', 25, 25],
    ['when the first visible row moves up, the others keep the position', 'abcdef', 'cabdef', 25, 25],
    ['a row removed above shifts the others back', 'abcdef', 'acdef', 25, 15],
    ['rows at the end change nothing', 'abcdef', 'abcdefgh', 25, 25],
    ['a completely different list changes nothing', 'abcdef', 'uvwxyz', 25, 25],
  ])('%s', (_what, before, after, from, to) => {
    expect(scrollAfterUpdate(rows(before), rows(after), position(from))).toBe(to);
  });
});

describe('withOpenThread', () => {
  const list = [thread('a', 30), thread('b', 20)];

  it('keeps the open thread in its position, as read', () => {
    expect(withOpenThread(list, thread('open', 25)).map((each) => [each.threadId, each.unread])).toEqual([
      ['a', 1],
      ['open', 0],
      ['b', 1],
    ]);
    expect(withOpenThread(list, thread('open', 10)).at(-1)?.threadId).toBe('open');
  });

  it('returns the same list when it contains the thread or none is open', () => {
    expect(withOpenThread(list, thread('a', 30))).toBe(list);
    expect(withOpenThread(list, undefined)).toBe(list);
  });
});
