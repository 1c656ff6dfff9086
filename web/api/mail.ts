import type { MailListBody, MailSentBody, MailThreadBody } from '../../src/http/team-types.ts';
import { send } from './client.ts';

/** Which threads to list: the person's own, or those of the whole team. */
export interface MailFilter {
  all?: true;
  unread?: true;
  escalations?: true;
  text?: string;
}

export interface NewMail {
  toAgentId: string;
  subject: string;
  body: string;
}

const pageSize = 50;
const threadPageSize = 100;

export const mailApi = {
  listThreads: (filter: MailFilter, cursor: string | null, signal?: AbortSignal) =>
    send<MailListBody>('GET', `/api/mail?${mailQuery(filter, cursor, pageSize)}`, { signal }),
  /** One thread is asked for, so that the count comes cheaply. */
  countUnread: async (signal?: AbortSignal) =>
    (await send<MailListBody>('GET', `/api/mail?${mailQuery({ unread: true }, null, 1)}`, { signal })).unread,
  /** Marks as read what was for the person. */
  openThread: (threadId: string, cursor: string | null, signal?: AbortSignal) => {
    const search = new URLSearchParams({ limit: String(threadPageSize), ...(cursor !== null && { cursor }) });
    return send<MailThreadBody>('GET', `/api/mail/threads/${encodeURIComponent(threadId)}?${search}`, { signal });
  },
  /** The same key again is the same mail, not a second one. */
  write: (mail: NewMail, idempotencyKey: string) =>
    send<MailSentBody>('POST', '/api/mail', { body: mail, idempotencyKey }),
  reply: (mailId: string, body: string, idempotencyKey: string) =>
    send<MailSentBody>('POST', `/api/mail/${encodeURIComponent(mailId)}/reply`, { body: { body }, idempotencyKey }),
};

function mailQuery(filter: MailFilter, cursor: string | null, limit: number): URLSearchParams {
  return new URLSearchParams({
    limit: String(limit),
    ...(filter.all && { all: 'true' }),
    ...(filter.unread && { unread: 'true' }),
    ...(filter.escalations && { escalations: 'true' }),
    ...(filter.text && { text: filter.text }),
    ...(cursor !== null && { cursor }),
  });
}
