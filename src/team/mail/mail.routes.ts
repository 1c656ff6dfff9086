import { implement, type Route } from '../../http/route.ts';
import type { UserCalls } from '../../hub/user-calls.ts';
import type { Team } from '../team.ts';
import { mailContract } from './mail.contract.ts';
import type { MailReceipt, ReadReceipt } from './mail.ts';

interface MailParts extends UserCalls {
  team: Pick<Team, 'mail'>;
}

export function mailRoutes({ team: { mail }, callAsUser }: MailParts): Route[] {
  const surface = 'web';
  return implement(mailContract)({
    'GET /api/mail': async ({ query: { unread, escalations, ...rest } }) => {
      const { items, cursor } = await mail.threads({ ...rest, onlyUnread: unread, onlyEscalations: escalations });
      return { threads: items, cursor, unread: await mail.unreadForHuman() };
    },
    'GET /api/mail/threads/{threadId}': async ({ params, query }) => {
      const { items, cursor } = await mail.thread(params.threadId, query);
      return { mails: items, cursor };
    },
    'GET /api/mail/{mailId}': ({ params }) => mail.get(params.mailId),
    'POST /api/mail/threads/{threadId}/read': ({ params, signal }) =>
      callAsUser<ReadReceipt>({ surface, tool: 'mcp__mail__read_thread', input: params, signal }),
    'POST /api/mail/{mailId}/read': async ({ params, signal }) => {
      await callAsUser({ surface, tool: 'mcp__mail__read', input: params, signal });
      return mail.get(params.mailId);
    },
    'POST /api/mail': ({ body, once, signal }) =>
      callAsUser<MailReceipt>({ surface, tool: 'mcp__mail__send', input: body, ...once, signal }),
    'POST /api/mail/{mailId}/reply': ({ params, body, once, signal }) => {
      const input = { originalMailId: params.mailId, ...body };
      return callAsUser<MailReceipt>({ surface, tool: 'mcp__mail__reply', input, ...once, signal });
    },
  });
}
