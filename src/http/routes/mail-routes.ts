import { z } from 'zod';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import { human } from '../../team/actor.ts';
import { bodyText, Mail, MailDraft } from '../../team/mail.ts';
import { idempotencyKeyOf } from '../idempotency-key.ts';
import { defineRoute, type Route } from '../route.ts';
import { MailListBody, MailSentBody, MailThreadBody } from '../team-schemas.ts';
import type * as Api from '../team-types.ts';
import { flag, pageQuery } from './page-query.ts';

const group = 'Mail';
const Draft = MailDraft.omit({ toHuman: true }).required({ toAgentId: true });
const Reply = z.strictObject({ body: bodyText });

/** The person's mail. Members have theirs by their tools. */
export function mailRoutes(hub: Hub): Route[] {
  const { mail } = hub.team;
  return [
    defineRoute({
      method: 'get',
      path: '/api/mail',
      group,
      summary: 'List threads of mail',
      query: pageQuery.extend({
        all: flag.describe('Also those between members.'),
        unread: flag.describe('Only those with unread mail for the person.'),
        escalations: flag.describe('Only those that tell of a fault.'),
        text: z.string().trim().min(1).max(200).optional().describe('In subject or body.'),
      }),
      answer: { status: 200, description: 'By their newest mail.', schema: MailListBody },
      errors: [400],
      handle: async ({ context, query }) => {
        const { unread, escalations, ...rest } = query;
        const page = await mail.threads({ ...rest, onlyUnread: unread, onlyEscalations: escalations });
        const body: Api.MailListBody = {
          threads: page.items,
          cursor: page.cursor,
          unread: await mail.unreadForHuman(),
        };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/mail/threads/{threadId}',
      group,
      summary: 'Open a thread',
      description: 'Marks as read what is for the person; `peek=true` does not.',
      query: pageQuery.extend({ peek: flag }),
      answer: {
        status: 200,
        description: 'Its mails, oldest first; of a long thread the newest, and a cursor for those before them.',
        schema: MailThreadBody,
      },
      errors: [400, 404],
      handle: async ({ context, param, query }) => {
        const { items, cursor } = await mail.openThread(param('threadId'), query);
        const body: Api.MailThreadBody = { mails: items, cursor };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/mail/{mailId}',
      group,
      summary: 'Read a mail',
      answer: { status: 200, description: 'The mail; read from now on when it is for the person.', schema: Mail },
      errors: [404],
      handle: async ({ context, param }) => context.json(await mail.read(human, param('mailId'))),
    }),
    defineRoute({
      method: 'post',
      path: '/api/mail',
      group,
      summary: 'Write to a member',
      description: 'With an Idempotency-Key header the same request again sends nothing and gets the first answer.',
      body: { schema: Draft, example: { toAgentId: 'worker-1', subject: 'Hello', body: 'How far are you?' } },
      answer: { status: 201, description: 'It is sent.', schema: MailSentBody },
      errors: [400, 404],
      handle: async ({ context, body }) =>
        context.json(await mail.send(human, parseWith(Draft, body), idempotencyKeyOf(context)), 201),
    }),
    defineRoute({
      method: 'post',
      path: '/api/mail/{mailId}/reply',
      group,
      summary: 'Answer a mail',
      body: { schema: Reply, example: { body: 'Go on with the second way.' } },
      answer: { status: 201, description: 'It is sent.', schema: MailSentBody },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const reply = { originalMailId: param('mailId'), ...parseWith(Reply, body) };
        return context.json(await mail.reply(human, reply, idempotencyKeyOf(context)), 201);
      },
    }),
  ];
}
