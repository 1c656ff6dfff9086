import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeTerminal } from '../../test/support/command/fake-terminal.ts';
import { callTool } from './tools.cli.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-call-tool-'));
  const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const server = `[mcp_servers.everything]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(everything)}]\n`;
  await writeFile(join(folder, 'zoo.toml'), server);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const hostile = 'a\u001b]0;title\u0007b\u009b31mc\u202ed';

it.each([
  ['a text', {}],
  ['JSON', { json: true }],
])('control characters in a result never reach a terminal: %s', async (_, options) => {
  const { context, shown } = fakeTerminal({ cwd: folder, env: { AGENT_ZOO_HOME: folder } });
  await callTool(context, 'mcp__everything__echo', { param: { message: hostile }, ...options });
  expect(shown()).toMatch(/Echo: a.*title.*b.*c.*d/);
  expect(shown()).not.toMatch(/(?![\n\t])[\p{Cc}\u202a-\u202e]/u);
});

it('a program that reads the result gets it unchanged', async () => {
  const { context, shown } = fakeTerminal({ cwd: folder, env: { AGENT_ZOO_HOME: folder } });
  context.stdout.isTTY = false;
  await callTool(context, 'mcp__everything__echo', { param: { message: hostile } });
  expect(shown()).toContain(`Echo: ${hostile}`);
});
