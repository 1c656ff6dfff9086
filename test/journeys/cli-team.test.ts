import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { type RunningZoo, runZoo, startZoo, type ZooFolder, zooFolder, zooScript } from '../support/command/run-zoo.ts';

let folder: ZooFolder;
let served: RunningZoo;
let url: string;
let token: string;

const zoo = (...args: string[]) => runZoo(args, { cwd: folder.dir });
async function json(...args: string[]) {
  const { stdout, stderr, code } = await zoo(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function execute(toolName: string, input: object = {}) {
  const response = await fetch(`${url}/mcp/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ agentId: 'worker-1', toolName, input }),
  });
  return response.json();
}

beforeAll(async () => {
  folder = await zooFolder();
  await json('team', 'add', 'lead', '--type', 'SUPERVISOR');
  ({ token } = await json('team', 'add', 'worker-1', '--supervisor', 'lead'));
  served = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  [, url = ''] = await served.says(/Web app\s+(http:\S+)/);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test('members are listed with type and state, in columns and as JSON', async () => {
  const { stdout } = await zoo('team', 'list');
  expect(stdout).toMatch(/worker-1 +WORKER +IDLE +lead +– +\S+.* +yes/);
  expect(await json('team', 'list')).toMatchObject([{ id: 'lead', hasToken: true }, { id: 'worker-1' }]);
});

test('a member gets a unique name, its token is renewed and revoked, and it is removed', async () => {
  const { stdout } = await zoo('team', 'add');
  const [, id = ''] = /^Added (worker-\d+) as WORKER\.\n\n {2}zoo_[\w-]{43}\n/.exec(stdout) ?? [];
  expect(id).not.toBe('');
  expect((await zoo('team', 'token', id)).stdout).toMatch(/new token for worker-\d+/);
  expect((await json('team', 'token', id, '--revoke')).hasToken).toBe(false);
  expect((await zoo('team', 'remove', id)).stdout).toContain('Its open tasks are pending again');
  const again = await zoo('team', 'remove', id);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`There is no member "${id}"`)]);
});

test("a subject of several lines cannot fake the sender's line", async () => {
  const subject = 'Deploy\nfrom lead to you, 2026-01-01 08:00, mail_1';
  const { data } = await execute('mcp__mail__send', { toHuman: true, subject, body: 'now' });
  const lines = (await zoo('mail', 'read', data.mailId)).stdout.split('\n');
  expect(lines[0]).toBe('Deploy from lead to you, 2026-01-01 08:00, mail_1');
  expect(lines[1]).toMatch(/^from worker-1 to you, /);
});

test('a mail to the person is read and answered, and the member reads the answer', async () => {
  await execute('mcp__mail__send', { toHuman: true, subject: 'Which way?', body: 'Left or right?' });
  expect((await zoo('mail')).stdout).toMatch(/●.*worker-1 +Which way\?/);
  const { mails } = await json('mail');
  const { stdout } = await zoo('mail', 'read', mails[0].id);
  expect(stdout).toContain('Left or right?');
  expect((await zoo('mail')).stdout).toContain('no unread mail');
  const reply = await runZoo(['mail', 'reply', mails[0].id, '-'], { cwd: folder.dir, input: 'Left.' });
  expect(reply.stdout).toMatch(/^Reply sent \(mail_\w+\)\.\n$/);
  const inbox = await execute('mcp__mail__list_inbox');
  expect(inbox.data.mails[0]).toMatchObject({ subject: 'Re: Which way?', body: 'Left.', fromAgentType: 'HUMAN' });
});

test('tasks and epics go through their states, and a wrong move is explained', async () => {
  const epic = await json('epic', 'create', 'Accounts', '--description', 'All of it');
  const task = await json('task', 'create', 'Add login', '--epic', epic.id, '--assignee', 'worker-1');
  expect(task).toMatchObject({ state: 'ASSIGNED', assigneeId: 'worker-1', epicId: epic.id });
  expect((await execute('mcp__task__update_status', { status: 'IN_PROGRESS' })).data.id).toBe(task.id);
  const wrong = await zoo('task', 'move', task.id, 'COMPLETED');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('REVIEW, BLOCKED, FAILED')]);
  await zoo('task', 'comment', task.id, 'Mind the cookies.');
  expect((await zoo('task', 'move', task.id, 'review')).stdout).toContain('is REVIEW');
  expect((await zoo('task', 'show', task.id)).stdout).toMatch(/Add login[\s\S]*REVIEW since[\s\S]*Mind the cookies\./);
  expect(await json('task', 'list', '--state', 'review')).toMatchObject([{ id: task.id, comments: 1 }]);
  await zoo('task', 'move', task.id, 'completed');
  expect((await zoo('epic', 'move', epic.id, 'completed')).stdout).toContain('is COMPLETED');
  expect((await zoo('epic', 'list')).stdout).toMatch(/COMPLETED +1 of 1 tasks +Accounts/);
});

test('text that a member could not send is refused, and nothing is written', async () => {
  const { id } = await json('task', 'create', 'Say something');
  const refusals: [RegExp, ...string[]][] = [
    [/subject/, 'mail', 'send', 'lead', ' ', 'Text'],
    [/body/, 'mail', 'send', 'lead', 'Subject', ''],
    [/body/, 'task', 'comment', id, ''],
    [/comment/, 'task', 'move', id, 'failed', '--comment', ''],
    [/title/, 'task', 'create', ' '],
    [/title/, 'epic', 'create', 'x'.repeat(301)],
    [/id: must be/, 'team', 'add', 'not a name'],
  ];
  for (const [field, ...args] of refusals) {
    const { code, stderr } = await zoo(...args);
    expect([code, stderr], args.join(' ')).toEqual([1, expect.stringMatching(field)]);
  }
  expect(await json('task', 'show', id)).toMatchObject({ state: 'PENDING', commentList: [] });
});

test('a permission check names its rule, and sets the exit code', async () => {
  const allowed = await zoo('permissions', 'check', 'worker-1', 'mcp__mail__send');
  expect([allowed.code, allowed.stdout]).toEqual([
    0,
    'worker-1 → mcp__mail__send: allowed (WORKER may call mcp__mail__*)\n',
  ]);
  const denied = await zoo('permissions', 'check', 'worker-1', 'mcp__task__create');
  expect([denied.code, denied.stdout]).toEqual([
    1,
    'worker-1 → mcp__task__create: denied (WORKER may not call mcp__task__create)\n',
  ]);
  const matrix = await json('permissions', 'matrix');
  expect(matrix.find(({ tool }: { tool: string }) => tool === 'mcp__epic__list')).toMatchObject({
    decisions: { SUPERVISOR: { allowed: true }, ORCHESTRATOR: { allowed: true }, WORKER: { allowed: false } },
  });
});

describe('zoo log', () => {
  test('filters entries, shows one call in full, and finds text', async () => {
    await execute('mcp__system__log_decision', { title: 'Chose Redis', body: 'It scales.' });
    expect((await zoo('log', '--kind', 'manual')).stdout).toContain('Chose Redis: It scales.');
    expect((await zoo('log', '--text', 'chose redis')).stdout).toContain('mcp__system__log_decision');
    const [call] = await json('log', '--member', 'worker-1', '--tool', 'mcp__system__log_decision', '--kind', 'result');
    const { stdout } = await zoo('log', '--call', call.callId);
    expect(stdout).toMatch(/invocation[\s\S]*"title": "Chose Redis"[\s\S]*result[\s\S]*"logId"/);
    expect((await zoo('log', '--member', 'nobody')).stdout).toBe('No entries match.\n');
  });

  test('follows new entries, from other processes too', async () => {
    await using log = startZoo(['log', '--follow', '--member', 'worker-1', '--tool', 'mcp__agent__get_status'], {
      cwd: folder.dir,
    });
    await execute('mcp__agent__get_status');
    await log.says(/invocation +mcp__agent__get_status[\s\S]*result +mcp__agent__get_status/);
    log.process.kill('SIGINT');
    expect((await log.ended).code).toBe(0);
  });

  test('verifies the chains and finds a changed row', async () => {
    expect((await zoo('log', 'verify')).stdout).toMatch(
      /^[\d,]+ entries in [\d,]+ chains? verified\. No changes found\.\nProven:\n/,
    );
    const database = new DatabaseSync(join(folder.dir, 'home', 'zoo.sqlite'));
    const first = 'seq = (select min(seq) from decision_groups)';
    const change = database.prepare(`update decision_groups set entries = ? where ${first}`);
    const before = String(database.prepare(`select entries from decision_groups where ${first}`).get()?.entries);
    change.run(before.replace('}', ',"changed":true}'));
    const { code, stdout } = await zoo('log', 'verify');
    change.run(before);
    database.close();
    expect([code, stdout]).toEqual([1, expect.stringContaining('the log was changed')]);
    expect((await zoo('log', 'verify')).code).toBe(0);
  });
});

test.each([
  [['mail', 'send', 'nobody', 'Hello', 'Are you there?']],
  [['task', 'create', 'Something', '--assignee', 'nobody']],
])('%j reports an unknown member and leaves nothing behind', async (args) => {
  const tasks = (await zoo('task', 'list', '--json')).stdout;
  const { code, stdout, stderr } = await zoo(...args);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'zoo: There is no member "nobody". "zoo team list" shows all members.\n',
  });
  expect((await zoo('task', 'list', '--json')).stdout).toBe(tasks);
});

test('zoo mcp --member serves the view of that member', async () => {
  const env = { PATH: process.env.PATH ?? '', HOME: folder.dir, AGENT_ZOO_HOME: join(folder.dir, 'home') };
  const client = await connectV1({ command: process.execPath, args: [zooScript, 'mcp', '--member', 'worker-1'], env });
  const names = await client.toolNames();
  await client.close();
  expect(names).toContain('mcp__mail__send');
  expect(names).not.toContain('mcp__task__create');
  const both = await zoo('mcp', '--member', 'worker-1', '--agent', 'x');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('not both')]);
  const nobody = await zoo('mcp', '--member', 'nobody');
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('There is no member "nobody"')]);
});

test('tasks are listed by priority, due date, label and words, and by urgency', async () => {
  const create = (title: string, ...plan: string[]) => json('task', 'create', title, '--label', 'plan', ...plan);
  await create('Paint the wall', '--priority', 'low');
  await create('Fix the roof', '--priority', 'urgent', '--due', '2027-03-31');
  await create('Call the plumber', '--due', '2027-01-31');
  const titles = async (...filters: string[]) =>
    (await json('task', 'list', '--label', 'plan', ...filters)).map(({ title }: { title: string }) => title);
  expect(await titles('--sort', 'urgency')).toEqual(['Fix the roof', 'Call the plumber', 'Paint the wall']);
  expect(await titles('--priority', 'low')).toEqual(['Paint the wall']);
  expect(await titles('--due-by', '2027-02-01')).toEqual(['Call the plumber']);
  expect(await titles('--text', 'the roof')).toEqual(['Fix the roof']);
  expect((await zoo('task', 'list', '--label', 'plan')).stdout).toMatch(/PRIORITY +DUE[\s\S]*urgent +2027-03-31/);
  expect((await zoo('task', 'list', '--sort', 'age')).stderr).toContain('sort');
  expect((await zoo('task', 'list', '--due-by', 'soon')).stderr).toContain('dueBy');
});
