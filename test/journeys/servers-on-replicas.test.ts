import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { owner } from '../../src/callers/callers.ts';
import type { ServerInfo } from '../../src/servers/servers.ts';
import { newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { decideInBrowser, OAuthServer } from '../support/servers/oauth-server.ts';

/** External servers of two hubs that share one PostgreSQL, as behind a proxy that sends each request to either. */
const env = { AGENT_ZOO_SECRET: 'a secret that both replicas know' };
const program = fileURLToPath(new URL('../support/servers/versioned-server.ts', import.meta.url));
const versionedToml = (version: string) =>
  `[mcp_servers.tools]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([program, version])}\n`;
let database: TestDatabase;
let guarded: OAuthServer;
let one: TestHub;
let other: TestHub;

beforeAll(async () => {
  database = await newTestDatabase('postgres');
  guarded = await new OAuthServer().start();
  one = await serve('2.0.3');
  // Its list is the first.
  expect((await one.call('POST', '/api/servers/tools/connect')).status).toBe(200);
  other = await serve('2.1.0');
});

afterAll(async () => {
  await Promise.all([one?.end(), other?.end()]);
  await guarded?.[Symbol.asyncDispose]();
  await database?.remove();
});

const serve = (version: string) => serveTestHub({ env, db: database.db, toml: versionedToml(version), watch: true });
/** Sooner than a replica would notice by itself. */
const soon = { timeout: 8_000 };
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

it('a replica that waits for a sign-in connects when it was finished at another one', async () => {
  const definition = { transport: 'streamable-http', url: guarded.url, auth: { type: 'oauth' } };
  expect((await one.call('POST', '/api/servers', { body: { name: 'waiting', definition } })).status).toBe(201);
  await expect.poll(() => stateOn(other, 'waiting')).toBe('sign-in');
  // It has been refused before, so it would not try again soon.
  for (let count = 0; count < 3; count += 1) await other.call('POST', '/api/servers/waiting/connect');
  const { url } = (await one.call<{ url: string }>('POST', '/api/servers/waiting/sign-in')).body;
  expect(await returnTo(one, await decideInBrowser(url))).toContain('Signed in');
  await expect.poll(() => stateOn(other, 'waiting'), soon).toBe('connected');
  // A replica that signs out takes the connections of the others with it.
  expect((await one.call('POST', '/api/servers/waiting/sign-out')).status).toBe(200);
  await expect.poll(() => stateOn(other, 'waiting'), soon).toBe('sign-in');
});

it('connecting and disconnecting act on every replica, and a replica that starts later leaves alone what was disconnected', async () => {
  const press = async (hub: TestHub, what: string) =>
    expect((await hub.call('POST', `/api/servers/tools/${what}`)).status).toBe(200);
  const offOn = async (hub: TestHub) => [await stateOn(hub, 'tools'), (await infoOn(hub)).tools[0]?.status];
  await press(one, 'disconnect');
  for (const hub of [one, other]) await expect.poll(() => offOn(hub), soon).toEqual(['idle', 'off']);
  const late = await serve('2.0.3');
  expect(await offOn(late)).toEqual(['idle', 'off']);
  await press(other, 'connect');
  for (const hub of [one, other, late])
    await expect.poll(() => stateOn(hub, 'tools'), { timeout: 20_000 }).toBe('connected');
  expect(await callOn(one, 'shared')).toContain('shared of 2.0.3');
  await late.end();
});

const infoOn = async (hub: TestHub) => (await hub.call<ServerInfo>('GET', '/api/servers/tools')).body;
const statusesOn = async (hub: TestHub) =>
  Object.fromEntries((await infoOn(hub)).tools.map(({ remoteName, status }) => [remoteName, status]));

async function callOn({ hub }: TestHub, tool: string): Promise<string> {
  const caller = await hub.resolveCaller({ surface: 'cli', from: owner });
  return JSON.stringify(await hub.execute({ caller, tool: `mcp__tools__${tool}`, input: {} }));
}

it('two versions of a server on two replicas are accepted side by side, and neither takes the tools from the other', async () => {
  expect((await other.call('POST', '/api/servers/tools/connect')).status).toBe(200);
  // The first list was accepted, once: the other version is not accepted on first use as well.
  expect(await statusesOn(one)).toEqual({ greet: 'active', shared: 'active' });
  expect(await statusesOn(other)).toEqual({ added: 'new', greet: 'changed', shared: 'active' });
  const replica = { name: expect.stringContaining(hostname()), since: expect.any(Number) };
  expect((await infoOn(one)).versions).toEqual([
    { version: '2.0.3', isShown: true, waiting: 0, replicas: [{ ...replica, isHere: true }] },
    { version: '2.1.0', isShown: false, waiting: 2, replicas: [{ ...replica, isHere: false }] },
  ]);
  // The page of either replica shows what waits on the other, and accepts it for a version or for all.
  const { elsewhere } = await infoOn(one);
  expect(elsewhere.map(({ remoteName, status, versions }) => [remoteName, status, versions])).toEqual([
    ['greet', 'changed', ['2.1.0']],
    ['added', 'new', ['2.1.0']],
  ]);
  const acceptOn = (hub: TestHub, body: object) => hub.call('POST', '/api/servers/tools/accept', { body });
  expect((await acceptOn(one, { version: '3.0' })).body.error.message).toBe(
    'No process sees version "3.0" of the server "tools". Available: 2.1.0, 2.0.3.',
  );
  expect((await acceptOn(one, { version: '2.0.3' })).status).toBe(200);
  expect(await statusesOn(other)).toMatchObject({ added: 'new', greet: 'changed' });
  const [greet] = elsewhere;
  expect((await acceptOn(one, { tools: [{ tool: 'greet', hash: greet?.proposedHash }] })).status).toBe(200);
  expect(await statusesOn(other)).toMatchObject({ added: 'new', greet: 'active' });
  expect((await acceptOn(one, { version: '2.1.0' })).status).toBe(200);
  for (let round = 0; round < 3; round += 1) {
    for (const hub of [one, other]) await hub.call('POST', '/api/servers/tools/reconnect');
    expect(await statusesOn(one)).toEqual({ added: 'gone', greet: 'active', shared: 'active' });
    expect(await statusesOn(other)).toEqual({ added: 'active', greet: 'active', shared: 'active' });
  }
  // A tool that is missing in one version is gone for that version only, and cannot be taken from the other.
  expect((await infoOn(one)).tools[0]).toMatchObject({ note: 'Version 2.0.3 does not list it; 2.1.0 does.' });
  await acceptOn(one, { tools: [{ tool: 'added' }] });
  expect(await callOn(other, 'added')).toContain('added of 2.1.0');
  expect(await callOn(one, 'greet')).toContain('greet of 2.0.3');
  expect(await callOn(other, 'greet')).toContain('greet of 2.1.0');
  // Each process has the log of its own server process.
  const log = (await other.call<{ lines: { text: string }[]; from: string }>('GET', '/api/servers/tools/log')).body;
  expect([log.from, log.lines[0]?.text]).toEqual([replica.name, 'version 2.1.0 has started']);
});

it('a replica that ends is no longer named, and the accepted definitions stay', async () => {
  await other.end();
  const info = await infoOn(one);
  expect(info.versions.map(({ version, replicas }) => [version, replicas.length])).toContainEqual(['2.0.3', 1]);
  expect(info.versions.flatMap(({ replicas }) => replicas)).toHaveLength(1);
  other = await serve('2.1.0');
  expect((await other.call('POST', '/api/servers/tools/connect')).status).toBe(200);
  expect(await statusesOn(other)).toEqual({ added: 'active', greet: 'active', shared: 'active' });
});
