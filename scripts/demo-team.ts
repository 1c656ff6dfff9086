import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { updateAgent } from '../src/agents/edit-agents.ts';
import { dayMs } from '../src/base/clock.ts';
import { owner } from '../src/callers/callers.ts';
import { defineTool, type Hub, type Tool } from '../src/index.ts';
import { human } from '../src/team/members/member.ts';
import { NewEpic, NewTask } from '../src/team/work/work.ts';
import { demoCalls, everydayCalls } from './demo-calls.ts';
import type { DemoClock } from './demo-clock.ts';
import { type DemoMail, demoDecisions, demoMails } from './demo-mails.ts';
import { type DemoTask, demoEpics, demoTasks } from './demo-tasks.ts';

/** A step at this many minutes before now. */
export interface DemoStep {
  at: number;
  run(): Promise<unknown>;
  /** Whether servers or models work, so that sleeping must take real time. */
  isLive?: boolean;
}

/** A call by a member or by a client of an agent. */
export interface DemoCall {
  at: number;
  member?: string;
  agent?: string;
  tool: string;
  input?: object;
}

interface World {
  hub: Hub;
  /** By key or title. */
  epics: Map<string, string>;
  tasks: Map<string, string>;
}

/** Adds a team after a day of work, beside other steps. Everything goes through the hub as members, clients and the user would do it. */
export async function addTeam(hub: Hub, clock: DemoClock, others: readonly DemoStep[]): Promise<void> {
  const { agent } = await hub.agents.get('test-engineer');
  const { source: _, ...fields } = agent;
  const input = { ...fields, tools: [...fields.tools, 'search', 'run_checks'] };
  await updateAgent(hub, agent.id, { input, expectedRevision: null });
  for (const [id, of, type, supervisorId] of members) {
    await hub.team.members.add({ id, agent: of, type, supervisorId, tmuxSessionName: `zoo-${id}` });
  }
  const world: World = { hub, epics: new Map(), tasks: new Map() };
  for (const { key, title, description, linear } of demoEpics) {
    const link = linear && { linearIssueId: linear, linearIssueUrl: `https://linear.app/example/issue/${linear}` };
    world.epics.set(key, (await hub.team.epics.create(human, NewEpic.parse({ title, description, ...link }))).id);
  }
  const steps = [
    ...demoTasks.flatMap((task) => stepsOfTask(world, task)),
    ...demoMails.flatMap((mail) => stepsOfMail(world, mail)),
    ...stepsOfEpics(world),
    ...stepsOfTrouble(world),
    ...demoDecisions.map(([at, member, title, body]) =>
      call(world, { at, member, tool: 'mcp__system__log_decision', input: { title, body } }),
    ),
    ...demoCalls(world.epics).map((each) => call(world, each)),
    ...others,
  ];
  for (const { at, run, isLive = false } of steps.sort((one, other) => other.at - one.at)) {
    clock.goBack(at, { skipsSleep: !isLive });
    await run();
  }
  clock.goHome();
}

/** Lets the busy members call from time to time, so that none of them counts as stalled. Returns a function that stops them. */
export function keepWorking(hub: Hub): () => void {
  const work = async () => {
    for (const { member, tool } of everydayCalls()) await execute(hub, { member, tool, input: {} });
  };
  const timer = setInterval(() => void work().catch(() => {}), restMs);
  return () => clearInterval(timer);
}

/** Much less than the time after which a member counts as stalled. */
const restMs = 5 * 60_000;

const members = [
  ['lead', 'architect', 'SUPERVISOR', null],
  ['planner', 'architect', 'ORCHESTRATOR', 'lead'],
  ['reviewer-1', 'code-reviewer', 'WORKER', 'lead'],
  ['tester-1', 'test-engineer', 'WORKER', 'lead'],
  ['auditor-1', 'security-auditor', 'WORKER', 'lead'],
  ['writer-1', 'writer', 'WORKER', 'planner'],
  ['responder-1', 'incident-responder', 'WORKER', 'lead'],
] as const;

function call(world: World, { at, member, agent, tool, input = {} }: DemoCall): DemoStep {
  const run = async () => {
    const data = await execute(world.hub, { member, agent, tool, input });
    if (tool !== 'mcp__mail__list_inbox' || at < 30) return;
    for (const { id } of (data as { mails: { id: string }[] }).mails) {
      await execute(world.hub, { member, tool: 'mcp__mail__read', input: { mailId: id } });
    }
  };
  return { at, run };
}

async function execute(
  hub: Hub,
  {
    member,
    agent,
    tool,
    input,
  }: { member?: string | undefined; agent?: string | undefined; tool: string; input: object },
): Promise<unknown> {
  const caller = await hub.resolveCaller(
    member === undefined ? { surface: 'mcp', from: owner, agent } : { surface: 'mcp', member },
  );
  const outcome = await hub.execute({ caller, tool, input });
  return outcome.ok ? outcome.data : undefined;
}

function stepsOfTask(world: World, task: DemoTask): DemoStep[] {
  const { team } = world.hub;
  const id = () => world.tasks.get(task.title) ?? '';
  const { worker = '', by = 'planner', branch, pr } = task;
  const as = (at: number | undefined, member: string, tool: string, input: object = {}): DemoStep[] =>
    at === undefined
      ? []
      : [{ at, run: () => execute(world.hub, { member, tool, input: { taskId: id(), ...input } }) }];
  const move = (at: number | undefined, status: string, input: object = {}) =>
    as(at, worker, 'mcp__task__update_status', { status, ...input });
  const place = branch && { branchName: branch, worktreePath: `/srv/worktrees/${branch.replace('/', '-')}` };
  const link = pr !== undefined && { prUrl: `https://github.com/example/shop/pull/${pr}` };
  const given = task.given ?? (task.begun === undefined ? undefined : task.begun + 2);
  const create = async () => {
    const { title, description = '', epic, priority, labels, due } = task;
    const dueDate = due === undefined ? undefined : new Date(Date.now() + due * dayMs).toISOString().slice(0, 10);
    const draft = { title, description, epicId: (epic && world.epics.get(epic)) ?? null, priority, labels, dueDate };
    const made =
      by === 'you'
        ? await team.tasks.create(human, NewTask.parse(draft))
        : await execute(world.hub, { member: by, tool: 'mcp__task__create', input: draft });
    world.tasks.set(title, (made as { id: string }).id);
  };
  return [
    { at: task.made, run: create },
    ...as(given, by === 'you' ? 'planner' : by, 'mcp__task__assign', { agentId: worker }),
    ...move(task.begun, 'IN_PROGRESS', { ...place }),
    ...(task.begun === undefined
      ? []
      : [call(world, { at: task.begun - 1, member: worker, tool: 'mcp__agent__get_task' })]),
    ...(task.comments ?? []).flatMap(([at, author, body]) => as(at, author, 'mcp__task__add_comment', { body })),
    ...move(task.review, 'REVIEW', { ...link }),
    ...as(task.changes?.[0], 'planner', 'mcp__epic__request_changes', { comment: task.changes?.[1] }),
    ...move(task.reviewAgain, 'REVIEW'),
    ...as(task.approved?.[0], 'planner', 'mcp__epic__approve_task', { comment: task.approved?.[1] }),
    ...move(task.blocked?.[0], 'BLOCKED', { comment: task.blocked?.[1] }),
    ...move(task.failed?.[0], 'FAILED', { comment: task.failed?.[1] }),
  ];
}

function stepsOfEpics({ hub, epics }: World): DemoStep[] {
  return demoEpics.flatMap(({ key, state }): DemoStep[] => {
    const move = (at: number, status: 'IN_PROGRESS' | 'COMPLETED') => ({
      at,
      run: () => hub.team.epics.move(human, { epicId: epics.get(key) ?? '', status }),
    });
    if (state === undefined) return [];
    return state === 'COMPLETED' ? [move(1535, 'IN_PROGRESS'), move(1200, state)] : [move(1515, state)];
  });
}

/** Both sides reply in turn, after reading. */
function stepsOfMail({ hub }: World, mail: DemoMail): DemoStep[] {
  const { mail: post } = hub.team;
  let last = '';
  let thread = '';
  const send = async () => {
    const { from, to, subject, body } = mail;
    const draft = { subject, body, ...(to === 'you' ? { toHuman: true } : { toAgentId: to }) };
    const sent =
      from === 'you'
        ? await post.send(human, draft)
        : await execute(hub, { member: from, tool: 'mcp__mail__send', input: draft });
    last = (sent as { mailId: string }).mailId;
    thread = last;
  };
  const reply = async (member: string, body: string) => {
    if (member === 'you') await post.readThread(thread);
    else await execute(hub, { member, tool: 'mcp__mail__read', input: { mailId: last } });
    const input = { originalMailId: last, body };
    const sent =
      member === 'you'
        ? await post.reply(human, input)
        : await execute(hub, { member, tool: 'mcp__mail__reply', input });
    last = (sent as { mailId: string }).mailId;
  };
  const { from, to, replies = [] } = mail;
  return [
    { at: mail.at, run: send },
    ...replies.map(([at, body], index) => ({ at, run: () => reply(index % 2 === 0 ? to : from, body) })),
    // Old replies are read.
    ...(replies.length > 0 && [from, to].includes('you') ? [{ at: 500, run: () => post.readThread(thread) }] : []),
  ];
}

/** Rejected and failed calls, two escalations to the user, and a stalled member. */
function stepsOfTrouble(world: World): DemoStep[] {
  const { hub, tasks, epics } = world;
  const preview = { at: 100, member: 'lead', tool: 'deploy_preview', input: { branch: 'refunds/second-person' } };
  const answer = async () => {
    const { items } = await hub.team.mail.threads({ onlyEscalations: true, limit: 1 });
    const [thread] = items;
    if (!thread) return;
    const [first] = (await hub.team.mail.thread(thread.threadId)).items;
    if (!first) return;
    await hub.team.mail.readThread(thread.threadId);
    const body = 'The preview cluster is under repair until noon. Use staging until then, and tell the others.';
    const { mailId } = await hub.team.mail.reply(human, { originalMailId: first.id, body });
    const input = { originalMailId: mailId, body: 'Previews now go to staging, and the others know.' };
    await execute(hub, { member: 'lead', tool: 'mcp__mail__read', input: { mailId } });
    await execute(hub, { member: 'lead', tool: 'mcp__mail__reply', input });
  };
  return [
    call(world, { at: 1390, member: 'writer-1', tool: 'mcp__task__create', input: { title: 'Translate the rule' } }),
    call(world, { at: 950, member: 'tester-1', tool: 'run_checks', input: { branch: 'search/measure-age' } }),
    call(world, { at: 730, member: 'reviewer-1', tool: 'search', input: { query: '' } }),
    call(world, { at: 415, agent: 'code-reviewer', tool: 'sources' }),
    call(world, {
      at: 330,
      member: 'auditor-1',
      tool: 'mcp__epic__list_tasks',
      input: { epicId: epics.get('refunds') },
    }),
    call(world, preview),
    call(world, { ...preview, at: 98 }),
    call(world, { ...preview, at: 96 }),
    { at: 88, run: answer },
    call(world, { at: 62, agent: 'incident-responder', tool: 'get', input: { id: 'runbooks/refunds.md' } }),
    { at: 140, run: () => hub.team.health.recover() },
    {
      at: 18,
      run: () => {
        const input = { taskId: tasks.get('Audit trail for approvals'), status: 'REVIEW' };
        return execute(hub, { member: 'auditor-1', tool: 'mcp__task__update_status', input });
      },
    },
  ];
}

/** The demo's tools, defined in code. The preview cluster is down. */
export const demoTools: readonly Tool[] = [
  defineTool({
    name: 'run_checks',
    title: 'Checks of a branch',
    description: 'Returns how many tests and linters passed on a branch.',
    annotations: { readOnlyHint: true },
    input: z.object({ branch: z.string().min(1) }),
    run: ({ branch }) => {
      if (branch === 'search/measure-age') throw new Error('network: the build machine is not responding');
      return { branch, passed: 412, failed: 0 };
    },
  }),
  defineTool({
    name: 'deploy_preview',
    title: 'Deploy a preview',
    description: 'Deploys a branch to the preview cluster and returns its URL.',
    input: z.object({ branch: z.string().min(1) }),
    run: () => {
      throw new Error('connection to the preview cluster was refused');
    },
  }),
];

export interface DemoReceiver {
  /** For the config. */
  toml: string;
  close(): Promise<void>;
}

/** Two webhooks: the chat accepts everything, the archive stops accepting events at the last one. */
export async function startReceiver(): Promise<DemoReceiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const isRefused = request.url === '/archive' && body.includes('CRITICAL');
      response.writeHead(isRefused ? 410 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port has an address object.
  const { port } = server.address() as AddressInfo;
  const hook = (name: string) =>
    `\n[events.webhooks.${name}]\nurl = "http://127.0.0.1:${port}/${name}"\nsecret = "a-demo-without-secrets"\n`;
  return {
    toml: hook('chat') + hook('archive'),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Resolves when every event is delivered or has failed for good. */
export async function untilDelivered(hub: Hub): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  while ((await hub.team.events.count()).pending > 0 && Date.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
