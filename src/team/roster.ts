import { toIso } from '../base/clock.ts';
import type { Member } from './member.ts';
import type { StoredMember, TeamStore } from './team-store.ts';

/** The members in memory. Every call of a tool asks it who calls. */
export interface Roster {
  /** What it knows now; read again after a change by any process. */
  current(): Promise<MemberList>;
  /** Asks the database for one it does not know: news from another process may be on their way. */
  find(id: string): Promise<StoredMember | undefined>;
}

export interface MemberList {
  all: readonly StoredMember[];
  byId: ReadonlyMap<string, StoredMember>;
  byTokenHash: ReadonlyMap<string, StoredMember>;
}

export function createRoster(store: Pick<TeamStore, 'member' | 'members' | 'membersRevision'>): Roster {
  let known: { revision: number; list: MemberList } | undefined;
  let loading: { revision: number; list: Promise<MemberList> } | undefined;

  async function current(): Promise<MemberList> {
    // Before the members: what is read after it can only be newer than it says.
    const revision = store.membersRevision();
    if (revision === undefined) return toList(await store.members());
    if (known?.revision === revision) return known.list;
    if (loading?.revision !== revision) loading = { revision, list: load(revision) };
    return loading.list;
  }

  async function load(revision: number): Promise<MemberList> {
    try {
      const list = toList(await store.members());
      if (!known || known.revision < revision) known = { revision, list };
      return list;
    } finally {
      if (loading?.revision === revision) loading = undefined;
    }
  }

  return {
    current,
    find: async (id) => (await current()).byId.get(id) ?? (await store.member(id)),
  };
}

function toList(all: StoredMember[]): MemberList {
  const withToken = all.flatMap((each) => (each.tokenHash === null ? [] : [[each.tokenHash, each] as const]));
  return { all, byId: new Map(all.map((each) => [each.id, each])), byTokenHash: new Map(withToken) };
}

export function toMember(stored: StoredMember, lastActiveAt: number | undefined): Member {
  const { tokenHash, ...member } = stored;
  return {
    ...member,
    lastActiveAt: lastActiveAt === undefined ? null : toIso(lastActiveAt),
    hasToken: tokenHash !== null,
  };
}
