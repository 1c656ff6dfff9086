import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServerInfo } from '../../src/servers/servers.ts';
import { newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { decideInBrowser, OAuthServer } from '../support/servers/oauth-server.ts';

/** External servers of two hubs that share one PostgreSQL, as behind a proxy that sends each request to either. */
const env = { AGENT_ZOO_SECRET: 'a secret that both replicas know' };
let database: TestDatabase;
let guarded: OAuthServer;
let one: TestHub;
let other: TestHub;

beforeAll(async () => {
  database = await newTestDatabase('postgres');
  guarded = await new OAuthServer().start();
  const serve = () => serveTestHub({ env, db: database.db });
  [one, other] = [await serve(), await serve()];
});

afterAll(async () => {
  await Promise.all([one?.end(), other?.end()]);
  await guarded?.[Symbol.asyncDispose]();
  await database?.remove();
});

const stateOn = async (hub: TestHub, name: string) =>
  (await hub.call<ServerInfo>('GET', `/api/servers/${name}`)).body.state.kind;

/** What the user's browser does, if the proxy sends it to this hub when it returns. */
async function returnTo(hub: TestHub, back: URL): Promise<string> {
  return (await hub.call('GET', back.pathname + back.search, { isAnonymous: true })).text;
}

it('a sign-in that one replica began is finished by another, once', async () => {
  const definition = { transport: 'streamable-http', url: guarded.url, auth: { type: 'oauth' } };
  expect((await one.call('POST', '/api/servers', { body: { name: 'guarded', definition } })).status).toBe(201);
  const begin = async (hub: TestHub) =>
    decideInBrowser((await hub.call<{ url: string }>('POST', '/api/servers/guarded/sign-in')).body.url);
  // Both replicas begin one, so that neither may replace the other's verifier.
  const [first, second] = await Promise.all([begin(one), begin(other)]);
  expect(await returnTo(other, first)).toContain('Signed in');
  expect(await stateOn(other, 'guarded')).toBe('connected');
  for (const hub of [one, other]) expect(await returnTo(hub, first)).toContain('unknown or has expired');
  expect(await returnTo(one, second)).toContain('Signed in');
  expect(guarded.count('code')).toBe(2);
});
