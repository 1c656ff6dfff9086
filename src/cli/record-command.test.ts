import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeTerminal } from '../../test/support/command/fake-terminal.ts';
import { loadConfig } from '../config/load-config.ts';
import { createHub } from '../hub.ts';
import type { StoredDecision } from '../tools/decision-log.ts';
import { runProgram } from './program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-acts-'));
  await writeFile(join(folder, 'zoo.toml'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command and returns the entries that it left, oldest first. */
async function entriesOf(...args: string[]): Promise<StoredDecision[]> {
  const before = await readLog();
  const { context } = fakeTerminal({ cwd: folder, env: { AGENT_ZOO_HOME: folder } });
  context.stdout.isTTY = false;
  await runProgram(context, args);
  return (await readLog()).slice(before.length);
}

async function readLog(): Promise<StoredDecision[]> {
  const config = await loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder });
  const hub = await createHub({ config, watch: false });
  const { entries } = await hub.decisions.page({ limit: 500 });
  await hub.close();
  return entries.reverse();
}

it.each<[command: string, args: string[], target: string]>([
  ['zoo agent new', ['agent', 'new', 'Keeper', '--template', 'architect'], 'keeper'],
  ['zoo agent clone', ['agent', 'clone', 'keeper', 'Second'], 'second'],
  ['zoo agent delete', ['agent', 'delete', 'second'], 'second'],
  ['zoo team add', ['team', 'add', 'worker-1'], 'worker-1'],
  ['zoo team token', ['team', 'token', 'worker-1'], 'worker-1'],
  ['zoo team token', ['team', 'token', 'worker-1', '--revoke'], 'worker-1'],
  ['zoo mcp-server add', ['mcp-server', 'add', 'files', '--no-connect', '--', 'true'], 'files'],
  ['zoo mcp-server remove', ['mcp-server', 'remove', 'files'], 'files'],
  ['zoo key create', ['key', 'create', 'script'], 'script'],
  ['zoo key revoke', ['key', 'revoke', 'script'], 'script'],
  ['zoo team remove', ['team', 'remove', 'worker-1'], 'worker-1'],
])('%s leaves one act', async (command, args, target) => {
  const entries = await entriesOf(...args);
  expect(entries).toMatchObject([{ kind: 'act', tool: command, agentId: 'HUMAN', surface: 'cli' }]);
  expect(JSON.parse(entries[0]?.context ?? '')).toMatchObject({ by: { kind: 'owner' }, target });
});

it('what the user writes in a terminal leaves a call and its result, as HUMAN', async () => {
  await entriesOf('team', 'add', 'worker-2');
  const expected = { tool: 'mcp__mail__send', agentId: 'HUMAN', surface: 'cli' };
  expect(await entriesOf('mail', 'send', 'worker-2', 'Hi', 'There')).toMatchObject([
    { ...expected, kind: 'invocation' },
    { ...expected, kind: 'result' },
  ]);
  const task = await entriesOf('task', 'create', 'Do it');
  expect(task.map(({ tool, kind }) => [tool, kind])).toEqual([
    ['mcp__task__create', 'invocation'],
    ['mcp__task__create', 'result'],
  ]);
});

it.each([['agent', 'list'], ['mail'], ['task', 'list'], ['team', 'list'], ['key', 'list'], ['log'], ['status']])(
  'reading leaves nothing: zoo %s %s',
  async (...args) => {
    expect(await entriesOf(...args.filter((arg) => arg !== undefined))).toEqual([]);
  },
);
