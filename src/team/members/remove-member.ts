import { HubError } from '../../base/hub-error.ts';
import { type WriteOptions, writeOnce } from '../calls/once.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { allTasks } from '../work/follow-task.ts';
import type { TaskState } from '../work/task-moves.ts';
import { type Actor, human, type Member } from './member.ts';
import { unknownMember } from './member-errors.ts';
import { toMember } from './roster.ts';

const openStates: readonly TaskState[] = ['ASSIGNED', 'IN_PROGRESS', 'BLOCKED', 'REVIEW'];

/** Removes a member. Its open tasks become PENDING, and the members it supervised get its supervisor. Throws AGENT_NOT_FOUND. */
export function removeMember(
  parts: Pick<TeamParts, 'store' | 'clock'>,
  id: string,
  { actor = human, idempotencyKey }: WriteOptions & { actor?: Actor } = {},
): Promise<Member> {
  const write = { actor, tool: 'mcp__supervisor__stop_worker', input: { id }, idempotencyKey };
  return writeOnce(parts, write, async (rows) => {
    const at = parts.clock.now();
    // Locks tasks before members, like every move of a task, to avoid deadlocks.
    await returnTasks(rows, id, at);
    const member = await rows.member(id);
    if (!member) throw unknownMember(id);
    if (actor.kind === 'member') ensureWorker(member);
    // The member's row is locked now, so nobody can assign it a task. Returns any that were assigned in the meantime.
    await returnTasks(rows, id, at);
    for (const each of await rows.members()) {
      if (each.supervisorId === id) await rows.changeMember(each.id, { supervisorId: member.supervisorId }, at);
    }
    const lastCall = await rows.lastCall(id);
    await rows.removeMember(id);
    return toMember(member, lastCall);
  });
}

/** Throws INVALID_AGENT_STATE. Only the user removes other types. */
function ensureWorker({ id, type }: Pick<Member, 'id' | 'type'>): void {
  if (type === 'WORKER') return;
  throw new HubError(
    'INVALID_AGENT_STATE',
    `"${id}" is a ${type}; stop_worker removes only a WORKER. Ask the person in charge to run "zoo team remove ${id}".`,
  );
}

async function returnTasks(rows: TeamWriter, assigneeId: string, at: number): Promise<void> {
  const found = await allTasks(rows, { assigneeId, state: openStates });
  for (const id of found.map((task) => task.id).sort()) {
    // Reading by id locks the task, so that it cannot change before the update.
    const task = await rows.task(id);
    if (task?.assigneeId !== assigneeId || !openStates.includes(task.state)) continue;
    await rows.changeTask(id, { state: 'PENDING', assigneeId: null }, at);
  }
}
