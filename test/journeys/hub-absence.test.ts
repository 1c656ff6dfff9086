import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { type RunningZoo, runZoo, startZoo, zooFolder } from '../support/command/run-zoo.ts';

interface MemberProcess {
  zoo: RunningZoo;
  call(tool: string, input?: object): Promise<unknown>;
}

/** Of hubs that everyone can call. */
const countPeriods = 'select count(*) as periods from hub_presence where member_id is null';
const soon = { timeout: 60_000, interval: 100 };
/** The tests wait for the clock, so they wait together. */
const patiently = { concurrent: true, timeout: 150_000 };

/** A team of one worker in a folder of its own. */
async function openTeam() {
  const folder = await zooFolder();
  await writeFile(join(folder.dir, 'zoo.toml'), '[team]\nstalled_after_secs = 12\nreconcile_every_secs = 1\n');
  const { token } = await json('team', 'add', 'worker-1');

  async function json(...args: string[]) {
    const { stdout, stderr, code } = await runZoo([...args, '--json'], { cwd: folder.dir });
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  }

  async function serve(): Promise<{ zoo: RunningZoo; url: string }> {
    const zoo = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
    const [, url = ''] = await zoo.says(/Web app\s+(http:\S+)/);
    return { zoo, url };
  }

  /** The worker begins a task and then makes no further call. */
  async function begin(url: string): Promise<string> {
    const { id } = await json('task', 'create', 'Add login');
    const response = await fetch(`${url}/mcp/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ toolName: 'mcp__task__update_status', input: { taskId: id, status: 'IN_PROGRESS' } }),
    });
    expect(await response.json()).toMatchObject({ success: true, data: { state: 'IN_PROGRESS' } });
    return id;
  }

  function look(): { state: unknown; periods: unknown } {
    const database = new DatabaseSync(join(folder.dir, 'home', 'zoo.sqlite'), { readOnly: true });
    try {
      const { state } = database.prepare('select state from tasks').get() ?? {};
      const { periods } = database.prepare(countPeriods).get() ?? {};
      return { state, periods };
    } finally {
      database.close();
    }
  }

  /** A member that works through a process of its own, as its client would start it. */
  async function attend(member: string): Promise<MemberProcess> {
    const zoo = startZoo(['mcp', '--member', member], { cwd: folder.dir });
    let asked = 0;
    async function request(method: string, params: object): Promise<unknown> {
      asked += 1;
      const id = asked;
      zoo.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      const [line] = await zoo.says(new RegExp(`^\\{"jsonrpc":"2.0","id":${id},.*$`, 'm'));
      return JSON.parse(line).result;
    }
    const clientInfo = { name: 'journey', version: '1.0.0' };
    await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    return {
      zoo,
      async call(name, input = {}) {
        const result = (await request('tools/call', { name, arguments: input })) as { structuredContent: unknown };
        return result.structuredContent;
      },
    };
  }

  return { json, serve, begin, look, attend, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

it('a member keeps its task when the hub was stopped for longer than a member may be silent', patiently, async () => {
  await using team = await openTeam();
  const { zoo, url } = await team.serve();
  await using _ = zoo;
  await team.begin(url);
  const { periods } = team.look();
  zoo.process.kill('SIGSTOP');
  await sleep(14_000);
  zoo.process.kill('SIGCONT');
  await vi.waitFor(() => expect(team.look().periods).toBe(Number(periods) + 1), soon);
  expect(team.look().state).toBe('IN_PROGRESS');
  // The rest of its time counts from now on.
  await vi.waitFor(() => expect(team.look().state).toBe('PENDING'), soon);
});

it('a member keeps its task when the hub was down for longer than a member may be silent', patiently, async () => {
  await using team = await openTeam();
  const first = await team.serve();
  await team.begin(first.url);
  const { periods } = team.look();
  first.zoo.process.kill('SIGTERM');
  await first.zoo.ended;
  await sleep(14_000);
  const { zoo } = await team.serve();
  await using _ = zoo;
  await vi.waitFor(() => expect(team.look().periods).toBe(Number(periods) + 1), soon);
  expect(team.look().state).toBe('IN_PROGRESS');
  await vi.waitFor(() => expect(team.look().state).toBe('PENDING'), soon);
});

it(
  'members that work only through processes of their own are judged while the machine is awake',
  patiently,
  async () => {
    await using team = await openTeam();
    await team.json('team', 'add', 'boss', '--type', 'SUPERVISOR');
    // A team that was served once and is not any more.
    const { zoo: earlier } = await team.serve();
    await vi.waitFor(() => expect(team.look().periods).toBe(1), soon);
    earlier.process.kill('SIGTERM');
    await earlier.ended;

    const worker = await team.attend('worker-1');
    await using _worker = worker.zoo;
    const boss = await team.attend('boss');
    await using _boss = boss.zoo;
    const { id } = await team.json('task', 'create', 'Add login');
    const begun = await worker.call('mcp__task__update_status', { taskId: id, status: 'IN_PROGRESS' });
    expect(begun).toMatchObject({ state: 'IN_PROGRESS' });
    const isStalled = async () => {
      const { members } = (await boss.call('mcp__orchestrator__check_health')) as {
        members: { agentId: string; isStalled: boolean }[];
      };
      return members.find(({ agentId }) => agentId === 'worker-1')?.isStalled;
    };
    for (const { zoo } of [worker, boss]) zoo.process.kill('SIGSTOP');
    await sleep(14_000);
    for (const { zoo } of [worker, boss]) zoo.process.kill('SIGCONT');
    expect(await isStalled()).toBe(false);
    await vi.waitFor(async () => expect(await isStalled()).toBe(true), soon);
  },
);

it(
  'a member that calls over HTTP gets back the time in which only processes of other members ran',
  patiently,
  async () => {
    await using team = await openTeam();
    await team.json('team', 'add', 'boss', '--type', 'SUPERVISOR');
    const first = await team.serve();
    await team.begin(first.url);
    const boss = await team.attend('boss');
    await using _boss = boss.zoo;
    const { periods } = team.look();
    first.zoo.process.kill('SIGTERM');
    await first.zoo.ended;
    await sleep(14_000);
    const { zoo } = await team.serve();
    await using _ = zoo;
    await vi.waitFor(() => expect(team.look().periods).toBe(Number(periods) + 1), soon);
    expect(team.look().state).toBe('IN_PROGRESS');
    await vi.waitFor(() => expect(team.look().state).toBe('PENDING'), soon);
  },
);
