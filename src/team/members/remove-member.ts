import { HubError } from '../../base/hub-error.ts';
import { type WriteOptions, writeOnce } from '../calls/once.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { allTasks } from '../work/follow-task.ts';
import type { TaskState } from '../work/task-moves.ts';
import type { Member } from './member.ts';
import { type Actor, human } from './member.ts';
import { toMember } from './roster.ts';

const openStates: readonly TaskState[] = ['ASSIGNED', 'IN_PROGRESS', 'BLOCKED', 'REVIEW'];

/** Nothing is left with somebody who is gone: tasks can be taken by others, and its people have the supervisor it had. */
export function removeMember(
  parts: Pick<TeamParts, 'store' | 'clock'>,
  id: string,
  { actor = human, idempotencyKey }: WriteOptions & { actor?: Actor } = {},
): Promise<Member> {
  const write = { actor, tool: 'mcp__supervisor__stop_worker', input: { id }, idempotencyKey };
  return writeOnce(parts, write, async (rows) => {
    const at = parts.clock.now();
    // Rows are taken in the order task, member, as every move of a task does.
    await returnTasks(rows, id, at);
    const member = await rows.member(id);
    if (!member) throw unknownMember(id);
    if (actor.kind === 'member') ensureWorker(member);
    // From here on nobody can give it a task; one that came in between goes back too.
    await returnTasks(rows, id, at);
    for (const each of await rows.members()) {
      if (each.supervisorId === id) await rows.changeMember(each.id, { supervisorId: member.supervisorId }, at);
    }
    const lastCall = await rows.lastCall(id);
    await rows.removeMember(id);
    return toMember(member, lastCall);
  });
}

/** Of the others the person decides. Throws INVALID_AGENT_STATE. */
function ensureWorker({ id, type }: Pick<Member, 'id' | 'type'>): void {
  if (type === 'WORKER') return;
  throw new HubError(
    'INVALID_AGENT_STATE',
    `"${id}" is of type ${type}; stop_worker takes a WORKER out of the team. The person removes others: "zoo team remove ${id}".`,
  );
}

export function unknownMember(id: string): HubError {
  return new HubError(
    'AGENT_NOT_FOUND',
    `There is no member "${id.slice(0, 80)}". "zoo team list" shows those there are.`,
  );
}

async function returnTasks(rows: TeamWriter, assigneeId: string, at: number): Promise<void> {
  const found = await allTasks(rows, { assigneeId, state: openStates });
  for (const id of found.map((task) => task.id).sort()) {
    // Read by its id it is locked: what it is now is what it stays until it is changed.
    const task = await rows.task(id);
    if (task?.assigneeId !== assigneeId || !openStates.includes(task.state)) continue;
    await rows.changeTask(id, { state: 'PENDING', assigneeId: null }, at);
  }
}
