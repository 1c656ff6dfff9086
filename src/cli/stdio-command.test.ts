import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load-config.ts';
import { stdioCommand } from './stdio-command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-stdio-command-'));
});
afterAll(() => rm(folder, { recursive: true }));

const load = (env: Record<string, string>) => loadConfig({ cwd: folder, home: folder, env });
const packaged = 'file:///somewhere/agent-zoo/dist/cli/main.js';

describe('the command that clients start', () => {
  it('is the file of the checkout, with the data folder that serves', async () => {
    const { command, args } = stdioCommand(await load({ AGENT_ZOO_HOME: 'mine' }));
    const [file = '', ...rest] = args;
    expect(command).toBe('node');
    expect(existsSync(file)).toBe(true);
    expect(rest).toEqual(['mcp', '--home', join(folder, 'mine')]);
  });

  it('answers an MCP client that has another folder and almost no environment', async () => {
    const { command, args } = stdioCommand(await load({ AGENT_ZOO_HOME: 'mine' }));
    const child = spawn(command, args, {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    const [line] = await once(createInterface(child.stdout), 'line');
    child.stdin.end();
    expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: 'agent-zoo' } } });
    expect(await closed).toEqual([0, null]);
    expect(existsSync(join(folder, 'mine', 'zoo.sqlite'))).toBe(true);
  });

  it('finds a config that was found, because naming it would trust it, and names one that was named', async () => {
    const place = join(folder, 'project');
    await mkdir(place);
    await writeFile(join(place, 'zoo.toml'), '[mcp_servers.x]\ncommand = "x"');
    const found = await loadConfig({ cwd: place, home: folder, env: {} });
    expect(stdioCommand(found).args.slice(1)).toEqual(['mcp', '--folder', place]);
    const named = await loadConfig({ explicitFile: 'zoo.toml', cwd: place, home: folder, env: {} });
    expect(stdioCommand(named).args.slice(1)).toEqual(['mcp', '--config', join(place, 'zoo.toml')]);
  });

  it('names the working folder of a config of Context Harness, whose paths depend on it', async () => {
    const file = join(folder, 'harness', 'demo', 'config', 'ctx.toml');
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, '');
    const cwd = join(folder, 'harness');
    const loaded = await loadConfig({ explicitFile: 'demo/config/ctx.toml', cwd, home: folder, env: {} });
    expect(stdioCommand(loaded).args.slice(1)).toEqual(['mcp', '--config', file, '--folder', cwd]);
    expect((await loadConfig({ explicitFile: file, cwd, home: folder, env: {} })).folder).toBe(cwd);
  });

  it.each([
    ['the machine', '/usr/local/bin/node', ['-y', 'agent-zoo', 'mcp']],
    [
      'npm',
      '/home/me/.npm/_npx/1f/node_modules/node/bin/node',
      ['-y', '-p', 'node@24', '-p', 'agent-zoo', 'zoo', 'mcp'],
    ],
    [
      'npm on Windows',
      'C:\\me\\node_modules\\node\\bin\\node.exe',
      ['-y', '-p', 'node@24', '-p', 'agent-zoo', 'zoo', 'mcp'],
    ],
  ])('is the package, when its Node came from %s', async (_, node, args) => {
    expect(stdioCommand(await load({}), { module: packaged, node })).toEqual({ command: 'npx', args, needs: [] });
  });

  it('needs DATABASE_URL if the hub uses it, but never shows its value', async () => {
    const command = stdioCommand(await load({ DATABASE_URL: 'postgres://me:secret@localhost/zoo' }));
    expect(command.needs).toEqual(['DATABASE_URL']);
    expect(JSON.stringify(command)).not.toContain('secret');
  });
});
