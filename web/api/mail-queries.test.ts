import { expect, it } from 'vitest';
import type { MailThread } from '../../src/team/mail/mail.ts';
import { withThreadRead } from './mail-queries.ts';

// As much of a thread as is looked at here.
const thread = (threadId: string, unread: number) => ({ threadId, unread }) as MailThread;

it('an opened thread is marked as read in a list', () => {
  const list = { items: [thread('a', 2), thread('b', 1)] };
  expect(withThreadRead(list, 'a').items.map((each) => each.unread)).toEqual([0, 1]);
  expect(withThreadRead(list, 'nowhere')).toBe(list);
});
