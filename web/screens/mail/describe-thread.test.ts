import { describe, expect, it } from 'vitest';
import type { Mail } from '../../../src/team/mail/mail.ts';
import {
  describeParticipants,
  faceOf,
  replyTarget,
  snippetOf,
  splitSubject,
  startOfReading,
} from './describe-thread.ts';

const mail = (change: Partial<Mail> = {}): Mail => ({
  id: 'mail_1',
  threadId: 'mail_1',
  inReplyTo: null,
  fromAgentId: 'worker-1',
  fromAgentType: 'WORKER',
  toAgentId: null,
  isForHuman: true,
  subject: 'Stuck',
  body: 'Help',
  isRead: false,
  createdAt: '2026-03-10T12:00:00.000Z',
  readAt: null,
  escalation: null,
  ...change,
});
const own = { fromAgentId: null, fromAgentType: 'HUMAN', toAgentId: 'worker-1', isForHuman: false } as const;
const system = { fromAgentId: null, fromAgentType: 'SYSTEM' } as const;

describe('a row', () => {
  it.each([
    ['the members', mail(), ['worker-1', null, 'lead'], 'worker-1, lead'],
    ['that the person wrote last', mail(own), [null, 'worker-1'], 'You → worker-1'],
    ['the hub when no member is in it', mail(system), [null], 'Agent Zoo'],
  ])('names %s', (_what, last, participants, said) => {
    expect(describeParticipants({ last, participants })).toBe(said);
  });

  it('shows the face of whom the person wrote to', () => {
    expect(faceOf({ last: mail(own) }).fromAgentId).toBe('worker-1');
    expect(faceOf({ last: mail(system) }).fromAgentType).toBe('SYSTEM');
  });

  it.each([
    ['⚠️ CRITICAL: mcp__mail__send failed', true, 'mcp__mail__send failed'],
    ['Re: ⚠️ CRITICAL mcp__mail__send failed', true, 'Re: mcp__mail__send failed'],
    ['⚠️ CRITICAL', true, '⚠️ CRITICAL'],
    ['A critical question', false, 'A critical question'],
  ])('takes the warning out of "%s"', (subject, isCritical, text) => {
    expect(splitSubject(subject)).toEqual({ isCritical, text });
  });

  it('shows the beginning of a body in one line, without the signs of Markdown', () => {
    expect(snippetOf('# Done\n\n- **first** `x`\n> said\n\n```ts\nlet a;\n```\nsee [the log](/log) 2 * 3')).toBe(
      'Done first x said let a; see the log 2 3',
    );
    expect(snippetOf(`${'word '.repeat(10_000)}`).length).toBe(160);
    expect(snippetOf('snake_case and a-b')).toBe('snake_case and a-b');
  });
});

describe('an answer', () => {
  it('goes to the newest mail that a member sent to the person', () => {
    const thread = [mail({ id: 'a' }), mail({ id: 'b', fromAgentId: 'lead' }), mail({ id: 'c', ...own })];
    expect(replyTarget(thread)).toEqual({ kind: 'reply', mailId: 'b', to: 'lead' });
  });

  it('is a mail of its own where nobody wrote to the person', () => {
    expect(replyTarget([mail(own), mail(own)])).toEqual({ kind: 'write', members: ['worker-1'] });
    expect(replyTarget([mail({ isForHuman: false, toAgentId: 'lead' })])).toEqual({
      kind: 'write',
      members: ['worker-1', 'lead'],
    });
    expect(replyTarget([mail(system)])).toEqual({ kind: 'write', members: [] });
  });
});

describe('reading', () => {
  const read = (readAt: string) => mail({ isRead: true, readAt: `2026-03-10T${readAt}:00.000Z` });

  it.each([
    ['with the first of those that opening it has just marked', [read('12:00'), read('13:00'), read('13:00')], 1],
    ['with what is still unread', [read('12:00'), mail(), mail()], 1],
    ['at the end when the person has answered since', [read('12:00'), mail(own)], 1],
    ['after the person’s last answer', [read('13:00'), mail(own), read('13:00')], 2],
    ['at the end of mail between members', [mail({ isForHuman: false }), mail({ isForHuman: false })], 1],
  ])('begins %s', (_where, mails, index) => {
    expect(startOfReading(mails)).toBe(index);
  });
});
