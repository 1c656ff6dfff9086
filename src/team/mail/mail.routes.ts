import { implement, type Route } from '../../http/route.ts';
import { human } from '../members/member.ts';
import type { Team } from '../team.ts';
import { mailContract } from './mail.contract.ts';

export function mailRoutes({ mail }: Pick<Team, 'mail'>): Route[] {
  return implement(mailContract)({
    'GET /api/mail': async ({ query: { unread, escalations, ...rest } }) => {
      const { items, cursor } = await mail.threads({ ...rest, onlyUnread: unread, onlyEscalations: escalations });
      return { threads: items, cursor, unread: await mail.unreadForHuman() };
    },
    'GET /api/mail/threads/{threadId}': async ({ params, query }) => {
      const { items, cursor } = await mail.openThread(params.threadId, query);
      return { mails: items, cursor };
    },
    'GET /api/mail/{mailId}': ({ params }) => mail.read(human, params.mailId),
    'POST /api/mail': ({ body, once }) => mail.send(human, body, once),
    'POST /api/mail/{mailId}/reply': ({ params, body, once }) =>
      mail.reply(human, { originalMailId: params.mailId, ...body }, once),
  });
}
