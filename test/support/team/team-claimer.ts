import { writeSync } from 'node:fs';
import { openProofHub } from '../../../bench/proofs/team-proof-parts.ts';
import { systemClock } from '../../../src/base/clock.ts';

/**
 * A process with members that claim and finish tasks, and a lead that approves them: `node team-claimer.ts FOLDER NAME CLAIMERS`.
 * It prints `claimed MEMBER TASK` and `reviewed MEMBER TASK` after each successful call. It runs until it is killed, or prints
 * `done` when no open task is left.
 */
const [folder = '', name = '', claimers = ''] = process.argv.slice(2);
const hub = await openProofHub(folder);
hub.startTeam();
let isDone = false;
const work = Array.from({ length: Number(claimers) }, (_, index) => claim(`${name}-${index}`));
await Promise.all([...work, review(`${name}-lead`)]);
writeSync(1, 'done\n');
await hub.close();

async function claim(member: string): Promise<void> {
  for (let round = 0; !isDone; round += 1) {
    const taken = await take(member, round % 8 === 0 ? 2 : 1);
    if (taken.length === 0) await systemClock.sleep(50);
    for (const taskId of taken) writeSync(1, `claimed ${member} ${taskId}\n`);
    for (const taskId of taken) {
      const reviewed = await call(member, 'mcp__task__update_status', { taskId, status: 'REVIEW' });
      if (!reviewed) continue;
      writeSync(1, `reviewed ${member} ${taskId}\n`);
      await call(`${name}-lead`, 'mcp__epic__approve_task', { taskId });
    }
  }
}

/** Claims up to `times` tasks at once. A member may get only one of them. */
async function take(member: string, times: number): Promise<string[]> {
  const calls = Array.from({ length: times }, () =>
    call(member, 'mcp__task__update_status', { status: 'IN_PROGRESS' }),
  );
  return (await Promise.all(calls)).flatMap((task) => (task ? [String(task.id)] : []));
}

/** Each lead also approves tasks of the other process, which may have been killed. */
async function review(lead: string): Promise<void> {
  while (!isDone) {
    await systemClock.sleep(300);
    const queue = await call(lead, 'mcp__epic__get_review_queue', {});
    const tasks = (queue?.tasks ?? []) as { id: string }[];
    for (const { id } of tasks) await call(lead, 'mcp__epic__approve_task', { taskId: id });
    if (tasks.length > 0) continue;
    const { items } = await hub.team.tasks.list({ state: ['PENDING', 'ASSIGNED', 'IN_PROGRESS', 'REVIEW'], limit: 1 });
    isDone = items.length === 0;
  }
}

/** Returns the tool's data, or undefined if another member was first or no task is left. */
async function call(member: string, tool: string, input: object): Promise<Record<string, unknown> | undefined> {
  const caller = await hub.resolveCaller({ surface: 'engine', member });
  const outcome = await hub.execute({ caller, tool, input });
  if (outcome.ok) return { ...outcome.data };
  const expected = ['INVALID_AGENT_STATE', 'PERMISSION_DENIED', 'TRANSIENT_ERROR', 'UNAVAILABLE'];
  if (!expected.includes(outcome.error.code)) throw outcome.error;
  return undefined;
}
