import { type Clock, toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { BrainStore } from '../brain/brain.ts';
import { implement, type Route } from '../http/route.ts';
import { acceptOffer, findOffer, type OfferParts } from './agent-zoo-offer.ts';
import { transferContract } from './agents.contract.ts';
import { agentTemplates } from './templates.ts';
import { exportAgents, importAgents } from './transfer-agents.ts';

export function transferRoutes(parts: OfferParts & { clock: Clock; brain: BrainStore }): Route[] {
  return implement(transferContract)({
    'GET /api/templates': () => ({ templates: [...agentTemplates] }),
    'GET /api/export': async ({ context, query: { ids: list, ...choice } }) => {
      const ids = list?.split(',').map((id) => id.trim());
      const now = parts.clock.now();
      const name = ids?.length === 1 ? ids[0] : 'agents';
      const body = await exportAgents(parts, { ...choice, ids, now });
      context.header('content-disposition', `attachment; filename="agent-zoo-${name}-${toIso(now).slice(0, 10)}.json"`);
      return body;
    },
    'POST /api/import': async ({ query, body, act }) => {
      const report = await importAgents(parts, body, query.onTakenId);
      act.after = report;
      return report;
    },
    'GET /api/import/offer': async () => ({ offer: (await findOffer(parts)) ?? null }),
    'POST /api/import/offer': async ({ act }) => {
      const report = await acceptOffer(parts);
      if (!report) throw new HubError('NOT_FOUND', 'There are no agents of AgentZoo to import.');
      act.after = report;
      return report;
    },
    'DELETE /api/import/offer': async () => {
      await parts.store.offers.decline(parts.clock.now());
    },
  });
}
