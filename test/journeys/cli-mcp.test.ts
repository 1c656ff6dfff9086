import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runZooProcess, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { ownerHeader } from '../support/hubs/owner-key.ts';

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const write = (name: string, text: string) => writeFile(join(folder.dir, name), text);

const handshake = [
  {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'journey', version: '1' } },
  },
  { method: 'notifications/initialized' },
];

function lines(...messages: object[]): string {
  return [...handshake, ...messages].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
}

/** Every line of stdout must be MCP; returns the result of one request. */
function resultOf(stdout: string, id: number) {
  const messages = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  expect(messages.every((message) => message.jsonrpc === '2.0')).toBe(true);
  return messages.find((message) => message.id === id)?.result;
}

const call = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } });

test('zoo mcp answers on stdout, logs problems on stderr, and ends with its input', async () => {
  await write('zoo.toml', '[agents.reviewer]\nsystem_prompt = "Review."\n[agents.script.lua]\npath = "x.lua"');
  const input = lines({ id: 1, ...call('agent_zoo_inject', { agentId: 'reviewer' }) });
  const { code, stdout, stderr } = await runZooProcess(['mcp'], { cwd: folder.dir, input });
  expect(code).toBe(0);
  expect(resultOf(stdout, 1).structuredContent.prompt).toBe(
    'You are now reviewer. Use agentId=reviewer for all agent_zoo tool usage.\n\nReview.',
  );
  expect(JSON.parse(stderr)).toMatchObject({ level: 'warn', msg: 'x.lua cannot be read: there is no such file.' });
});

test('--agent shows and runs only the tools of that agent', async () => {
  await write('my.toml', '[agents.reviewer]\ntools = ["agent_zoo_get_*"]');
  const input = lines({ id: 1, method: 'tools/list' }, { id: 2, ...call('agent_zoo_list_agents', {}) });
  const args = ['mcp', '--agent=reviewer', '--config', 'my.toml'];
  const { stdout } = await runZooProcess(args, { cwd: folder.dir, input });
  expect(resultOf(stdout, 1).tools.map((tool: { name: string }) => tool.name)).toEqual(['agent_zoo_get_agent']);
  expect(resultOf(stdout, 2)).toMatchObject({ isError: true });
});

test('an unknown agent is one sentence and exit code 1', async () => {
  await write('zoo.toml', '[agents.reviewer]');
  expect(await runZooProcess(['mcp', '--agent', 'reviewr'], { cwd: folder.dir })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'zoo: There is no agent "reviewr". Did you mean "reviewer"?\n',
  });
});

test('a broken config is one sentence on stderr and nothing on stdout', async () => {
  await write('zoo.toml', '[agents.reviewer');
  const { code, stdout, stderr } = await runZooProcess(['mcp'], { cwd: folder.dir });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^zoo: zoo\.toml:1: .*\n$/);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it while its input stays open', async (signal) => {
  await using zoo = startZoo(['mcp'], { cwd: folder.dir });
  zoo.process.stdin?.write(lines());
  await zoo.says(/"serverInfo"/);
  zoo.process.kill(signal);
  expect(await zoo.ended).toMatchObject({ code: 0, stderr: '' });
});

test('a client that started while a hub serves sees an agent made there, as list_changed', async () => {
  await write('zoo.toml', '');
  await using serving = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  const [, url] = await serving.says(/Web app +(\S+)\n/);
  await using client = startZoo(['mcp'], { cwd: folder.dir });
  client.process.stdin?.write(lines());
  await client.says(/"serverInfo"/);
  const response = await fetch(`${url}/api/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await ownerHeader({ home: join(folder.dir, 'home') })) },
    body: JSON.stringify({ name: 'Lion Tamer' }),
  });
  expect(response.status).toBe(201);
  await client.says(/notifications\/prompts\/list_changed/);
  client.process.stdin?.end(`${JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'prompts/list' })}\n`);
  const { stdout } = await client.ended;
  expect(resultOf(stdout, 5).prompts).toMatchObject([{ name: 'lion-tamer' }]);
});
