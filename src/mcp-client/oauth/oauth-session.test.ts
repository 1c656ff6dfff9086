import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideInBrowser, OAuthServer, type OAuthServerOptions } from '../../../test/support/servers/oauth-server.ts';
import { type SteppedClock, steppedClock } from '../../../test/support/time/stepped-clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { type ServerAuth, ServerDefinition } from '../../servers/server-definition.ts';
import type { CredentialStore, ServerConnection } from '../../servers/supervise/server-connection.ts';
import { connectServer } from '../connection/connect-server.ts';
import { memoryCredentials } from './memory-credentials.ts';
import { loadGrant } from './oauth-grant.ts';
import { signIn } from './sign-in.ts';

const hour = 3_600_000;
const redirectUrl = 'http://127.0.0.1:9/oauth/callback';
let clock: SteppedClock;
let server: OAuthServer;
let credentials: CredentialStore;
let open: ServerConnection[] = [];

beforeEach(async () => {
  clock = steppedClock();
  credentials = memoryCredentials();
  await serve();
});

afterEach(async () => {
  for (const connection of open) await connection.close();
  open = [];
  await server[Symbol.asyncDispose]();
});

async function serve(options: OAuthServerOptions = {}): Promise<void> {
  await server?.[Symbol.asyncDispose]().catch(() => {});
  server = await new OAuthServer({ now: () => clock.now(), ...options }).start();
}

function request(auth: ServerAuth | null = { type: 'oauth', grant: 'authorization-code' }, url = server.url) {
  const definition = ServerDefinition.parse({ transport: 'streamable-http', url, auth });
  return { name: 'guarded', definition, credentials, redirectUrl, clock, signal: new AbortController().signal };
}

async function connect(auth?: ServerAuth | null): Promise<ServerConnection> {
  const connection = await connectServer({ ...request(auth), logger: silentLogger, onLog: () => {} });
  open.push(connection);
  return connection;
}

async function signInAs(auth?: ServerAuth | null): Promise<void> {
  const state = crypto.randomUUID();
  const url = await signIn.begin({ ...request(auth), state });
  const { searchParams: query } = await decideInBrowser(url?.href ?? '');
  const code = query.get('code') ?? '';
  await signIn.finish({ ...request(auth), state, code, issuer: query.get('iss') ?? undefined });
}

async function signedIn(): Promise<ServerConnection> {
  await signInAs();
  return connect();
}

async function whoami(connection: ServerConnection, tool = 'whoami'): Promise<string> {
  const { content } = await connection.callTool(tool, {});
  return String(content[0]?.text);
}

describe('tokens', () => {
  it('are requested before the first use, then sent with every request', async () => {
    await expect(connect()).rejects.toMatchObject({ code: 'SIGN_IN_REQUIRED' });
    const connection = await signedIn();
    expect(await whoami(connection)).toBe('family 1, tools');
    expect(server.events).toEqual(['register', 'authorize', 'code', 'call whoami']);
  });

  it('are sent over SSE as well', async () => {
    const auth = { type: 'oauth' };
    const over = ServerDefinition.parse({ transport: 'sse', url: server.url, auth });
    const open = () => connectServer({ ...request(), definition: over, logger: silentLogger, onLog: () => {} });
    await expect(open()).rejects.toMatchObject({ code: 'SIGN_IN_REQUIRED' });
    await signInAs();
    server.expireAccess();
    // The request is authorized, but the server has no such stream.
    await expect(open()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('405') });
    expect(server.count('refresh')).toBe(1);
  });

  it('are renewed at least a minute and at most 75 seconds before they expire', async () => {
    const connection = await signedIn();
    clock.advance(hour - 76_000);
    await whoami(connection);
    expect(server.count('refresh')).toBe(0);
    clock.advance(16_000);
    await whoami(connection);
    expect(server.count('refresh')).toBe(1);
    expect(server.count('refused invalid_grant')).toBe(0);
  });

  it('are renewed once for many calls at the same time', async () => {
    const connection = await signedIn();
    clock.advance(hour - 30_000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => whoami(connection)));
    expect(new Set(answers)).toEqual(new Set(['family 1, tools']));
    expect(server.count('refresh')).toBe(1);
    expect(server.count('call whoami')).toBe(20);
  });

  it('that the server has forgotten are renewed after a 401, and each call runs once', async () => {
    const connection = await signedIn();
    server.expireAccess();
    await Promise.all(Array.from({ length: 10 }, () => whoami(connection)));
    expect(server.count('refresh')).toBe(1);
    expect(server.count('call whoami')).toBe(10);
  });

  it('that cannot be renewed are used until they expire; then the user must sign in', async () => {
    const connection = await signedIn();
    server.isRefreshRefused = true;
    clock.advance(hour - 10_000);
    expect(await whoami(connection)).toBe('family 1, tools');
    clock.advance(10_000);
    await expect(whoami(connection)).rejects.toMatchObject({
      code: 'SIGN_IN_REQUIRED',
      details: { mayHaveRun: false },
      message: expect.stringContaining('zoo mcp-server sign-in guarded'),
    });
    expect(server.count('refused invalid_grant')).toBe(1);
    expect(server.count('call whoami')).toBe(1);
  });

  it('without an expiry time are renewed only after a 401', async () => {
    await serve({ lifetimeSeconds: null });
    const connection = await signedIn();
    clock.advance(hour - 1);
    await whoami(connection);
    expect(server.count('refresh')).toBe(0);
    clock.advance(1);
    await whoami(connection);
    expect(server.count('refresh')).toBe(1);
  });

  it('that last less than two minutes are not renewed with every call', async () => {
    await serve({ lifetimeSeconds: 60 });
    const connection = await signedIn();
    clock.advance(20_000);
    await whoami(connection);
    expect(server.count('refresh')).toBe(0);
    clock.advance(10_000);
    await whoami(connection);
    expect(server.count('refresh')).toBe(1);
  });
});

describe('two processes with one store', () => {
  it('use tokens that the other one renewed', async () => {
    const [first, second] = [await signedIn(), await connect()];
    clock.advance(hour - 30_000);
    await whoami(first);
    await whoami(second);
    expect(server.count('refresh')).toBe(1);
  });

  it('that renew at the same time both stay signed in', async () => {
    const [first, second] = [await signedIn(), await connect()];
    // The first one rotates the token, but gets the reply only after the other was refused and found no new token.
    const looked = Promise.withResolvers<void>();
    const saved = Promise.withResolvers<void>();
    server.beforeRefreshAnswer = () => looked.promise;
    const { load, save } = credentials;
    let looks = 0;
    credentials.load = async (key) => {
      const isLate = server.count('refused invalid_grant') > 0;
      if (isLate) looks += 1;
      if (looks > 1) await saved.promise;
      const value = await load(key);
      if (isLate) looked.resolve();
      return value;
    };
    credentials.save = async (key, value) => {
      await save(key, value);
      saved.resolve();
    };
    server.expireAccess();
    expect(await Promise.all([whoami(first), whoami(second)])).toEqual(['family 1, tools', 'family 1, tools']);
    expect(looks).toBeGreaterThan(1);
    expect(server.count('call whoami')).toBe(2);
    expect(server.count('refused invalid_grant')).toBe(1);
    expect(server.count('refresh')).toBe(1);
  });

  it('do not restore tokens after the other one signed out', async () => {
    const connection = await signedIn();
    await credentials.save('tokens', null);
    clock.advance(hour - 30_000);
    await expect(whoami(connection)).rejects.toMatchObject({ code: 'SIGN_IN_REQUIRED' });
    expect(server.count('refresh')).toBe(0);
    expect(await loadGrant(credentials)).toBeUndefined();
  });
});

describe('rights', () => {
  it('that a tool lacks are named, other tools keep working, and the next sign-in requests them', async () => {
    const connection = await signedIn();
    await expect(whoami(connection, 'administer')).rejects.toMatchObject({
      code: 'SIGN_IN_REQUIRED',
      message: expect.stringContaining('(tools admin)'),
      details: { scope: 'tools admin', mayHaveRun: false },
    });
    expect(await whoami(connection)).toBe('family 1, tools');
    const wider = await signedIn();
    expect(await whoami(wider, 'administer')).toBe('family 2, tools admin');
  });
});

describe('client-credentials', () => {
  const own: ServerAuth = {
    type: 'oauth',
    grant: 'client-credentials',
    clientId: 'robot',
    clientSecret: 'robot-secret',
  };

  it('need no user: a token is requested on demand, renewed before it expires, and widened if necessary', async () => {
    server.clients.set('robot', { secret: 'robot-secret', redirectUris: [] });
    const connection = await connect(own);
    expect(await whoami(connection)).toBe('family 1, tools');
    clock.advance(hour - 30_000);
    expect(await whoami(connection)).toBe('family 2, tools');
    expect(await whoami(connection, 'administer')).toBe('family 3, tools admin');
    expect(server.events.filter((event) => !event.startsWith('call'))).toEqual(['own', 'own', 'own']);
  });

  it('that are wrong are a config error, and are not shown', async () => {
    server.clients.set('robot', { secret: 'another-secret', redirectUris: [] });
    const failure = await connect(own).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining('invalid_client') });
    expect(String(failure)).not.toContain('robot-secret');
  });

  it('without a secret say what is missing', async () => {
    await expect(connect({ type: 'oauth', grant: 'client-credentials' })).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      message: expect.stringContaining('clientId and clientSecret'),
    });
  });
});

describe('secrets', () => {
  it('that a server or its sign-in server sends back do not appear in errors', async () => {
    const connection = await signedIn();
    const broken = await whoami(connection, 'break').catch((error: unknown) => error);
    expect(broken).toMatchObject({ message: expect.stringContaining('It broke on Bearer ••••••••') });
    server.isRefreshRefused = true;
    server.expireAccess();
    const refused = await whoami(connection).catch((error: unknown) => error);
    for (const error of [broken, refused]) {
      const all = inspect(error);
      expect(server.secrets.filter((secret) => all.includes(secret))).toEqual([]);
    }
  });
});

/** Returns an error with all its causes, as a logger would write it. */
function inspect(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, stack, cause, ...rest } = error as Error & { [key: string]: unknown };
  return [message, stack, JSON.stringify(rest), inspect(cause)].join('\n');
}
