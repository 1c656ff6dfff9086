import { describe, expect, it } from 'vitest';
import type { Mail } from '../../../src/team/mail/mail.ts';
import { mailToUser } from '../../../test/support/team/team-rows.ts';
import {
  avatarOf,
  describeParticipants,
  replyTarget,
  snippetOf,
  splitSubject,
  startOfReading,
} from './describe-thread.ts';

const mail = (change: Partial<Omit<Mail, 'escalation'>> = {}): Mail =>
  mailToUser('mail_1', { fromAgentId: 'worker-1', subject: 'Stuck', body: 'Help', ...change });
const sent = { fromAgentId: null, fromAgentType: 'HUMAN', toAgentId: 'worker-1', isForHuman: false } as const;
const system = { fromAgentId: null, fromAgentType: 'SYSTEM' } as const;

describe('a row', () => {
  it.each([
    ['the members', mail(), ['worker-1', null, 'lead'], 'worker-1, lead'],
    ['the recipient when the user wrote last', mail(sent), [null, 'worker-1'], 'You → worker-1'],
    ['the hub when no member takes part', mail(system), [null], 'Agent Zoo'],
  ])('names %s', (_what, last, participants, names) => {
    expect(describeParticipants({ last, participants })).toBe(names);
  });

  it('shows the avatar of the recipient when the user wrote last', () => {
    expect(avatarOf({ last: mail(sent) }).fromAgentId).toBe('worker-1');
    expect(avatarOf({ last: mail(system) }).fromAgentType).toBe('SYSTEM');
  });

  it.each([
    ['⚠️ CRITICAL: mcp__mail__send failed', true, 'mcp__mail__send failed'],
    ['Re: ⚠️ CRITICAL mcp__mail__send failed', true, 'Re: mcp__mail__send failed'],
    ['⚠️ CRITICAL', true, '⚠️ CRITICAL'],
    ['A critical question', false, 'A critical question'],
  ])('removes the warning from "%s"', (subject, isCritical, text) => {
    expect(splitSubject(subject)).toEqual({ isCritical, text });
  });

  it('shows the start of the body in one line, without Markdown marks', () => {
    expect(snippetOf('# Done\n\n- **first** `x`\n> said\n\n```ts\nlet a;\n```\nsee [the log](/log) 2 * 3')).toBe(
      'Done first x said let a; see the log 2 3',
    );
    expect(snippetOf(`${'word '.repeat(10_000)}`).length).toBe(160);
    expect(snippetOf('snake_case and a-b')).toBe('snake_case and a-b');
  });
});

describe('a reply', () => {
  it('goes to the newest mail from a member to the user', () => {
    const thread = [mail({ id: 'a' }), mail({ id: 'b', fromAgentId: 'lead' }), mail({ id: 'c', ...sent })];
    expect(replyTarget(thread)).toEqual({ kind: 'reply', mailId: 'b', to: 'lead' });
  });

  it('is a new mail when no member wrote to the user', () => {
    expect(replyTarget([mail(sent), mail(sent)])).toEqual({ kind: 'write', members: ['worker-1'] });
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
    ['with the first mail that opening has just marked as read', [read('12:00'), read('13:00'), read('13:00')], 1],
    ['with the first unread mail', [read('12:00'), mail(), mail()], 1],
    ['at the end when the user has replied since', [read('12:00'), mail(sent)], 1],
    ['after the user’s last reply', [read('13:00'), mail(sent), read('13:00')], 2],
    ['at the end of mail between members', [mail({ isForHuman: false }), mail({ isForHuman: false })], 1],
  ])('starts %s', (_where, mails, index) => {
    expect(startOfReading(mails)).toBe(index);
  });
});
