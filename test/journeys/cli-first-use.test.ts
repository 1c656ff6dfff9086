import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runZoo, runZooProcess, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';
import { npmServer } from '../support/servers/npm-servers.ts';

let folder: ZooFolder;
let model: TestModelServer;

const zoo = (...args: string[]) =>
  runZoo(args, { cwd: folder.dir, env: { OPENAI_COMPATIBLE_BASE_URL: model.url, ZOO_LOG: 'warn' } });

beforeAll(async () => {
  model = await startModelServer();
});
afterAll(() => model.close());
beforeEach(async () => {
  folder = await zooFolder({ isNew: true });
  const everything = `command = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(npmServer('everything'))}]`;
  await writeFile(
    join(folder.dir, 'zoo.toml'),
    `[engine]
model = "openai-compatible/scripted"

[mcp_servers.everything]
${everything}

[mcp_servers.broken]
command = "no-such-command"

[agents.calculator]
system_prompt = "You calculate."
tools = ["mcp__everything__get-sum"]
`,
  );
  return () => folder[Symbol.asyncDispose]();
});

describe('a config that nobody connected yet', () => {
  test('zoo run has the tools of its servers, and says which server has none', async () => {
    model.add({ toolCalls: [{ name: 'mcp__everything__get-sum', arguments: { a: 2, b: 40 } }] }, { text: 'It is 42.' });
    const { code, stdout, stderr } = await zoo('run', 'calculator', 'How much is 2 and 40?', '--yes');
    expect(stderr).toContain('✓ mcp__everything__get-sum');
    expect(stderr).toContain('no-such-command');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'It is 42.\n' });
    expect(model.requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(['mcp__everything__get-sum']);
  });

  test('zoo tool call finds a tool of it', async () => {
    const { code, stdout } = await zoo('tool', 'call', 'mcp__everything__echo', '--param', 'message=hello');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Echo: hello\n' });
  });

  test('zoo tool list has its tools', async () => {
    const { code, stdout, stderr } = await zoo('tool', 'list');
    expect(code).toBe(0);
    expect(stdout).toContain('mcp__everything__echo');
    expect(stderr).toContain('no-such-command');
  });
});

test.each([
  [['mcp-server', 'test', ''], 'everything'],
  [['mcp-server', 'accept', 'b'], 'broken'],
  [['provider', 'key', ''], 'openai-compatible'],
  [['run', ''], 'calculator'],
])('the shell completes %j', async (words, name) => {
  const { stdout } = await runZooProcess(['complete', '--', ...words], { cwd: folder.dir });
  expect(stdout.split('\n').map((line) => line.split('\t')[0])).toContain(name);
});
