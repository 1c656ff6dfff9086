import { HubError } from '../base/hub-error.ts';
import { type Actor, human } from './actor.ts';
import type { Member } from './member.ts';
import { writeOnce } from './once.ts';
import { toMember } from './roster.ts';
import type { TaskState } from './task-moves.ts';
import type { WriteOptions } from './team.ts';
import type { TeamParts } from './team-parts.ts';
import type { TeamWriter } from './team-store.ts';

const openStates: readonly TaskState[] = ['ASSIGNED', 'IN_PROGRESS', 'BLOCKED', 'REVIEW'];
const pageSize = 100;

/** Nothing is left with somebody who is gone: tasks can be taken by others, and its people have the supervisor it had. */
export function removeMember(
  parts: Pick<TeamParts, 'store' | 'clock'>,
  id: string,
  { actor = human, idempotencyKey }: WriteOptions & { actor?: Actor } = {},
): Promise<Member> {
  const write = { actor, tool: 'mcp__supervisor__stop_worker', input: { id }, idempotencyKey };
  return writeOnce(parts, write, async (rows) => {
    const member = await rows.member(id);
    if (!member) throw unknownMember(id);
    const at = parts.clock.now();
    await returnTasks(rows, id, at);
    for (const each of await rows.members()) {
      if (each.supervisorId === id) await rows.changeMember(each.id, { supervisorId: member.supervisorId }, at);
    }
    const lastCall = await rows.lastCall(id);
    await rows.removeMember(id);
    return toMember(member, lastCall);
  });
}

export function unknownMember(id: string): HubError {
  return new HubError(
    'AGENT_NOT_FOUND',
    `There is no member "${id.slice(0, 80)}". "zoo team list" shows those there are.`,
  );
}

async function returnTasks(rows: TeamWriter, id: string, at: number): Promise<void> {
  let cursor: string | undefined;
  const ids: string[] = [];
  do {
    const page = await rows.tasks({ assigneeId: id, state: openStates, limit: pageSize, cursor });
    ids.push(...page.items.map((task) => task.id));
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  for (const taskId of ids) {
    // Read by its id it is locked: what it is now is what it stays until it is changed.
    const task = await rows.task(taskId);
    if (task?.assigneeId !== id || !openStates.includes(task.state)) continue;
    await rows.changeTask(taskId, { state: 'PENDING', assigneeId: null }, at);
  }
}
