import { hash, randomBytes } from 'node:crypto';
import { toIso } from '../../base/clock.ts';
import type { TeamStore } from '../team.store.ts';
import type { Member, StoredMember } from './member.ts';

/** The members, cached in memory. Every tool call looks up its caller here. */
export interface Roster {
  /** Returns all members. Reads them again after a change by any process. */
  current(): MemberList | Promise<MemberList>;
  /** Reads an unknown member from the database: another process may just have added it. */
  find(id: string): StoredMember | undefined | Promise<StoredMember | undefined>;
  findByTokenHash(hash: string): StoredMember | undefined | Promise<StoredMember | undefined>;
}

interface MemberList {
  all: readonly StoredMember[];
  byId: ReadonlyMap<string, StoredMember>;
  byTokenHash: ReadonlyMap<string, StoredMember>;
  /** Whether any member has ever had a token. */
  hasHadToken: boolean;
}

export function createRoster(store: Pick<TeamStore, 'member' | 'members' | 'membersRevision' | 'hasHadToken'>): Roster {
  let known: { revision: number; list: MemberList } | undefined;
  let waiting: Promise<MemberList> | undefined;
  let running: Promise<MemberList> | undefined;

  /** Starts a new read after the running one, so that it misses no change. Calls until then share it. */
  function readAgain(): Promise<MemberList> {
    waiting ??= readNext();
    return waiting;
  }

  async function readNext(): Promise<MemberList> {
    await running?.catch(() => {});
    waiting = undefined;
    running = read();
    return running;
  }

  async function read(): Promise<MemberList> {
    // Read before the members, so that the list is never older than its revision.
    const revision = store.membersRevision();
    const [all, hasHadToken] = await Promise.all([store.members(), store.hasHadToken()]);
    const list = toList(all, hasHadToken);
    if (revision !== undefined) known = { revision, list };
    return list;
  }

  /** Returns the list in memory; undefined if it may be out of date. */
  function upToDate(): MemberList | undefined {
    const revision = store.membersRevision();
    return revision !== undefined && known?.revision === revision ? known.list : undefined;
  }

  async function findById(id: string): Promise<StoredMember | undefined> {
    return (await (upToDate() ?? readAgain())).byId.get(id) ?? (await store.member(id));
  }

  async function findAgainByTokenHash(hash: string): Promise<StoredMember | undefined> {
    return (await readAgain()).byTokenHash.get(hash);
  }

  // Known members are returned without a promise, because every call needs its member several times.
  return {
    current: () => upToDate() ?? readAgain(),
    find: (id) => upToDate()?.byId.get(id) ?? findById(id),
    findByTokenHash: (hash) => upToDate()?.byTokenHash.get(hash) ?? findAgainByTokenHash(hash),
  };
}

function toList(all: StoredMember[], hasHadToken: boolean): MemberList {
  const withToken = all.flatMap((each) => (each.tokenHash === null ? [] : [[each.tokenHash, each] as const]));
  return {
    all,
    byId: new Map(all.map((each) => [each.id, each])),
    byTokenHash: new Map(withToken),
    // A database restored from a backup has tokens, but no mark.
    hasHadToken: hasHadToken || withToken.length > 0,
  };
}

export function toMember(stored: StoredMember, lastActiveAt: number | undefined): Member {
  const { tokenHash, ...member } = stored;
  return {
    ...member,
    lastActiveAt: lastActiveAt === undefined ? null : toIso(lastActiveAt),
    hasToken: tokenHash !== null,
  };
}

export interface MemberToken {
  /** Shown once and never stored. */
  token: string;
  /** Stored instead of the token. */
  hash: string;
}

export function newMemberToken(): MemberToken {
  const token = `zoo_${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

/** A fast hash is enough for 256 random bits. Because the hash is looked up, timing reveals nothing about the token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
