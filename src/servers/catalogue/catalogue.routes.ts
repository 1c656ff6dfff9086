import type { Clock } from '../../base/clock.ts';
import { lazy, once } from '../../base/lazy.ts';
import { type ActNote, implement, type Route } from '../../http/route.ts';
import { catalogueContract } from './catalogue.contract.ts';
import type { UpdateReport } from './open-catalogue.ts';

export function catalogueRoutes(parts: { dataDir: string; clock: Clock }): Route[] {
  const catalogue = lazy(once(async () => (await import('./open-catalogue.ts')).openCatalogue(parts)));
  return implement(catalogueContract)({
    'GET /api/catalogue': ({ query }) => catalogue.search(query.query, query.limit),
    'POST /api/catalogue/update': async ({ body, signal, act }) => {
      const report = await catalogue.updateFromUrl(body.url, signal);
      return noted(act, report);
    },
    'POST /api/catalogue/file': async ({ body, act }) =>
      noted(act, await catalogue.updateFromText(body.text, body.name)),
  });
}

function noted(act: ActNote, report: UpdateReport): UpdateReport {
  Object.assign(act, { target: report.from, after: { servers: report.servers, leftOut: report.leftOut } });
  return report;
}
