import { type Clock, toIso } from '../base/clock.ts';
import { implement, type Route } from '../http/route.ts';
import { transferContract } from './agents.contract.ts';
import type { EditingParts } from './edit-agents.ts';
import { agentTemplates } from './templates.ts';
import { exportAgents, importAgents } from './transfer-agents.ts';

export function transferRoutes(parts: EditingParts & { clock: Clock }): Route[] {
  return implement(transferContract)({
    'GET /api/templates': () => ({ templates: [...agentTemplates] }),
    'GET /api/export': async ({ context, query }) => {
      const ids = query.ids?.split(',').map((id) => id.trim());
      const now = parts.clock.now();
      const name = ids?.length === 1 ? ids[0] : 'agents';
      const body = await exportAgents(parts, { ids, now });
      context.header('content-disposition', `attachment; filename="agent-zoo-${name}-${toIso(now).slice(0, 10)}.json"`);
      return body;
    },
    'POST /api/import': async ({ query, body, act }) => {
      const report = await importAgents(parts, body, query.onTakenId);
      act.after = report;
      return report;
    },
  });
}
