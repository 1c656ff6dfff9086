import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideInBrowser, OAuthServer, type OAuthServerOptions } from '../../../test/support/servers/oauth-server.ts';
import { dayMs } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { type ServerAuth, ServerDefinition } from '../../servers/server-definition.ts';
import type { CredentialStore } from '../../servers/supervise/server-connection.ts';
import { connectServer } from '../connection/connect-server.ts';
import { memoryCredentials } from './memory-credentials.ts';
import { loadGrant } from './oauth-grant.ts';
import { signIn } from './sign-in.ts';

const oauth: ServerAuth = { type: 'oauth', grant: 'authorization-code' };
let server: OAuthServer;
let credentials: CredentialStore;

beforeEach(async () => {
  credentials = memoryCredentials();
  server = await new OAuthServer().start();
});

afterEach(() => server[Symbol.asyncDispose]());

async function serve(options: OAuthServerOptions): Promise<void> {
  await server[Symbol.asyncDispose]();
  server = await new OAuthServer(options).start();
}

interface Asked {
  auth?: ServerAuth | null;
  url?: string;
  redirectUrl?: string;
  state?: string;
}

function request({
  auth = oauth,
  url = server.url,
  redirectUrl = 'http://127.0.0.1:9/back',
  state = 'one',
}: Asked = {}) {
  const definition = ServerDefinition.parse({ transport: 'streamable-http', url, auth });
  return { name: 'guarded', definition, credentials, redirectUrl, state, signal: new AbortController().signal };
}

async function begin(asked?: Asked): Promise<URL> {
  const url = await signIn.begin(request(asked));
  if (!url) throw new Error('No address was given.');
  return url;
}

async function finish(back: URL, asked?: Asked): Promise<void> {
  const { searchParams: query } = back;
  const code = query.get('code') ?? '';
  await signIn.finish({ ...request(asked), code, issuer: query.get('iss') ?? undefined });
}

describe('begin', () => {
  it('requests the scope of the server, with PKCE, its resource and the state', async () => {
    const url = await begin();
    expect(url.origin + url.pathname).toBe(`${server.issuer}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'client-1',
      code_challenge_method: 'S256',
      redirect_uri: 'http://127.0.0.1:9/back',
      state: 'one',
      scope: 'tools',
      resource: server.url,
    });
  });

  it('registers once per redirect URL', async () => {
    await begin();
    await begin({ state: 'two' });
    expect(server.count('register')).toBe(1);
    await begin({ redirectUrl: 'http://127.0.0.1:10/back' });
    expect(server.count('register')).toBe(2);
  });

  it('uses the client and the scope of the definition', async () => {
    server.clients.set('mine', { secret: 'my-secret', redirectUris: ['http://127.0.0.1:9/back'] });
    const asked = { auth: { ...oauth, clientId: 'mine', clientSecret: 'my-secret', scope: 'tools extra' } };
    const back = await decideInBrowser((await begin(asked)).href);
    await finish(back, asked);
    expect(server.count('register')).toBe(0);
    expect(await loadGrant(credentials)).toMatchObject({ client: { client_id: 'mine' }, scope: 'tools extra' });
  });

  it('never sends the configured client to another authorization server than the first one', async () => {
    const asked = { auth: { ...oauth, clientId: 'mine', clientSecret: 'my-secret' } };
    server.clients.set('mine', { secret: 'my-secret', redirectUris: ['http://127.0.0.1:9/back'] });
    await finish(await decideInBrowser((await begin(asked)).href), asked);
    await using other = await new OAuthServer().start();
    server.options.authorizationServer = other.issuer;
    await expect(begin(asked)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('refusing to present them to a different authorization server'),
    });
    expect(other.events).toEqual([]);
  });

  it.each(['http://169.254.169.254', 'http://10.0.0.1:8500', 'http://[64:ff9b::a9fe:a9fe]'])(
    'does not follow the server to %s',
    async (address) => {
      server.options.authorizationServer = address;
      await expect(begin()).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
        message: expect.stringContaining('Server "guarded" names http://'),
      });
    },
  );

  it('says what to do if registration is not possible', async () => {
    await serve({ canRegister: false });
    await expect(begin()).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      message: expect.stringContaining('set clientId'),
    });
  });

  it('is not needed for an open server', async () => {
    const open = createServer((_request, response) => response.writeHead(405).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => open.once('listening', resolve));
    const url = `http://127.0.0.1:${(open.address() as AddressInfo).port}/mcp`;
    expect(await signIn.begin(request({ auth: null, url }))).toBeUndefined();
    open.close();
  });

  it('works without auth in the definition if the server requires a sign-in', async () => {
    await finish(await decideInBrowser((await begin({ auth: null })).href), { auth: null });
    const common = { ...request({ auth: null }), logger: silentLogger, onLog: () => {} };
    const connection = await connectServer(common);
    expect((await connection.callTool('whoami', {})).content).toEqual([{ type: 'text', text: 'family 1, tools' }]);
    await connection.close();
  });
});

describe('finish', () => {
  it('stores the tokens and what they belong to', async () => {
    await finish(await decideInBrowser((await begin()).href));
    expect(await loadGrant(credentials)).toMatchObject({
      accessToken: expect.stringMatching(/^access-/),
      refreshToken: expect.stringMatching(/^refresh-/),
      scope: 'tools',
      resource: server.url,
      server: { url: server.issuer },
    });
    expect(await credentials.load('verifier')).toBeUndefined();
  });

  it('handles two concurrent sign-ins, each with its own verifier', async () => {
    const first = await decideInBrowser((await begin({ state: 'one' })).href);
    const second = await decideInBrowser((await begin({ state: 'two' })).href);
    await finish(second, { state: 'two' });
    await finish(first, { state: 'one' });
    expect(server.count('code')).toBe(2);
  });

  it('accepts a state once, and no unknown state', async () => {
    const back = await decideInBrowser((await begin()).href);
    await finish(back);
    await expect(finish(back)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(finish(back, { state: 'forged' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(server.count('code')).toBe(1);
  });

  it('refuses a code from another issuer, and one without the announced issuer', async () => {
    await serve({ issuer: 'wrong' });
    await expect(finish(await decideInBrowser((await begin()).href))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('RFC 9207'),
    });
    server.options.issuer = 'named';
    const back = await decideInBrowser((await begin()).href);
    back.searchParams.delete('iss');
    await expect(finish(back)).rejects.toMatchObject({ message: expect.stringContaining('RFC 9207') });
    expect(server.count('code')).toBe(0);
    expect(await loadGrant(credentials)).toBeUndefined();
  });

  it('registers again after an authorization server has forgotten the client', async () => {
    const back = await decideInBrowser((await begin()).href);
    server.clients.clear();
    const failure = await finish(back).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('invalid_client') });
    await finish(await decideInBrowser((await begin()).href));
    expect(server.count('register')).toBe(2);
  });
});

describe('the end of a sign-in', () => {
  const ending = async (lifeMs: number | null, options: { canRenew?: boolean; isOwnClient?: boolean } = {}) => {
    const { canRenew = false, isOwnClient = false } = options;
    await serve({ lifetimeSeconds: lifeMs === null ? null : lifeMs / 1_000, canRenew });
    await finish(await decideInBrowser((await begin()).href));
    const issuedAt = (await loadGrant(credentials))?.issuedAt ?? 0;
    const auth = isOwnClient ? { ...oauth, grant: 'client-credentials' as const } : oauth;
    return async (afterMs: number) => {
      const endsAt = await signIn.endsSoon({ ...request({ auth }), now: issuedAt + afterMs });
      return endsAt === null ? null : endsAt - issuedAt;
    };
  };

  it('is announced a day before, or in the last quarter of a short one', async () => {
    const long = await ending(30 * dayMs);
    expect([await long(0), await long(29 * dayMs - 1), await long(29 * dayMs)]).toEqual([null, null, 30 * dayMs]);
    const short = await ending(3_600_000);
    expect([await short(0), await short(2_699_999), await short(2_700_000)]).toEqual([null, null, 3_600_000]);
  });

  it('is not announced if there is none, or if the hub renews the tokens by itself', async () => {
    expect(await (await ending(null))(365 * dayMs)).toBeNull();
    expect(await (await ending(dayMs, { canRenew: true }))(2 * dayMs)).toBeNull();
    expect(await (await ending(dayMs, { isOwnClient: true }))(2 * dayMs)).toBeNull();
    await credentials.save('tokens', null);
    expect(await signIn.endsSoon({ ...request(), now: 0 })).toBeNull();
  });
});

it('revoking sends both tokens to the authorization server, and ignores an unknown token', async () => {
  await finish(await decideInBrowser((await begin()).href));
  expect([server.access.size, server.refresh.size]).toEqual([1, 1]);
  await signIn.revoke(request());
  expect([server.access.size, server.refresh.size, server.count('revoke')]).toEqual([0, 0, 2]);
  await server[Symbol.asyncDispose]();
  await signIn.revoke(request());
  await server.start();
});
