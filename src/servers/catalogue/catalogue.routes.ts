import type { Clock } from '../../base/clock.ts';
import { lazy, once } from '../../base/lazy.ts';
import { implement, type Route } from '../../http/route.ts';
import { catalogueContract } from './catalogue.contract.ts';

export function catalogueRoutes(parts: { dataDir: string; clock: Clock }): Route[] {
  const catalogue = lazy(once(async () => (await import('./open-catalogue.ts')).openCatalogue(parts)));
  return implement(catalogueContract)({
    'GET /api/catalogue': ({ query }) => catalogue.search(query.query, query.limit),
    'POST /api/catalogue/update': async ({ body, signal, act }) => {
      const report = await catalogue.updateFromUrl(body.url, signal);
      Object.assign(act, { target: report.from, after: { servers: report.servers, leftOut: report.leftOut } });
      return report;
    },
  });
}
