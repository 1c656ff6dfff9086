import { timingSafeEqual } from 'node:crypto';
import { type Clock, toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import type { InstallationKeys } from '../base/installation-keys.ts';
import { once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import type { Team } from '../team/team.ts';
import type { AccessKey, AccessKeyStore } from './access-keys.store.ts';
import {
  type BrowserSession,
  browserName,
  type ClientKey,
  type Identity,
  type NewClientKey,
  nobody,
} from './callers.ts';
import {
  bearerToken,
  type CredentialRequest,
  cookieOf,
  hashSecret,
  kindOf,
  newSecret,
  ownerSecret,
} from './credentials.ts';

export interface CallerParts {
  store: AccessKeyStore;
  members: Pick<Team['members'], 'identify'>;
  installationKeys: Pick<InstallationKeys, 'key'>;
  anonymous: Extract<Identity, { kind: 'anonymous' }>['right'];
  /** For a hub that others can reach over the network: nobody is signed in without a link. */
  beyondLoopback?: BeyondLoopback;
  clock: Clock;
  logger: Logger;
}

export interface BeyondLoopback {
  /** Whether browsers use HTTPS. */
  isSecure: boolean;
}

export type Callers = ReturnType<typeof createCallers>;

const codeMs = 10 * 60_000;
const sessionMs = 365 * 24 * 60 * 60_000;
/** The last use of a key is recorded at most this often. */
const useMs = 60_000;

/** Who may call this hub: its owner, clients with a key, members with a token, and callers without a credential. */
export function createCallers({
  store,
  members,
  installationKeys,
  anonymous,
  beyondLoopback,
  clock,
  logger,
}: CallerParts) {
  const ownerKey = once(async () => ownerSecret(await installationKeys.key('owner')));
  /** Cookies are shared by all ports of a host, so each installation has its own name. */
  const cookieName = once(async () => `${cookiePrefix}zoo_${hashSecret(await ownerKey()).slice(0, 12)}`);
  const isSecure = beyondLoopback?.isSecure ?? false;
  /** With this prefix, browsers take the cookie only from this very host, over HTTPS. */
  const cookiePrefix = isSecure ? '__Host-' : '';
  const withoutCredential: Identity = beyondLoopback ? nobody : { kind: 'anonymous', right: anonymous };
  const usedAt = new Map<string, number>();
  let isClaimed = false;
  let known: { revision: number | undefined; byHash: Map<string, AccessKey> } | undefined;

  async function keysByHash(isFresh = false): Promise<Map<string, AccessKey>> {
    const revision = store.revision();
    if (!isFresh && revision !== undefined && known?.revision === revision) return known.byHash;
    try {
      const byHash = new Map((await store.all()).map((key) => [key.hash, key]));
      known = { revision, byHash };
      return byHash;
    } catch (error) {
      // While the database cannot be read, the keys read last count, so that the web app can show what is wrong.
      if (known && error instanceof HubError) return known.byHash;
      throw error;
    }
  }

  async function find(secret: string, kind: AccessKey['kind']): Promise<AccessKey | undefined> {
    const hash = hashSecret(secret);
    // Another process may have made it just now.
    const key = (await keysByHash()).get(hash) ?? (await keysByHash(true)).get(hash);
    if (key?.kind !== kind || (key.expiresAt !== null && key.expiresAt <= clock.now())) return undefined;
    return key;
  }

  function noteUse({ id, lastUsedAt }: AccessKey): void {
    const now = clock.now();
    if (now - (usedAt.get(id) ?? lastUsedAt ?? 0) < useMs) return;
    usedAt.set(id, now);
    store.noteUse(id, now).catch((error: unknown) => logger.warn({ err: error }, 'the use of a key was not noted'));
  }

  async function byToken(token: string): Promise<Identity> {
    const kind = kindOf(token);
    if (kind === 'owner' && isEqual(token, await ownerKey())) return { kind: 'owner', right: 'administer' };
    if (kind === 'client') {
      const key = await find(token, 'client');
      if (key) {
        noteUse(key);
        return { kind: 'client', right: 'work', id: key.id, name: key.name, agentId: key.agentId };
      }
    }
    if (kind !== undefined) {
      const message =
        'The key in the Authorization header is not valid. It may have been revoked; "zoo key create NAME" creates a new one.';
      throw new HubError('UNAUTHENTICATED', message);
    }
    return { kind: 'member', right: 'use', memberId: await members.identify({ token }) };
  }

  async function byCookie(request: CredentialRequest): Promise<Identity> {
    const secret = cookieOf(request, await cookieName());
    // The cookies of other local apps reach this hub, too.
    if (secret === undefined) return withoutCredential;
    const key = await find(secret, 'session');
    if (!key) {
      const message = 'This browser was signed out. Run "zoo open" in a terminal to sign in again.';
      throw new HubError('UNAUTHENTICATED', message);
    }
    noteUse(key);
    return { kind: 'owner', right: 'administer', sessionId: key.id };
  }

  function newKey(kind: AccessKey['kind'], fields: Partial<AccessKey>): { key: AccessKey; secret: string } {
    const now = clock.now();
    const { secret, hash } = newSecret(kind);
    const id = newId(kind === 'client' ? 'key' : kind, now);
    const empty = { name: '', agentId: null, lastUsedAt: null, expiresAt: null };
    return { secret, key: { id, kind, hash, createdAt: now, ...empty, ...fields } };
  }

  function newSession(request: CredentialRequest) {
    const now = clock.now();
    const name = browserName(request.headers['user-agent']);
    return newKey('session', { name, lastUsedAt: now, expiresAt: now + sessionMs });
  }

  async function cookieFor(secret: string, maxAgeMs: number): Promise<string> {
    const flags = `HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
    return `${await cookieName()}=${secret}; Path=/; Max-Age=${maxAgeMs / 1000}; ${flags}`;
  }

  return {
    /** Returns who sent a request. Throws UNAUTHENTICATED or PERMISSION_DENIED for a wrong or revoked credential. */
    identify(request: CredentialRequest): Identity | Promise<Identity> {
      const { authorization, cookie } = request.headers;
      if (authorization !== undefined) return byToken(bearerToken(request) ?? '');
      return cookie === undefined ? withoutCredential : byCookie(request);
    },

    /** The caller of a request without a credential. */
    anonymous: withoutCredential,

    ownerKey,

    /** Whether the next browser signs in without a link, because none ever has. */
    async canClaim(): Promise<boolean> {
      if (beyondLoopback) return false;
      isClaimed ||= await store.has('claimed');
      return !isClaimed;
    },

    /** Signs in the first browser that opens a new installation. Returns its cookie; undefined if another browser came first. */
    async claim(request: CredentialRequest): Promise<{ cookie: string; browser: string } | undefined> {
      if (!(await this.canClaim())) return undefined;
      const { key, secret } = newSession(request);
      if (!(await store.add({ ...key, id: newId(firstId, clock.now()) }, { mark: 'claimed' }))) return undefined;
      return { cookie: await cookieFor(secret, sessionMs), browser: key.name };
    },

    /** Makes a one-time code that signs a browser in. */
    async createCode(): Promise<string> {
      const now = clock.now();
      await store.remove({ expiredAt: now });
      const { key, secret } = newKey('code', { expiresAt: now + codeMs });
      await store.add(key);
      return secret;
    },

    /** Signs a browser in. Returns its cookie. Throws UNAUTHENTICATED for a code that is unknown, used or too old. */
    async signIn(code: string, request: CredentialRequest): Promise<string> {
      const found = kindOf(code) === 'code' ? await find(code, 'code') : undefined;
      const { key, secret } = newSession(request);
      if (!found || !(await store.exchange(found.id, key))) {
        const message = 'This link has been used or is too old. Run "zoo open" in a terminal to get a new one.';
        throw new HubError('UNAUTHENTICATED', message);
      }
      return cookieFor(secret, sessionMs);
    },

    /** Signs a browser out, or all of them. Returns the header that deletes the cookie. */
    async signOut(which: { sessionId: string } | 'everywhere'): Promise<string> {
      await store.remove(which === 'everywhere' ? { kind: 'session' } : { id: which.sessionId });
      return cookieFor('', 0);
    },

    /** Returns the browser that claimed this installation; undefined if none did, or it was signed out. */
    async firstBrowser(): Promise<Pick<BrowserSession, 'browser' | 'createdAt'> | undefined> {
      const first = (await store.all()).find(({ id }) => id.startsWith(firstId));
      return first && { browser: first.name, createdAt: toIso(first.createdAt) };
    },

    async sessions(currentId: string | undefined): Promise<BrowserSession[]> {
      const found = (await store.all()).filter(({ kind }) => kind === 'session');
      return found.map((key) => ({
        id: key.id,
        browser: key.name,
        createdAt: toIso(key.createdAt),
        lastUsedAt: isoOrNull(latest(key)),
        isCurrent: key.id === currentId,
        isFirst: key.id.startsWith(firstId),
      }));
    },

    async keys(): Promise<ClientKey[]> {
      const found = (await store.all()).filter(({ kind }) => kind === 'client');
      return found.map((key) => toClientKey(key, latest(key)));
    },

    /** The caller has checked that the agent exists. */
    async createKey({ name, agent = null }: NewClientKey): Promise<{ key: ClientKey; secret: string }> {
      const { key, secret } = newKey('client', { name, agentId: agent });
      await store.add(key);
      return { key: toClientKey(key, null), secret };
    },

    /** Signs out one browser, wherever it is. Returns its name. Throws NOT_FOUND. */
    async endSession(id: string): Promise<string> {
      const session = (await store.all()).find((each) => each.kind === 'session' && each.id === id);
      if (!session || (await store.remove({ id })) === 0) {
        const message = `No browser is signed in as "${id.slice(0, 80)}". GET /api/sessions lists all browsers.`;
        throw new HubError('NOT_FOUND', message);
      }
      return session.name;
    },

    /** Revokes a key. Throws NOT_FOUND. */
    async removeKey(id: string): Promise<ClientKey> {
      const key = (await store.all()).find((each) => each.kind === 'client' && each.id === id);
      if (!key || (await store.remove({ id })) === 0) {
        throw new HubError('NOT_FOUND', `There is no key "${id.slice(0, 80)}". "zoo key list" shows all keys.`);
      }
      return toClientKey(key, latest(key));
    },
  };

  function latest({ id, lastUsedAt }: AccessKey): number | null {
    return usedAt.get(id) ?? lastUsedAt;
  }
}

/** Begins the id of the session that claimed the installation. */
const firstId = 'first';

function toClientKey({ id, name, agentId, createdAt }: AccessKey, lastUsedAt: number | null): ClientKey {
  return { id, name, agentId, createdAt: toIso(createdAt), lastUsedAt: isoOrNull(lastUsedAt) };
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : toIso(at);
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
