import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { HubError } from '../base/hub-error.ts';
import { installationKeys } from '../base/installation-keys.ts';
import { silentLogger } from '../base/logger.ts';
import { createCallers } from './create-callers.ts';

const minute = 60_000;
const browser = { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' } };

let stores: TestStores;
let dataDir: string;

beforeEach(async () => {
  stores = await openTestStores('sqlite');
  dataDir = await mkdtemp(join(tmpdir(), 'zoo-callers-'));
});
afterEach(async () => {
  await stores.remove();
  await rm(dataDir, { recursive: true, force: true });
});

/** Opens the callers of one process. */
function open({ store } = stores) {
  const identify = async () => {
    throw new HubError('PERMISSION_DENIED', 'The token belongs to no member of the team.');
  };
  const { clock } = stores;
  return createCallers({
    store: store.keys,
    members: { identify },
    installationKeys: installationKeys({ dataDir }),
    anonymous: 'use',
    clock,
    logger: silentLogger,
  });
}

function withKey(secret: string) {
  return { headers: { authorization: `Bearer ${secret}` } };
}

/** The request of a browser that was given this cookie. */
function withCookie(setCookie: string) {
  return { headers: { cookie: setCookie.slice(0, setCookie.indexOf(';')) } };
}

const unauthenticated = { code: 'UNAUTHENTICATED' };

describe('a new installation', () => {
  it('is claimed by the first browser, and by no other', async () => {
    const callers = open();
    const others = open({ ...stores, store: stores.other });
    expect(await callers.canClaim()).toBe(true);
    const claims = await Promise.all([callers.claim(browser), others.claim(browser), callers.claim(browser)]);
    const [claimed, ...more] = claims.filter((each) => each !== undefined);
    expect(more).toEqual([]);
    expect(await callers.identify(withCookie(claimed?.cookie ?? ''))).toMatchObject({ kind: 'owner' });
    expect(await callers.canClaim()).toBe(false);
    expect(await open().claim(browser)).toBeUndefined();
  });

  it('cannot be claimed again after its browser was signed out, or after a sign-in with a link', async () => {
    const callers = open();
    await callers.claim(browser);
    await callers.signOut('everywhere');
    expect(await open().claim(browser)).toBeUndefined();
    await stores.remove();
    stores = await openTestStores('sqlite');
    const linked = open();
    await linked.signIn(await linked.createCode(), browser);
    expect(await open().claim(browser)).toBeUndefined();
  });
});

describe('a sign-in code', () => {
  it('works once, even if two browsers use it at the same time', async () => {
    const [callers, others] = [open(), open({ ...stores, store: stores.other })];
    const code = await callers.createCode();
    const outcomes = await Promise.allSettled([callers.signIn(code, browser), others.signIn(code, browser)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(callers.signIn(code, browser)).rejects.toMatchObject(unauthenticated);
  });

  it('expires after ten minutes', async () => {
    const callers = open();
    const [early, late] = [await callers.createCode(), await callers.createCode()];
    stores.clock.time += 10 * minute - 1;
    expect(await callers.signIn(early, browser)).toContain('zoo_session_');
    stores.clock.time += 1;
    await expect(callers.signIn(late, browser)).rejects.toMatchObject(unauthenticated);
  });

  it('is nothing but a code: it neither signs in as a key or cookie, nor does a key work as a code', async () => {
    const callers = open();
    const code = await callers.createCode();
    const { secret } = await callers.createKey({ name: 'script' });
    await expect(callers.identify(withKey(code))).rejects.toMatchObject(unauthenticated);
    await expect(callers.signIn(secret, browser)).rejects.toMatchObject(unauthenticated);
    const [name] = (await callers.signOut({ sessionId: 'none' })).split('=');
    for (const other of [code, secret]) {
      const request = { headers: { cookie: `${name}=${other}` } };
      await expect(callers.identify(request)).rejects.toMatchObject(unauthenticated);
    }
    const cookie = await callers.signIn(code, browser);
    const session = cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'));
    await expect(Promise.resolve(callers.identify(withKey(session)))).rejects.toMatchObject(unauthenticated);
  });
});

describe('the cookie of a signed-in browser', () => {
  it('is out of reach for scripts and other sites, and belongs to this installation', async () => {
    const callers = open();
    const cookie = await callers.signIn(await callers.createCode(), browser);
    const [pair = '', ...attributes] = cookie.split('; ');
    expect(pair).toMatch(/^zoo_[\w-]{12}=zoo_session_[\w-]{43}$/);
    expect(attributes).toEqual(['Path=/', 'Max-Age=31536000', 'HttpOnly', 'SameSite=Strict']);
    // The cookie of another installation on this host is not looked at.
    expect(await callers.identify({ headers: { cookie: pair.replace(/^zoo_/, 'zoo_x') } })).toEqual(callers.anonymous);
  });

  it('ends with its session: after a sign-out, and after a year', async () => {
    const callers = open();
    const signIn = async () => callers.signIn(await callers.createCode(), browser);
    const [one, other] = [await signIn(), await signIn()];
    const identity = await callers.identify(withCookie(one));
    if (identity.kind !== 'owner' || identity.sessionId === undefined) throw new Error('not signed in');
    await callers.signOut({ sessionId: identity.sessionId });
    await expect(callers.identify(withCookie(one))).rejects.toMatchObject(unauthenticated);
    expect(await callers.identify(withCookie(other))).toMatchObject({ kind: 'owner', right: 'administer' });
    const [left] = await callers.sessions(undefined);
    const third = await signIn();
    await callers.endSession(left?.id ?? '');
    await expect(callers.identify(withCookie(other))).rejects.toMatchObject(unauthenticated);
    await expect(callers.endSession(left?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { key } = await callers.createKey({ name: 'script' });
    await expect(callers.endSession(key.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await callers.identify(withCookie(third))).toMatchObject({ kind: 'owner' });
    stores.clock.time += 365 * 24 * 60 * minute;
    await expect(callers.identify(withCookie(third))).rejects.toMatchObject(unauthenticated);
  });
});

describe("a client's key", () => {
  it('says who calls, with its agent, and its last use is listed', async () => {
    const callers = open();
    const { key, secret } = await callers.createKey({ name: 'Cursor', agent: 'reviewer' });
    expect(await callers.keys()).toMatchObject([{ name: 'Cursor', agentId: 'reviewer', lastUsedAt: null }]);
    stores.clock.time += minute;
    const identity = { kind: 'client', right: 'work', id: key.id, name: 'Cursor', agentId: 'reviewer' };
    expect(await callers.identify(withKey(secret))).toEqual(identity);
    const lastUsedAt = new Date(stores.clock.time).toISOString();
    expect(await callers.keys()).toMatchObject([{ lastUsedAt }]);
  });

  it('that was revoked or never existed is refused in every process, and is never anonymous', async () => {
    const [callers, others] = [open(), open({ ...stores, store: stores.other })];
    const { key, secret } = await callers.createKey({ name: 'script' });
    expect(await others.identify(withKey(secret))).toMatchObject({ kind: 'client' });
    await callers.removeKey(key.id);
    const wrong = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
    for (const each of [secret, wrong]) {
      await expect(callers.identify(withKey(each))).rejects.toMatchObject(unauthenticated);
    }
    await expect
      .poll(() => Promise.resolve(others.identify(withKey(secret))).catch(({ code }) => code))
      .toBe('UNAUTHENTICATED');
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      'Bearer zoo_client_x',
      `Bearer ${'x'.repeat(60)}`,
    ]) {
      await expect(
        Promise.resolve().then(() => callers.identify({ headers: { authorization } })),
        authorization,
      ).rejects.toMatchObject({ code: expect.stringMatching(/^(?:UNAUTHENTICATED|PERMISSION_DENIED)$/) });
    }
    await expect(callers.removeKey(key.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is stored as a hash only', async () => {
    const callers = open();
    const { secret } = await callers.createKey({ name: 'script' });
    expect(JSON.stringify(await stores.store.keys.all())).not.toContain(secret.slice('zoo_client_'.length));
  });
});

describe("the owner's key", () => {
  it('is made once, in a file that only this user can read, and no other key is accepted as one', async () => {
    const callers = open();
    const key = await callers.ownerKey();
    expect(await open().ownerKey()).toBe(key);
    expect((await stat(join(dataDir, 'owner.key'))).mode & 0o777).toBe(0o600);
    expect(await callers.identify(withKey(key))).toEqual({ kind: 'owner', right: 'administer' });
    const wrong = `${key.slice(0, -2)}${key.endsWith('AA') ? 'BB' : 'AA'}`;
    await expect(callers.identify(withKey(wrong))).rejects.toMatchObject(unauthenticated);
  });
});
