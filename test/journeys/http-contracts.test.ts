import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RequestBodies } from '../../src/base/request-bodies.ts';
import { apiRoutes } from '../../src/http/app.ts';
import { liveEvents } from '../../src/http/live-events.ts';
import { type DescribedRoute, described } from '../../src/http/route.ts';
import { staticFiles } from '../../src/http/server/static-files.ts';
import { executeContract } from '../../src/team/calls/execute.contract.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
let routes: DescribedRoute[];
let entryId = '';
beforeAll(async () => {
  zoo = await serveTestHub();
  const events = liveEvents(zoo.hub);
  const parts = {
    url: () => zoo.server.url,
    isStopping: () => false,
    stdioCommand: { command: 'zoo', args: ['mcp'] },
    events,
    files: staticFiles(zoo.folder),
    bodies: new RequestBodies(),
  };
  routes = [...apiRoutes(zoo.hub, parts), ...described(executeContract)];
  events.close();
  await zoo.call('POST', '/api/agents', { body: { name: 'Alice', mode: 'autonomous' } });
  const { body } = await zoo.call('POST', '/api/agents/alice/brain', { body: { type: 'note', content: 'x' } });
  entryId = body.id;
});
afterAll(() => zoo.end());

/** An address where something is, so that only the contract can refuse. */
function addressOf({ path }: DescribedRoute): string {
  const name = path.startsWith('/tools/') ? 'agent_zoo_inject' : 'alice';
  const known: Record<string, string> = { id: 'alice', name, entryId };
  return path.replace(/\{(\w+)\}/g, (_, each: string) => known[each] ?? 'x');
}

const wrongValues = [null, 7, true, 'text', [], [7], {}, { a: { b: 1 } }, '', '\0'];

/** Bodies that are wrong as a whole, that have a field too many, or one field that is wrong. */
function wrongBodies({ body, example, isBodyOptional }: DescribedRoute): unknown[] {
  const fields = Object.entries({ ...(example as object) });
  const candidates = [
    7,
    'text',
    true,
    [7],
    ...(isBodyOptional ? [] : [null, {}]),
    { ...(example as object), surprise: 1 },
    ...fields.flatMap(([key]) => wrongValues.map((value) => ({ ...(example as object), [key]: value }))),
    ...fields.map(([key]) => Object.fromEntries(fields.filter(([each]) => each !== key))),
  ];
  return candidates.filter((each) => body && !body.safeParse(each).success);
}

describe('a contract', () => {
  it('is enforced: no operation accepts a body that its contract refuses', async () => {
    const withBody = routes.filter(({ body }) => body !== undefined);
    expect(withBody.length).toBeGreaterThan(35);
    for (const route of withBody) {
      const refused = wrongBodies(route);
      expect(refused.length, `${route.method} ${route.path} refuses something`).toBeGreaterThan(0);
      for (const body of refused) {
        const sent = { body: JSON.stringify(body), headers: { 'if-match': '*' } };
        const { status, text } = await zoo.call(route.method, addressOf(route), sent);
        const what = `${route.method} ${route.path} with ${JSON.stringify(body).slice(0, 200)}: ${text.slice(0, 200)}`;
        // JSON-RPC says what is wrong in an answer of its own.
        if (route.path.endsWith('/a2a')) expect(text, what).toContain('"error":{"code":-32');
        else expect(status, what).toBe(400);
      }
    }
  });

  it('is enforced for queries', async () => {
    const strict = routes.filter(({ query }) => query && !query.safeParse({ surprise: '1' }).success);
    expect(strict.length).toBeGreaterThan(10);
    for (const route of strict) {
      const { status, body } = await zoo.call(route.method, `${addressOf(route)}?surprise=1`, {
        body: route.body && route.example,
      });
      expect([route.path, status, body.error?.code]).toEqual([route.path, 400, 'bad_request']);
    }
  });

  it('describes the actual replies', () => {
    for (const { method, path, status = 200, output, contentType } of routes) {
      const says = output !== undefined || contentType !== undefined || status === 204 || status === 202;
      expect([method, path, says]).toEqual([method, path, true]);
    }
  });
});
