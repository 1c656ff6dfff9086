import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import {
  checkoutScript,
  runCommand,
  runZoo,
  runZooProcess,
  startZoo,
  type ZooFolder,
  zooFolder,
} from '../support/command/run-zoo.ts';
import { ownerHeader } from '../support/hubs/owner-key.ts';

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const write = (name: string, text: string) => writeFile(join(folder.dir, name), text);
const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'journey', version: '1' } };
const anyPort = ['serve', '--bind', '127.0.0.1:0'];

describe('zoo serve', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'prints its address, serves there, and ends cleanly at %s',
    async (signal) => {
      await write('zoo.toml', '[agents.a]\n[agents.b]\n');
      await using zoo = startZoo(anyPort, { cwd: folder.dir });
      const [, url] = await zoo.says(/Web app +(http:\/\/127\.0\.0\.1:\d+)\n[\s\S]*Press Ctrl-C to stop/);
      expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok', version });
      const { agents } = await (await fetch(`${url}/agents/list`)).json();
      expect(agents.map((agent: { name: string }) => agent.name)).toEqual(['a', 'b']);
      zoo.process.kill(signal);
      const { code, stdout, stderr } = await zoo.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toBe(
        [
          `Agent Zoo ${version} is running.`,
          '',
          `  Web app  ${url}`,
          `  MCP      ${url}/mcp`,
          `  API      ${url}/docs`,
          `  Data     ${join('home', 'zoo.sqlite')}`,
          '  Config   zoo.toml',
          '  Agents   2',
          '',
          'Press Ctrl-C to stop.',
          '',
        ].join('\n'),
      );
    },
  );

  test('told to stop, it is not ready at once, and serves until a second signal skips the wait', async () => {
    await write('zoo.toml', '[server]\ndrain_seconds = 600\n[agents.a]\n');
    await using zoo = startZoo(anyPort, { cwd: folder.dir });
    const [, url] = await zoo.says(/Web app +(\S+)\n/);
    const headers = await ownerHeader({ home: join(folder.dir, 'home') });
    const stream = await fetch(`${url}/api/events`, { headers: { ...headers } });
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    const toldAt = Date.now();
    zoo.process.kill('SIGTERM');
    await zoo.says(/"msg":"stopping: /);
    const ready = await fetch(`${url}/ready`);
    expect({ status: ready.status, body: await ready.json() }).toMatchObject({
      status: 503,
      body: { ready: false, checks: [{ name: 'stopping', ok: false }], error: { code: 'unavailable' } },
    });
    // Everything else is still served.
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const created = await runZoo(['agent', 'new', 'Tiger', '--template', 'architect'], { cwd: folder.dir });
    expect(created.code).toBe(0);
    const { agents } = await (await fetch(`${url}/agents/list`)).json();
    expect(agents).toHaveLength(2);
    // A second signal counts when it cannot be the same key press.
    await expect.poll(() => Date.now() - toldAt).toBeGreaterThan(1_000);
    zoo.process.kill('SIGTERM');
    // The stream says when to come back, and ends after a whole event.
    const events = await stream.text();
    expect(events).toMatch(/^retry: 1000\n\n/);
    expect(events).toContain('event: change');
    expect(events.endsWith('\n\n')).toBe(true);
    expect(await zoo.ended).toMatchObject({ code: 0 });
  });

  test('told to stop, it ends by itself when the wait is over', async () => {
    await write('zoo.toml', '[server]\ndrain_seconds = 0.2\n');
    await using zoo = startZoo(anyPort, { cwd: folder.dir });
    await zoo.says(/Press Ctrl-C to stop/);
    zoo.process.kill('SIGTERM');
    await zoo.says(/"msg":"stopping: /);
    expect(await zoo.ended).toMatchObject({ code: 0 });
  });

  test('a port in use is a sentence that says what to do', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      });
    });
    const { code, stdout, stderr } = await runZooProcess(['serve', '--bind', `127.0.0.1:${port}`], { cwd: folder.dir });
    taken.close();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^zoo: Port ${port} on 127\\.0\\.0\\.1 is already in use.*--bind .*\\n$`));
  });

  test('an address beyond this machine is refused', async () => {
    const { code, stderr } = await runZooProcess(['serve', '--bind', '0.0.0.0:0'], { cwd: folder.dir });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^zoo: Refusing to listen on "0\.0\.0\.0".*\n$/);
  });

  test('a file that breaks while serving is logged with its line, its agents stay, the repair is logged too', async () => {
    await write('zoo.toml', '[agents.a]\n');
    await using zoo = startZoo(anyPort, { cwd: folder.dir });
    const [, url] = await zoo.says(/Web app +(\S+)\n/);
    await write('zoo.toml', '[agents.a]\nname = \n[agents.b]\n');
    const [line] = await zoo.says(/\{.*"level":"warn".*\}\n/);
    expect(JSON.parse(line)).toMatchObject({ place: 'zoo.toml', msg: expect.stringMatching(/^zoo\.toml:2: /) });
    const { agents } = await (await fetch(`${url}/agents/list`)).json();
    expect(agents).toHaveLength(1);
    await write('zoo.toml', '[agents.a]\n[agents.b]\n');
    await zoo.says(/"msg":"fixed: zoo\.toml:2: /);
    const repaired = await (await fetch(`${url}/agents/list`)).json();
    expect(repaired.agents).toHaveLength(2);
  });

  test('--open shows the web app in the browser of the person', async () => {
    const bin = join(folder.dir, 'bin');
    const note = join(folder.dir, 'opened');
    await mkdir(bin);
    for (const name of ['xdg-open', 'open']) {
      await writeFile(join(bin, name), `#!/bin/sh\nprintf '%s' "$1" > '${note}.part' && mv '${note}.part' '${note}'\n`);
      await chmod(join(bin, name), 0o755);
    }
    await using zoo = startZoo([...anyPort, '--open'], {
      cwd: folder.dir,
      env: { PATH: `${bin}${delimiter}${process.env.PATH}` },
    });
    const [, url] = await zoo.says(/Web app +(\S+)\n/);
    await expect.poll(() => readFile(note, 'utf8').catch(() => '')).toBe(url);
  });

  test('the Connect page shows a command that starts this hub from anywhere: same config, same data', async () => {
    await write('zoo.toml', '[agents.a]');
    await using zoo = startZoo(anyPort, { cwd: folder.dir, script: checkoutScript });
    const [, url] = await zoo.says(/Web app +(\S+)\n/);
    await runZoo(['agent', 'clone', 'a', 'Stored'], { cwd: folder.dir });
    const headers = { ...(await ownerHeader({ home: join(folder.dir, 'home') })) };
    const { command, args } = await (await fetch(`${url}/api/connect`, { headers })).json();
    expect(command).toBe('node');
    await using elsewhere = await zooFolder();
    const started = await runCommand([process.execPath, ...args], {
      cwd: elsewhere.dir,
      env: { AGENT_ZOO_HOME: '' },
      input: ['initialize', 'prompts/list']
        .map(
          (method, id) =>
            `${JSON.stringify({ jsonrpc: '2.0', id, method, params: method === 'initialize' ? hello : {} })}\n`,
        )
        .join(''),
    });
    expect(started.stdout).toContain('"name":"a"');
    expect(started.stdout).toContain('"name":"stored"');
  });

  test('zoo status finds the hub that serves', async () => {
    await using zoo = startZoo(anyPort, { cwd: folder.dir });
    const [, url = ''] = await zoo.says(/Web app +(\S+)\n/);
    await write('zoo.toml', `[server]\nbind = "${url.replace('http://', '')}"`);
    const { stdout } = await runZoo(['status'], { cwd: folder.dir });
    expect(stdout).toContain(`Serving   ${url}\n`);
  });
});
