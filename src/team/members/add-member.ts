import { toIso } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { slugify } from '../../base/ids.ts';
import { type WriteOptions, writeOnce } from '../calls/once.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { type Actor, actorId, human, type Member, type NewMember, type StoredMember } from './member.ts';
import { type MemberToken, newMemberToken, toMember } from './roster.ts';
import { checkSupervisor } from './supervisors.ts';

export type AddOptions = WriteOptions & { actor?: Actor; withToken?: boolean };

export interface AddedMember {
  member: Member;
  token: string | null;
}

/** Two members added at once may get the same name; the second one tries the next. */
const maxTries = 10;
const maxShownTokens = 500;

/**
 * Tokens made for calls with an idempotency key, by hash. After a lost reply, the call can be repeated as long as this process
 * runs. Later the member needs a new token, because the database holds only the hash.
 */
export type ShownTokens = Map<string, string>;

export async function addMember(
  parts: Pick<TeamParts, 'store' | 'clock' | 'scopeOf' | 'redact'>,
  shown: ShownTokens,
  member: NewMember,
  options: AddOptions = {},
): Promise<AddedMember> {
  await checkAgent(parts, member.agent);
  const { actor = human, withToken = true, idempotencyKey } = options;
  const supervisorId = member.supervisorId === undefined ? actorId(actor) : member.supervisorId;
  const newToken = withToken ? newMemberToken() : undefined;
  const session = member.tmuxSessionName ?? null;
  const tmuxSessionName = session === null ? null : parts.redact(session);
  const candidate = { ...member, supervisorId, tmuxSessionName };
  if (newToken && idempotencyKey !== undefined) remember(shown, newToken);
  const write = { actor, tool: 'mcp__supervisor__create_worker', input: { ...member, withToken }, idempotencyKey };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await writeOnce(parts, write, async (rows) => {
        const stored = await store(rows, candidate, { at: parts.clock.now(), tokenHash: newToken?.hash ?? null });
        return { member: toMember(stored, undefined), tokenHash: stored.tokenHash };
      });
      return { member: answer.member, token: tokenOf(answer.tokenHash, newToken, shown) };
    } catch (error) {
      const isRace = error instanceof HubError && error.code === 'CONFLICT' && member.id === undefined;
      if (!isRace || attempt === maxTries) throw error;
    }
  }
}

/** Throws INVALID_ARGUMENTS. */
export async function checkAgent(parts: Pick<TeamParts, 'scopeOf'>, agent: string | null | undefined): Promise<void> {
  if (agent === null || agent === undefined || (await parts.scopeOf(agent)) !== undefined) return;
  throw new HubError('INVALID_ARGUMENTS', `agent: there is no agent "${agent}". "zoo agent list" shows all agents.`);
}

async function store(
  rows: TeamWriter,
  { id: requestedId, agent, type, supervisorId, tmuxSessionName }: NewMember,
  { at, tokenHash }: { at: number; tokenHash: string | null },
): Promise<StoredMember> {
  const id = requestedId ?? (await freeId(rows, slugify(agent ?? '').slice(0, 50) || type.toLowerCase()));
  if (await rows.member(id)) {
    throw new HubError('CONFLICT', `There is already a member "${id}". Choose another id, or omit it to get one.`);
  }
  if (supervisorId) await checkSupervisor(rows, { id, supervisorId });
  const member: StoredMember = {
    id,
    agent: agent ?? null,
    type,
    state: 'IDLE',
    supervisorId: supervisorId ?? null,
    currentEpicId: null,
    currentTaskId: null,
    tmuxSessionName: tmuxSessionName ?? null,
    tokenHash,
    createdAt: toIso(at),
    updatedAt: toIso(at),
  };
  await rows.addMember(member);
  return member;
}

/** Returns `NAME-1`, `NAME-2` and so on: one above the highest number, so that the name of a removed member is not reused. */
async function freeId(rows: TeamWriter, name: string): Promise<string> {
  let highest = 0;
  for (const { id } of await rows.members()) {
    const number = id.startsWith(`${name}-`) ? id.slice(name.length + 1) : '';
    if (/^[1-9]\d{0,8}$/.test(number)) highest = Math.max(highest, Number(number));
  }
  return `${name}-${highest + 1}`;
}

function remember(shown: ShownTokens, { hash, token }: MemberToken): void {
  const [oldest] = shown.keys();
  if (shown.size >= maxShownTokens && oldest !== undefined) shown.delete(oldest);
  shown.set(hash, token);
}

/** Returns the token of the first call with the key, which may not be this call. */
function tokenOf(hash: string | null, newToken: MemberToken | undefined, shown: ShownTokens): string | null {
  if (newToken && newToken.hash !== hash) shown.delete(newToken.hash);
  if (hash === null) return null;
  return newToken?.hash === hash ? newToken.token : (shown.get(hash) ?? null);
}
