import { senderOf } from '../callers/callers.ts';
import type { ChatStore } from '../chats/chat-store.ts';
import type { Chats } from '../chats/chats.ts';
import { implement, type Route } from '../http/route.ts';
import { forkRun } from './fork-run.ts';
import { readPrompt } from './read-prompt.ts';
import { runsContract } from './runs.contract.ts';
import type { StoredRunHistory } from './runs.ts';

interface RunParts {
  runs: StoredRunHistory;
  chats: Chats;
  /** The attached files of chats. */
  files: Pick<ChatStore, 'attachments'>;
}

export function runRoutes({ runs, chats, files }: RunParts): Route[] {
  return implement(runsContract)({
    'GET /api/runs': ({ query: { agent, ...rest } }) => runs.list({ agentId: agent, ...rest }),
    'POST /api/runs': ({ body: { input, ...chat }, caller }) => {
      const begun = { from: null, history: [], answers: new Map(), outside: [], text: input };
      return chats.fork({ ...chat, ...begun, ...senderOf(caller) });
    },
    'GET /api/runs/totals': ({ query: { agent, ...rest } }) => runs.totals({ agentId: agent, ...rest }),
    'GET /api/runs/{id}': ({ params }) => runs.get(params.id),
    'GET /api/runs/{id}/steps/{step}': ({ params }) => readPrompt({ runs, files }, params.id, params.step),
    'POST /api/runs/{id}/fork': ({ params, body, caller }) => {
      const fork: Chats['fork'] = (forked) => chats.fork({ ...forked, ...senderOf(caller) });
      return forkRun({ runs, chats: { fork } }, params.id, body ?? {});
    },
  });
}
