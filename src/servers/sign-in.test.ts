import { expect, it } from 'vitest';
import { remoteTool, ScriptedServer, testServers } from '../../test/support/servers/test-servers.ts';
import { HubError } from '../base/hub-error.ts';
import { ServerDefinition } from './server-definition.ts';
import type { SignIn, SignInOptions } from './supervise/server-connection.ts';

const http = ServerDefinition.parse({ transport: 'streamable-http', url: 'https://x.dev/mcp' });
const redirectUrl = 'http://127.0.0.1:4000/oauth/callback';

/** A server that requires tokens, and a scripted sign-in. */
function guarded() {
  const api = new ScriptedServer(remoteTool('read'));
  const begun: SignInOptions[] = [];
  const revoked: unknown[] = [];
  api.connecting = async ({ credentials }) => {
    if ((await credentials?.load('tokens')) === undefined) throw new HubError('SIGN_IN_REQUIRED', 'Sign in first.');
  };
  const signIn: SignIn = {
    async begin(options) {
      begun.push(options);
      if ((await options.credentials.load('tokens')) !== undefined) return undefined;
      await options.credentials.save('verifier', 'v');
      return new URL(`https://login.dev/?state=${options.state}`);
    },
    async finish({ credentials, code, issuer }) {
      if (code !== 'good') throw new HubError('UNAVAILABLE', 'The server refused the code.');
      await credentials.save('tokens', `tokens of ${issuer}`);
    },
    async revoke({ credentials }) {
      revoked.push(await credentials.load('tokens'));
    },
    endsSoon: async () => null,
  };
  return { api, begun, revoked, ...testServers({ api }, { signIn }) };
}

it('the server is connected after the user has signed in', async () => {
  const { servers, settled, vault, names, begun, revoked } = guarded();
  await servers.add('api', http);
  await settled('api', 'sign-in');
  expect(servers.get('api').state).toEqual({ kind: 'sign-in', reason: 'Sign in first.', since: expect.any(Number) });
  const address = new URL((await servers.beginSignIn('api', redirectUrl)) ?? '');
  const state = address.searchParams.get('state') ?? '';
  expect(state).toMatch(/^[\w-]{43}$/);
  expect(begun[0]).toMatchObject({ name: 'api', redirectUrl, state });
  const info = await servers.finishSignIn({ state, code: 'good', issuer: 'https://login.dev' });
  expect(info.state.kind).toBe('connected');
  expect(names()).toEqual(['mcp__api__read']);
  expect((await vault.names('servers/api/')).map(({ name }) => name.replace(/[0-9a-f]{16}/, '#'))).toEqual([
    'servers/api/#/tokens',
  ]);
  // A state is valid once.
  await expect(servers.finishSignIn({ state, code: 'good' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  expect(await servers.beginSignIn('api', redirectUrl)).toBeNull();
  expect((await servers.signOut('api')).state).toEqual({ kind: 'idle' });
  expect(await vault.names('')).toEqual([]);
  expect(revoked).toEqual(['tokens of https://login.dev']);
  await servers.close();
});

it.each([
  ['unknown', 0, 'other'],
  ['old', 10 * 60_000 + 1, undefined],
])('a state that is %s is refused', async (_what, later, given) => {
  const { servers, settled, clock } = guarded();
  await servers.add('api', http);
  await settled('api', 'sign-in');
  const address = new URL((await servers.beginSignIn('api', redirectUrl)) ?? '');
  clock.advance(later);
  const state = given ?? address.searchParams.get('state') ?? '';
  await expect(servers.finishSignIn({ state, code: 'good' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  await servers.close();
});

it('the tokens of one URL are never sent to another server of the same name', async () => {
  const { servers, settled, api } = guarded();
  await servers.add('api', http);
  await settled('api', 'sign-in');
  const address = new URL((await servers.beginSignIn('api', redirectUrl)) ?? '');
  await servers.finishSignIn({ state: address.searchParams.get('state') ?? '', code: 'good' });
  await servers.update('api', ServerDefinition.parse({ ...http, url: 'https://evil.dev/mcp' }), null);
  await settled('api', 'sign-in');
  expect(await api.attempts.at(-1)?.credentials?.load('tokens')).toBeUndefined();
  await servers.close();
});

it('a server with credentials or a command does not use sign-in', async () => {
  const { servers } = guarded();
  await servers.add('api', ServerDefinition.parse({ ...http, auth: { type: 'bearer', token: 't' } }));
  await expect(servers.beginSignIn('api', redirectUrl)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  await servers.close();
});

it('a hub without sign-in support says so', async () => {
  const { servers } = testServers({ api: new ScriptedServer() });
  await servers.add('api', http);
  await expect(servers.beginSignIn('api', redirectUrl)).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
  await servers.close();
});
