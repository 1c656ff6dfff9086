import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestTeam, type TestTeam } from '../../../test/support/team/open-test-team.ts';
import { type MemberActor, newMember } from '../../../test/support/team/team-work.ts';
import { HubError } from '../../base/hub-error.ts';
import { type Actor, human, type MemberState } from '../members/member.ts';
import { allTasks } from './follow-task.ts';
import { type TaskState, taskMoves, taskStates } from './task-moves.ts';
import { NewTask, type Task } from './work.ts';

describe.each(databaseKinds)('concurrent work on %s', (kind) => {
  let opened: TestTeam;
  const teams = () => [opened.team, opened.otherTeam] as const;
  const teamAt = (index: number) => teams()[index % 2 === 0 ? 0 : 1];

  beforeAll(async () => {
    opened = await openTestTeam(kind);
  });
  afterAll(() => opened.remove());

  it('32 workers in two processes claim 50 tasks, each once', { timeout: 120_000 }, async () => {
    const workers = await newWorkers(32);
    const ids: string[] = [];
    for (let index = 0; index < 50; index += 1) {
      ids.push((await opened.team.tasks.create(human, NewTask.parse({ title: `Task ${index}` }))).id);
    }
    const taken = await Promise.all(workers.map((worker, index) => claimAll(worker, index)));
    expect(taken.flat().sort()).toEqual(ids.sort());
    const { items } = await opened.team.tasks.list({ limit: 200 });
    expect(items.filter(({ id }) => ids.includes(id)).every(({ state }) => state === 'FAILED')).toBe(true);
  });

  it('16 workers that leave their work in review do 240 tasks, each once, oldest first', {
    timeout: 240_000,
  }, async () => {
    const workers = await newWorkers(16);
    const ids: string[] = [];
    for (let index = 0; index < 240; index += 1) {
      opened.clock.time += 1;
      ids.push((await opened.team.tasks.create(human, NewTask.parse({ title: `Task ${index}` }))).id);
    }
    // One worker alone claims the oldest tasks. Then all workers claim at once and leave their tasks in review.
    const [first] = workers;
    const alone = [await claim(first, 0), await claim(first, 0), await claim(first, 0)];
    expect(alone).toEqual(ids.slice(0, 3));
    const taken = await Promise.all(workers.map((worker, index) => claimAll(worker, index, 'REVIEW')));
    expect([...alone, ...taken.flat()].sort()).toEqual([...ids].sort());
    for (const ids of taken) expect(ids, 'a worker takes older tasks before newer ones').toEqual([...ids].sort());
    expect(await allTasks(opened.parts.store, { state: ['REVIEW'] })).toHaveLength(240);
  });

  it('only one of 32 workers that begin the same task gets it', { timeout: 120_000 }, async () => {
    const workers = await newWorkers(32);
    const task = await opened.team.tasks.create(human, NewTask.parse({ title: 'Wanted' }));
    const outcomes = await Promise.allSettled(
      workers.map((worker, index) =>
        untilAvailable(() => teamAt(index).tasks.move(worker, { taskId: task.id, status: 'IN_PROGRESS' })),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['INVALID_AGENT_STATE']));
    const { assigneeId } = await opened.team.tasks.get(task.id);
    const busy = (await opened.parts.store.members()).filter(({ currentTaskId }) => currentTaskId === task.id);
    expect(busy.map(({ id, state }) => [id, state])).toEqual([[assigneeId, 'BUSY']]);
    await opened.team.tasks.remove(task.id);
  });

  it('a member that begins ten tasks at once gets one', async () => {
    const [worker] = await newWorkers(1);
    const tasks: Task[] = [];
    for (let index = 0; index < 10; index += 1)
      tasks.push(await opened.team.tasks.create(human, NewTask.parse({ title: 'Ten' })));
    const outcomes = await Promise.allSettled(
      tasks.map((task, index) =>
        untilAvailable(() => teamAt(index).tasks.move(worker, { taskId: task.id, status: 'IN_PROGRESS' })),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await opened.team.tasks.list({ assigneeId: worker.member.id })).items).toHaveLength(1);
    for (const { id } of tasks) await opened.team.tasks.remove(id);
  });

  it('tasks and members stay consistent under random concurrent calls', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyAct, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 20, size: 'max' }),
        async (rounds) => {
          const supervisor = await newMember(opened.team, 'SUPERVISOR');
          const workers = await newWorkers(3, supervisor);
          const scene: Scene = { actors: [...workers, supervisor, human], workers, taskIds: [], completed: new Set() };
          for (const acts of rounds) {
            opened.clock.time += 1_000;
            await Promise.all(acts.map((act, index) => perform(scene, act, index)));
            await checkAll(scene);
          }
          for (const id of scene.taskIds) await opened.team.tasks.remove(id).catch(throwIfUnexpected);
        },
      ),
      { numRuns: kind === 'sqlite' ? 40 : 15, endOnFailure: true },
    );
  });

  async function newWorkers(count: number, supervisor?: Actor): Promise<[MemberActor, ...MemberActor[]]> {
    const first = await newMember(opened.team, 'WORKER', supervisor);
    const others: MemberActor[] = [];
    while (others.length < count - 1) others.push(await newMember(opened.team, 'WORKER', supervisor));
    return [first, ...others];
  }

  async function claim(worker: MemberActor, index: number, ends: TaskState = 'REVIEW'): Promise<string> {
    const { tasks } = teamAt(index);
    const { id } = await untilAvailable(() => tasks.move(worker, { status: 'IN_PROGRESS' }));
    await untilAvailable(() => tasks.move(worker, { status: ends }));
    return id;
  }

  /** Claims and finishes tasks until none is left. */
  async function claimAll(worker: MemberActor, index: number, ends: TaskState = 'FAILED'): Promise<string[]> {
    const taken: string[] = [];
    for (;;) {
      try {
        const id = await claim(worker, index, ends);
        if (taken.includes(id)) throw new Error(`${worker.member.id} began ${id} a second time`);
        taken.push(id);
      } catch (error) {
        expect(error).toMatchObject({
          code: 'INVALID_AGENT_STATE',
          message: expect.stringContaining('nothing to begin'),
        });
        return taken;
      }
    }
  }

  async function perform(scene: Scene, act: Act, index: number): Promise<void> {
    const { tasks, epics } = teamAt(index);
    const actor = scene.actors[act.actor] ?? human;
    const worker = scene.workers[act.worker]?.member.id ?? null;
    const taskId = scene.taskIds[act.task % Math.max(1, scene.taskIds.length)];
    try {
      if (act.kind === 'create') {
        const { id } = await tasks.create(actor, NewTask.parse({ title: 'Random', assigneeId: worker }));
        scene.taskIds.push(id);
      } else if (act.kind === 'claim') await tasks.move(actor, { status: act.status });
      else if (taskId === undefined) return;
      else if (act.kind === 'assign') await tasks.assign(actor, { taskId, agentId: worker });
      else if (act.kind === 'approve') await epics.approve(actor, { taskId });
      else if (act.kind === 'refuse') await epics.requestChanges(actor, { taskId, comment: 'Again' });
      else if (act.kind === 'remove') await tasks.remove(taskId);
      else if (act.kind === 'move') await tasks.move(actor, { taskId, status: act.status });
      else await step(scene, act, { taskId, index });
    } catch (error) {
      throwIfUnexpected(error);
    }
  }

  /** Makes a move that the table allows, as an actor with permission. */
  async function step(scene: Scene, act: Act, { taskId, index }: { taskId: string; index: number }): Promise<void> {
    const task = await opened.parts.store.task(taskId);
    const possible = task ? taskMoves[task.state] : [];
    const status = possible[act.choice % Math.max(1, possible.length)];
    if (status === undefined) return;
    const assignee = scene.workers.find(({ member }) => member.id === task?.assigneeId);
    const isByAssignee = status !== 'COMPLETED' && act.worker !== 0;
    const actor = (isByAssignee ? assignee : undefined) ?? scene.actors[act.choice % 2 === 0 ? 3 : 4] ?? human;
    await teamAt(index).tasks.move(actor, { taskId, status });
  }

  async function checkAll(scene: Scene): Promise<void> {
    const tasks: Task[] = [];
    for (const id of scene.taskIds) {
      const task = await opened.parts.store.task(id);
      if (task) tasks.push(task);
    }
    for (const task of tasks) {
      expect(task.assigneeId === null, `${task.state} of ${task.assigneeId}`).toBe(task.state === 'PENDING');
      expect(task.completedAt !== null).toBe(task.state === 'COMPLETED');
      if (scene.completed.has(task.id)) expect(task.state).toBe('COMPLETED');
      if (task.state === 'COMPLETED') scene.completed.add(task.id);
    }
    for (const actor of scene.actors) {
      if (actor.kind === 'human') continue;
      const member = await opened.parts.store.member(actor.member.id);
      const assigned = tasks.filter(({ assigneeId }) => assigneeId === actor.member.id);
      const begun = assigned.filter(({ state }) => state === 'IN_PROGRESS');
      expect(begun.length).toBeLessThanOrEqual(1);
      const current = assigned.find(({ id }) => id === member?.currentTaskId);
      expect(member?.currentTaskId ?? null).toBe(current?.id ?? null);
      expect(member?.state).toBe(current ? memberStateFor[current.state] : 'IDLE');
      if (begun[0]) expect(current?.id).toBe(begun[0].id);
      if (assigned.some(({ state }) => state === 'ASSIGNED')) expect(current).toBeDefined();
    }
  }
});

interface Scene {
  actors: Actor[];
  workers: MemberActor[];
  taskIds: string[];
  completed: Set<string>;
}

/** The state of a member by the state of its current task. The other states are never current. */
const memberStateFor: Partial<Record<TaskState, MemberState>> = {
  ASSIGNED: 'IDLE',
  IN_PROGRESS: 'BUSY',
  REVIEW: 'WAITING',
  BLOCKED: 'WAITING',
};

const anyAct = fc.record({
  kind: fc.oneof(
    // Mostly steps that succeed.
    { weight: 6, arbitrary: fc.constant('step' as const) },
    { weight: 2, arbitrary: fc.constantFrom('create' as const, 'move' as const) },
    { weight: 2, arbitrary: fc.constantFrom('claim', 'assign', 'approve', 'refuse', 'remove') },
  ),
  choice: fc.nat(11),
  actor: fc.nat(4),
  // The index after the last worker means no assignee.
  worker: fc.nat(3),
  task: fc.nat(7),
  status: fc.constantFrom(...taskStates, 'IN_PROGRESS' as const, 'REVIEW' as const),
});
type Act = typeof anyAct extends fc.Arbitrary<infer T> ? T : never;

const expectedCodes = ['INVALID_AGENT_STATE', 'PERMISSION_DENIED', 'RESOURCE_NOT_FOUND', 'INVALID_ARGUMENTS'];

function throwIfUnexpected(error: unknown): void {
  if (!(error instanceof HubError) || !(expectedCodes.includes(error.code) || isLockTimeout(error))) throw error;
}

/** Retries, as a caller would, while a row stays locked for seconds on a busy machine. */
async function untilAvailable<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof HubError && error.code === 'UNAVAILABLE' && error.details?.mayHaveRun === false;
}
