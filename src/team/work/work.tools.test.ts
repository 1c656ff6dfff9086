import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestTeam, type TestTeam } from '../../../test/support/team/open-test-team.ts';
import { type MemberActor, newMember, taskIn } from '../../../test/support/team/team-work.ts';
import { silentLogger } from '../../base/logger.ts';
import { executeTool } from '../../tools/execute-tool.ts';
import { decide } from '../../tools/permissions.ts';
import { ToolRegistry } from '../../tools/tool-registry.ts';
import { resolvePermissions } from '../members/default-permissions.ts';
import { human } from '../members/member.ts';
import { orchestratorTools } from '../members/orchestrator.tools.ts';
import { supervisorTools } from '../members/supervisor.tools.ts';
import { epicTools } from './epics.tools.ts';
import { taskTools } from './tasks.tools.ts';
import { tasksContract } from './work.contract.ts';
import { NewEpic, NewTask, type Task } from './work.ts';

const readingTools = [
  'mcp__epic__get_review_queue',
  'mcp__epic__list',
  'mcp__epic__list_tasks',
  'mcp__orchestrator__check_health',
  'mcp__orchestrator__list_members',
  'mcp__task__list',
];
const writingTools = [
  'mcp__epic__approve_task',
  'mcp__epic__create',
  'mcp__epic__request_changes',
  'mcp__epic__update_status',
  'mcp__orchestrator__recover',
  'mcp__supervisor__create_worker',
  'mcp__supervisor__stop_worker',
  'mcp__task__add_comment',
  'mcp__task__assign',
  'mcp__task__create',
  'mcp__task__update_status',
];

describe('tools for epics, tasks and workers', () => {
  let opened: TestTeam;
  let registry: ToolRegistry;
  let supervisor: MemberActor;
  let worker: MemberActor;

  beforeAll(async () => {
    opened = await openTestTeam('sqlite');
    const { team } = opened;
    registry = new ToolRegistry();
    const all = [...taskTools(team), ...epicTools(team), ...orchestratorTools(team), ...supervisorTools(team)];
    for (const tool of all) registry.register(tool);
    supervisor = await newMember(team, 'SUPERVISOR');
    worker = await newMember(team, 'WORKER', supervisor);
  });
  afterAll(() => opened.remove());

  const callerOf = ({ member }: MemberActor) => ({
    surface: 'http' as const,
    kind: 'member' as const,
    right: 'use' as const,
    member: {
      id: member.id,
      type: member.type,
      agent: member.agent,
      rules: resolvePermissions()[member.type],
      scope: [],
      taskId: member.currentTaskId,
    },
  });

  /** Calls a tool through the pipeline, and checks that the result is plain JSON. */
  async function call(actor: MemberActor, name: string, input: object, idempotencyKey?: string) {
    const { clock, store } = opened;
    const outcome = await executeTool(
      { tools: registry, decisions: store.decisions, clock, logger: silentLogger, redact: (text) => text },
      { caller: callerOf(actor), tool: `mcp__${name}`, input, idempotencyKey },
    );
    if (!outcome.ok) throw outcome.error;
    expect(JSON.parse(JSON.stringify(outcome.data))).toEqual(outcome.data);
    return outcome.data as Record<string, unknown>;
  }

  it('are complete; writing tools take an idempotency key, and aliases are not listed', () => {
    const listed = registry.list().filter((tool) => !tool.isHidden);
    const names = (isReading: boolean) =>
      listed.filter((tool) => tool.annotations.readOnlyHint === isReading).map(({ name }) => name);
    expect(names(true).sort()).toEqual(readingTools);
    expect(names(false).sort()).toEqual(writingTools);
    for (const tool of listed) {
      expect(tool.isForMembers, tool.name).toBe(true);
      expect(Object.keys(tool.inputSchema.properties ?? {}).includes('idempotencyKey'), tool.name).toBe(
        !tool.annotations.readOnlyHint,
      );
    }
  });

  it('are allowed to a worker by its type, under the name and the alias of a tool', () => {
    const allowed = registry.list().filter((tool) => decide(callerOf(worker), tool).allowed);
    expect(allowed.map(({ name }) => name).sort()).toEqual([
      'mcp__task__add_comment',
      'mcp__task__update_state',
      'mcp__task__update_status',
    ]);
    const rules = { allow: ['*'], deny: ['mcp__task__update_status'] };
    const caller = { ...callerOf(worker), member: { ...callerOf(worker).member, rules } };
    const alias = registry.find('mcp__task__update_state');
    expect(alias && decide(caller, alias).allowed).toBe(false);
  });

  it('list tasks by priority, due date and words, and by urgency, as HTTP does', async () => {
    const plan = { labels: ['plan'] };
    await call(supervisor, 'task__create', { ...plan, title: 'Paint', priority: 'low' });
    await call(supervisor, 'task__create', {
      ...plan,
      title: 'Fix the roof',
      priority: 'urgent',
      dueDate: '2027-03-31',
    });
    await call(supervisor, 'task__create', { ...plan, title: 'Call the plumber', dueDate: '2027-01-31' });
    const titles = async (query: object) => {
      const { tasks } = await call(supervisor, 'task__list', { label: 'plan', ...query });
      return (tasks as Task[]).map(({ title }) => title);
    };
    expect(await titles({ sort: 'urgency' })).toEqual(['Fix the roof', 'Call the plumber', 'Paint']);
    expect(await titles({ priority: 'low' })).toEqual(['Paint']);
    expect(await titles({ dueBy: '2027-02-01' })).toEqual(['Call the plumber']);
    expect(await titles({ text: 'roof' })).toEqual(['Fix the roof']);
    const { query } = tasksContract.operations['GET /api/tasks'];
    const shared = Object.keys(query.shape).filter((name) => name !== 'state');
    const properties = registry.find('mcp__task__list')?.inputSchema.properties ?? {};
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(shared));
  });

  it('take a task from creation to approval', async () => {
    const epic = await call(supervisor, 'epic__create', { title: 'Epic' });
    const draft = { title: 'Task', epicId: epic.id, idempotencyKey: 'make' };
    const task = await call(supervisor, 'task__create', draft);
    expect(await call(supervisor, 'task__create', draft)).toEqual(task);
    await call(supervisor, 'task__assign', { taskId: task.id, agentId: worker.member.id });
    expect(await call(worker, 'task__update_state', { status: 'IN_PROGRESS' }, 'begin')).toMatchObject({
      id: task.id,
      state: 'IN_PROGRESS',
    });
    // A call through the alias is the same call.
    expect(await call(worker, 'task__update_status', { status: 'IN_PROGRESS' }, 'begin')).toMatchObject({
      state: 'IN_PROGRESS',
    });
    expect(await call(worker, 'task__add_comment', { body: 'Going well' })).toMatchObject({
      taskId: task.id,
      authorId: worker.member.id,
    });
    await call(worker, 'task__update_status', { status: 'REVIEW', branchName: 'b', prUrl: 'https://example.com/1' });
    const queue = await call(supervisor, 'epic__get_review_queue', { epicId: epic.id });
    expect(queue).toMatchObject({ count: 1, tasks: [{ id: task.id, branchName: 'b' }] });
    await call(supervisor, 'epic__request_changes', { taskId: task.id, comment: 'More' });
    await call(worker, 'task__update_status', { status: 'REVIEW' });
    expect(await call(supervisor, 'epic__approve_task', { taskId: task.id })).toMatchObject({ state: 'COMPLETED' });
    expect(await call(supervisor, 'epic__list_tasks', { epicId: epic.id, state: 'COMPLETED' })).toMatchObject({
      epicId: epic.id,
      count: 1,
      cursor: null,
    });
    expect(await call(supervisor, 'task__list', { state: ['PENDING', 'REVIEW'], epicId: epic.id })).toMatchObject({
      count: 0,
    });
    await call(supervisor, 'epic__update_status', { epicId: epic.id, status: 'COMPLETED' });
    expect(await call(supervisor, 'epic__list', { state: 'COMPLETED' })).toMatchObject({
      epics: [{ id: epic.id, tasks: { COMPLETED: 1, PENDING: 0 } }],
    });
  });

  it('add and stop workers', async () => {
    const added = await call(supervisor, 'supervisor__create_worker', { agent: 'reviewer' }, 'add');
    expect(added).toMatchObject({ type: 'WORKER', supervisorId: supervisor.member.id, token: expect.any(String) });
    const again = await call(supervisor, 'supervisor__create_worker', { agent: 'reviewer' }, 'add');
    expect(again.agentId).toBe(added.agentId);
    const agentId = String(added.agentId);
    const { members } = opened.team;
    const member = await members.get(await members.identify({ token: String(added.token) }));
    const task = await taskIn(opened.team, 'ASSIGNED', { assignee: { kind: 'member', member } });
    const stopped = await call(supervisor, 'supervisor__stop_worker', { agentId }, 'stop');
    expect(stopped).toMatchObject({ agentId });
    expect(await call(supervisor, 'supervisor__stop_worker', { agentId }, 'stop')).toEqual(stopped);
    expect(await opened.team.tasks.get(task.id)).toMatchObject({ state: 'PENDING', assigneeId: null });
    await opened.team.tasks.remove(task.id);
  });

  it('list the team, check it and recover it', async () => {
    const list = await call(supervisor, 'orchestrator__list_members', { type: 'SUPERVISOR' });
    expect(list).toMatchObject({ count: 1, members: [{ agentId: supervisor.member.id, state: 'IDLE' }] });
    const stalled = await newMember(opened.team, 'WORKER', supervisor);
    const task = await taskIn(opened.team, 'IN_PROGRESS', { assignee: stalled });
    expect(await call(supervisor, 'orchestrator__check_health', {})).toMatchObject({ isHealthy: true });
    opened.clock.time += opened.parts.settings.stalledAfterMs + 1;
    expect(await call(supervisor, 'orchestrator__check_health', {})).toMatchObject({ isHealthy: false });
    const recovered = await call(supervisor, 'orchestrator__recover', { idempotencyKey: 'recover' });
    expect(recovered).toMatchObject({ failedMembers: [stalled.member.id], returnedTasks: [task.id] });
    expect(await call(supervisor, 'orchestrator__recover', { idempotencyKey: 'recover' })).toEqual(recovered);
    expect(await call(supervisor, 'orchestrator__recover', {})).toMatchObject({ failedMembers: [], returnedTasks: [] });
    // The member returns and continues.
    expect(await call(stalled, 'task__update_status', { taskId: task.id, status: 'IN_PROGRESS' })).toMatchObject({
      assigneeId: stalled.member.id,
    });
  });

  it('fail with a specific code', async () => {
    const { team } = opened;
    const foreign = await taskIn(team, 'ASSIGNED', { assignee: await newMember(team, 'WORKER') });
    const epic = await team.epics.create(human, NewEpic.parse({ title: 'Open' }));
    await team.tasks.create(human, NewTask.parse({ title: 'Open', epicId: epic.id }));
    const cases: [MemberActor, string, object, string][] = [
      [supervisor, 'task__create', {}, 'INVALID_ARGUMENTS'],
      [supervisor, 'task__create', { title: 'x', state: 'COMPLETED' }, 'INVALID_ARGUMENTS'],
      [supervisor, 'task__create', { title: 'x', epicId: 'epic_none' }, 'RESOURCE_NOT_FOUND'],
      [supervisor, 'task__create', { title: 'x', assigneeId: 'nobody' }, 'AGENT_NOT_FOUND'],
      [worker, 'task__create', { title: 'x' }, 'PERMISSION_DENIED'],
      [supervisor, 'task__assign', { taskId: 'task_none', agentId: worker.member.id }, 'RESOURCE_NOT_FOUND'],
      [supervisor, 'task__assign', { taskId: foreign.id, agentId: 'nobody' }, 'AGENT_NOT_FOUND'],
      [worker, 'task__assign', { taskId: foreign.id, agentId: worker.member.id }, 'PERMISSION_DENIED'],
      [worker, 'task__update_status', { status: 'DONE' }, 'INVALID_ARGUMENTS'],
      [worker, 'task__update_status', { status: 'REVIEW' }, 'INVALID_AGENT_STATE'],
      [worker, 'task__update_state', { taskId: foreign.id, status: 'IN_PROGRESS' }, 'PERMISSION_DENIED'],
      [worker, 'task__update_status', { taskId: 'task_none', status: 'REVIEW' }, 'RESOURCE_NOT_FOUND'],
      [worker, 'task__add_comment', { taskId: foreign.id, body: 'x' }, 'PERMISSION_DENIED'],
      [worker, 'task__add_comment', { body: 'x' }, 'INVALID_AGENT_STATE'],
      [supervisor, 'task__add_comment', { taskId: 'task_none', body: 'x' }, 'RESOURCE_NOT_FOUND'],
      [supervisor, 'task__list', { limit: 0 }, 'INVALID_ARGUMENTS'],
      [supervisor, 'epic__create', { title: '' }, 'INVALID_ARGUMENTS'],
      [supervisor, 'epic__update_status', { epicId: 'epic_none', status: 'BLOCKED' }, 'RESOURCE_NOT_FOUND'],
      [supervisor, 'epic__update_status', { epicId: epic.id, status: 'COMPLETED' }, 'INVALID_AGENT_STATE'],
      [supervisor, 'epic__list_tasks', {}, 'INVALID_AGENT_STATE'],
      [supervisor, 'epic__list_tasks', { epicId: 'epic_none' }, 'RESOURCE_NOT_FOUND'],
      [supervisor, 'epic__get_review_queue', { epicId: 'epic_none' }, 'RESOURCE_NOT_FOUND'],
      [supervisor, 'epic__approve_task', { taskId: foreign.id }, 'INVALID_AGENT_STATE'],
      [supervisor, 'epic__request_changes', { taskId: foreign.id }, 'INVALID_ARGUMENTS'],
      [supervisor, 'supervisor__create_worker', { agent: 'nobody' }, 'INVALID_ARGUMENTS'],
      [supervisor, 'supervisor__create_worker', { agentId: worker.member.id }, 'CONFLICT'],
      [supervisor, 'supervisor__stop_worker', { agentId: 'nobody' }, 'AGENT_NOT_FOUND'],
      [supervisor, 'supervisor__stop_worker', { agentId: supervisor.member.id }, 'INVALID_AGENT_STATE'],
      [worker, 'supervisor__stop_worker', { agentId: worker.member.id }, 'PERMISSION_DENIED'],
      [worker, 'orchestrator__recover', {}, 'PERMISSION_DENIED'],
    ];
    for (const [actor, name, input, code] of cases) {
      await expect(call(actor, name, input), `${name} ${JSON.stringify(input)}`).rejects.toMatchObject({ code });
    }
  });
});
