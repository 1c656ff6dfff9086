import { implement, type Route } from '../http/route.ts';
import { type FirstStepParts, gatherFirstSteps } from './first-steps.ts';
import { gatherInbox, type InboxParts } from './gather-inbox.ts';
import { inboxContract } from './inbox.contract.ts';

interface InboxRouteParts extends InboxParts {
  readonly models: FirstStepParts['models'];
  readonly agents: InboxParts['agents'] & FirstStepParts['agents'];
  readonly store: InboxParts['store'] & { readonly clients: FirstStepParts['clients'] };
}

export function inboxRoutes(parts: InboxRouteParts): Route[] {
  const { store } = parts;
  return implement(inboxContract)({
    'GET /api/inbox': () => gatherInbox(parts),
    'POST /api/inbox/dismissed': ({ body }) => store.dismissals.add(body.ids),
    'DELETE /api/inbox/dismissed/{id}': ({ params }) => store.dismissals.remove(params.id),
    'GET /api/first-steps': () => gatherFirstSteps({ ...parts, clients: store.clients }),
  });
}
