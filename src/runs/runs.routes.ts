import { workedForOf } from '../callers/callers.ts';
import type { Chats } from '../chats/chats.ts';
import { implement, type Route } from '../http/route.ts';
import { forkRun } from './fork-run.ts';
import { readPrompt } from './read-prompt.ts';
import { runsContract } from './runs.contract.ts';
import type { StoredRunHistory } from './runs.ts';

export function runRoutes({ runs, chats }: { runs: StoredRunHistory; chats: Chats }): Route[] {
  return implement(runsContract)({
    'GET /api/runs': ({ query: { agent, ...rest } }) => runs.list({ agentId: agent, ...rest }),
    'POST /api/runs': ({ body: { input, ...chat }, caller }) => {
      const begun = { from: null, history: [], outside: [], shownModel: '', text: input };
      return chats.fork({ ...chat, ...begun, workedFor: workedForOf(caller) });
    },
    'GET /api/runs/totals': ({ query: { agent, ...rest } }) => runs.totals({ agentId: agent, ...rest }),
    'GET /api/runs/{id}': ({ params }) => runs.get(params.id),
    'GET /api/runs/{id}/steps/{step}': ({ params }) => readPrompt(runs, params.id, params.step),
    'POST /api/runs/{id}/fork': ({ params, body, caller }) => {
      const fork: Chats['fork'] = (forked) => chats.fork({ ...forked, workedFor: workedForOf(caller) });
      return forkRun({ runs, chats: { fork } }, params.id, body ?? {});
    },
  });
}
