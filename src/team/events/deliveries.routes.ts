import { implement, type Route } from '../../http/route.ts';
import { deliveriesContract } from './deliveries.contract.ts';
import type { TeamEvents } from './team-events.ts';

export function deliveryRoutes({ events }: { events: TeamEvents }): Route[] {
  return implement(deliveriesContract)({
    'GET /api/team/deliveries': async ({ query }) => {
      const { items, cursor } = await events.deliveries(query);
      return { deliveries: items, cursor, ...(await events.count()) };
    },
    'POST /api/team/deliveries/{id}/retry': async ({ params }) => {
      await events.retry(params.id);
      return { success: true };
    },
  });
}
