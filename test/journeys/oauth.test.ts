import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Logger } from '../../src/base/logger.ts';
import { owner } from '../../src/callers/callers.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { type HttpServer, serveHttp } from '../../src/http/server/serve.ts';
import { createHub, type Hub } from '../../src/hub.ts';
import type { InboxItem } from '../../src/inbox/inbox.ts';
import type { ServerInfo } from '../../src/servers/servers.ts';
import { runZoo, startZoo, zooFolder } from '../support/command/run-zoo.ts';
import { ownerHeader } from '../support/hubs/owner-key.ts';
import { decideInBrowser, OAuthServer } from '../support/servers/oauth-server.ts';
import { type SteppedClock, steppedClock } from '../support/time/stepped-clock.ts';

const hour = 3_600_000;
let clock: SteppedClock;
let guarded: OAuthServer;
let folder: string;
let opened: OpenedHub;
/** Everything that reached a log or a client of the hub. */
let seen: string[];

interface OpenedHub {
  hub: Hub;
  server: HttpServer;
}

beforeEach(async () => {
  clock = steppedClock();
  seen = [];
  guarded = await new OAuthServer({ now: () => clock.now() }).start();
  folder = await mkdtemp(join(tmpdir(), 'zoo-oauth-'));
  opened = await openHub();
});

afterEach(async () => {
  await closeHub();
  await guarded[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function openHub(): Promise<OpenedHub> {
  const config = await loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder });
  const log = (fields: object, message: string) => seen.push(`${message} ${logged(fields)}`);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const hub = await createHub({ config, logger, clock, watch: false });
  return { hub, server: await serveHttp(hub, { host: '127.0.0.1', port: 0 }) };
}

async function closeHub(): Promise<void> {
  await opened.server.close();
  await opened.hub.close();
}

/** Returns the text that a logger would write: errors with all their causes. */
function logged(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    each instanceof Error ? { ...each, message: each.message, stack: each.stack, cause: each.cause } : each,
  );
}

async function call<T>(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; text: string; body: T }> {
  const response = await fetch(`${opened.server.url}${path}`, {
    method,
    headers: { ...(await ownerHeader(opened)), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  seen.push(text);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
}

async function state(): Promise<string> {
  return (await call<ServerInfo>('GET', '/api/servers/guarded')).body.state.kind;
}

/** Adds the server, and waits until the hub knows that it requires a sign-in. */
async function addGuarded(): Promise<void> {
  const definition = { transport: 'streamable-http', url: guarded.url, auth: { type: 'oauth' } };
  expect((await call('POST', '/api/servers', { name: 'guarded', definition })).status).toBe(201);
  const servers = await opened.hub.servers.open();
  await servers.connect('guarded').catch(() => {});
}

async function beginSignIn(): Promise<string> {
  const { status, body } = await call<{ url: string }>('POST', '/api/servers/guarded/sign-in');
  expect(status).toBe(200);
  return body.url;
}

/** Acts as the browser: decides at the provider, and returns to the hub. */
async function comeBack(back: URL): Promise<{ status: number; text: string }> {
  expect(back.origin + back.pathname).toBe(`${opened.server.url}/oauth/callback`);
  return call('GET', back.pathname + back.search);
}

async function signIn(): Promise<void> {
  const { status, text } = await comeBack(await decideInBrowser(await beginSignIn()));
  expect([status, text]).toEqual([200, expect.stringContaining('Signed in')]);
}

async function callTool(tool = 'whoami') {
  const caller = await opened.hub.resolveCaller({ surface: 'cli', from: owner });
  const outcome = await opened.hub.execute({ caller, tool: `mcp__guarded__${tool}`, input: {} });
  const answer = outcome.ok
    ? { ok: true, data: outcome.data }
    : { ok: false, code: outcome.error.code, error: outcome.error };
  seen.push(logged(answer));
  return answer;
}

describe('a server that requires a sign-in', () => {
  it('is in the inbox before a sign-in ends that cannot be renewed, and leaves it after another one', async () => {
    guarded.options.canRenew = false;
    guarded.options.lifetimeSeconds = (4 * hour) / 1_000;
    await addGuarded();
    await signIn();
    const waiting = async () => {
      const { items } = (await call<{ items: InboxItem[] }>('GET', '/api/inbox')).body;
      return items.filter(({ kind }) => kind === 'sign-in').map(({ title, why }) => [title, why]);
    };
    expect(await waiting()).toEqual([]);
    clock.advance(3.5 * hour);
    expect(await state()).toBe('connected');
    expect(await waiting()).toEqual([
      [
        'Your sign-in to guarded expires soon',
        'It expires in 30 minutes and cannot be renewed automatically. Sign in again.',
      ],
    ]);
    await signIn();
    expect(await waiting()).toEqual([]);
  });

  it('works after it, renews its tokens, and requires it again when renewal is refused', async () => {
    await addGuarded();
    expect(await state()).toBe('sign-in');
    await signIn();
    expect(await state()).toBe('connected');
    expect(await callTool()).toMatchObject({
      ok: true,
      data: { content: [{ type: 'text', text: 'family 1, tools' }] },
    });
    expect(guarded.events).toEqual(['register', 'authorize', 'code', 'call whoami']);

    clock.advance(hour - 59_000);
    expect(await callTool()).toMatchObject({ ok: true });
    expect(guarded.count('refresh')).toBe(1);
    expect(await state()).toBe('connected');

    guarded.isRefreshRefused = true;
    clock.advance(hour);
    expect(await callTool()).toMatchObject({ ok: false, code: 'SIGN_IN_REQUIRED' });
    expect(await state()).toBe('sign-in');
    expect(guarded.count('call whoami')).toBe(2);

    guarded.isRefreshRefused = false;
    await signIn();
    expect(await state()).toBe('connected');
    expect(await callTool()).toMatchObject({ ok: true });
  });

  it('stays signed in after a restart of the hub', async () => {
    await addGuarded();
    await signIn();
    await closeHub();
    clock.advance(2 * hour);
    opened = await openHub();
    expect(await callTool()).toMatchObject({ ok: true });
    expect(guarded.count('refresh')).toBe(1);
    expect(guarded.count('code')).toBe(1);
  });

  it('revokes and deletes its tokens on sign-out', async () => {
    await addGuarded();
    await signIn();
    expect((await call('POST', '/api/servers/guarded/sign-out')).status).toBe(200);
    expect([guarded.access.size, guarded.refresh.size]).toEqual([0, 0]);
    expect(await callTool()).toMatchObject({ ok: false, code: 'SIGN_IN_REQUIRED' });
    expect(await state()).toBe('sign-in');
    expect(guarded.count('call whoami')).toBe(0);
  });

  it('that requires more permissions for one tool keeps the others, and has them after the next sign-in', async () => {
    await addGuarded();
    await signIn();
    expect(await callTool('administer')).toMatchObject({ ok: false, code: 'SIGN_IN_REQUIRED' });
    expect(await callTool()).toMatchObject({ ok: true });
    await signIn();
    expect(await callTool('administer')).toMatchObject({ ok: true });
  });

  it('never has its tokens in a log, a reply, an error or the plain database', async () => {
    await addGuarded();
    await signIn();
    await callTool();
    await callTool('break');
    clock.advance(hour - 59_000);
    await callTool();
    guarded.isRefreshRefused = true;
    clock.advance(hour);
    await callTool();
    for (const path of [
      '/api/servers',
      '/api/servers/guarded',
      '/api/servers/guarded/log',
      '/metrics',
      '/api/decisions',
    ]) {
      await call('GET', path);
    }
    await closeHub();
    // A code is part of the callback URL, and is valid once.
    const secrets = guarded.secrets.filter((secret) => !secret.startsWith('code-'));
    expect(secrets.length).toBeGreaterThanOrEqual(5);
    const text = seen.join('\n');
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    for (const name of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue;
      const bytes = await readFile(join(name.parentPath, name.name));
      expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
    }
    opened = await openHub();
  });
});

describe('the page after a sign-in', () => {
  it('refuses a forged state, and one that is used twice', async () => {
    await addGuarded();
    const back = await decideInBrowser(await beginSignIn());
    const forged = new URL(back);
    forged.searchParams.set('state', 'forged');
    expect(await comeBack(forged)).toMatchObject({
      status: 400,
      text: expect.stringContaining('unknown or has expired'),
    });
    expect(await state()).toBe('sign-in');
    expect((await comeBack(back)).status).toBe(200);
    expect(await comeBack(back)).toMatchObject({
      status: 400,
      text: expect.stringContaining('unknown or has expired'),
    });
    expect(await state()).toBe('connected');
    expect(guarded.count('code')).toBe(1);
  });

  it('shows the reason of a refusal as text', async () => {
    await addGuarded();
    const attack = '<script>alert("x")</script> & "quoted"';
    const { status, text } = await comeBack(await decideInBrowser(await beginSignIn(), 'deny', attack));
    expect(status).toBe(400);
    expect(text).toContain('Sign-in was refused');
    expect(text).not.toContain('<script>');
    expect(text).toContain('&#60;script&#62;alert(&#34;x&#34;)&#60;/script&#62; &#38; &#34;quoted&#34;');
    expect(await state()).toBe('sign-in');
  });

  it('refuses a code of another issuer', async () => {
    guarded.options.issuer = 'wrong';
    await addGuarded();
    const { status, text } = await comeBack(await decideInBrowser(await beginSignIn()));
    expect([status, text]).toEqual([400, expect.stringContaining('RFC 9207')]);
    expect(guarded.count('code')).toBe(0);
  });
});

describe('zoo mcp-server sign-in', () => {
  it('prints the URL, waits for the browser, and the next command uses the tokens', async () => {
    await using place = await zooFolder();
    const cwd = place.dir;
    guarded.options.now = Date.now;
    const added = await runZoo(['mcp-server', 'add', 'guarded', guarded.url, '--oauth'], { cwd });
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('zoo mcp-server sign-in guarded') });
    await using waiting = startZoo(['mcp-server', 'sign-in', 'guarded'], { cwd });
    const [address] = await waiting.says(/http:\S+\/as\/authorize\S+/);
    const back = await decideInBrowser(address);
    const forged = new URL(back);
    forged.searchParams.set('state', 'forged');
    expect((await fetch(forged)).status).toBe(400);
    expect(await (await fetch(back)).text()).toContain('Signed in.');
    const { code, stdout, stderr } = await waiting.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('mcp__guarded__whoami');

    const called = await runZoo(['tool', 'call', 'mcp__guarded__whoami'], { cwd });
    expect(called).toMatchObject({ code: 0, stdout: 'family 1, tools\n' });
    expect(guarded.secrets.filter((secret) => (stdout + called.stderr).includes(secret))).toEqual([]);

    expect(await runZoo(['mcp-server', 'sign-out', 'guarded'], { cwd })).toMatchObject({ code: 0 });
    const after = await runZoo(['tool', 'call', 'mcp__guarded__whoami'], { cwd });
    expect(after).toMatchObject({ code: 1, stderr: expect.stringContaining('zoo mcp-server sign-in guarded') });
  });

  it('acts on a hub that is running, and so does signing out', async () => {
    await addGuarded();
    await expect.poll(state).toBe('sign-in');
    const env = { AGENT_ZOO_HOME: folder };
    guarded.options.now = Date.now;
    await using waiting = startZoo(['mcp-server', 'sign-in', 'guarded'], { cwd: folder, env });
    const [address] = await waiting.says(/http:\S+\/as\/authorize\S+/);
    expect((await fetch(await decideInBrowser(address))).status).toBe(200);
    expect(await waiting.ended).toMatchObject({ code: 0 });
    await expect.poll(state, { timeout: 10_000 }).toBe('connected');
    const signedOut = await runZoo(['mcp-server', 'sign-out', 'guarded'], { cwd: folder, env });
    expect(signedOut).toMatchObject({ code: 0 });
    await expect.poll(state, { timeout: 10_000 }).toBe('sign-in');
  });

  it('ends with Ctrl-C, and when the user refuses', async () => {
    await using place = await zooFolder();
    const cwd = place.dir;
    await runZoo(['mcp-server', 'add', 'guarded', guarded.url, '--oauth', '--no-connect'], { cwd });
    await using cancelled = startZoo(['mcp-server', 'sign-in', 'guarded'], { cwd });
    await cancelled.says(/http:\S+\/as\/authorize\S+/);
    cancelled.process.kill('SIGINT');
    expect(await cancelled.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('was cancelled') });

    await using refused = startZoo(['mcp-server', 'sign-in', 'guarded'], { cwd });
    const [address] = await refused.says(/http:\S+\/as\/authorize\S+/);
    const answer = await fetch(await decideInBrowser(address, 'deny', 'Not today.'));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
    expect(await refused.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('was refused: Not today.') });
    expect(guarded.count('code')).toBe(0);
  });
});
