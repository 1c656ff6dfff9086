import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { oldNodes } from '../support/command/old-nodes.ts';
import {
  runCommand,
  runZooProcess,
  startZoo,
  type ZooFolder,
  zooFolder,
  zooScript,
} from '../support/command/run-zoo.ts';

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

describe.each(oldNodes)('on an old Node ($name)', ({ command }) => {
  test('a command runs on the pinned Node, with its exit code', async () => {
    const options = { cwd: folder.dir, node: command };
    expect(await runZooProcess(['--version'], options)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await runZooProcess(['agent', 'show', 'nobody'], options)).toMatchObject({ code: 1, stdout: '' });
    expect(await runZooProcess(['dance'], options)).toMatchObject({ code: 2 });
  });

  test('a signal reaches the hub, which ends cleanly', async () => {
    await using zoo = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir, node: command });
    await zoo.says(/Press Ctrl-C to stop/);
    zoo.process.kill('SIGTERM');
    expect(await zoo.ended).toMatchObject({ code: 0, stderr: '' });
  });

  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

  test.each([
    { args: ['serve', '--bind', '127.0.0.1:0'], answer: /Press Ctrl-C to stop/ },
    { args: ['mcp'], answer: /"result":\{\}/ },
  ])('kill -9 leaves no hub behind: $args.0', async ({ args, answer }) => {
    // Stays open, as a client would leave it: the end of its input is not what ends the hub.
    const input = join(folder.dir, 'input');
    execFileSync('mkfifo', [input]);
    await using pipe = await open(input, 'r+');
    await pipe.write(ping);
    await using zoo = startZoo(args, { cwd: folder.dir, node: command, stdin: pipe.fd });
    await zoo.says(answer);
    zoo.process.kill('SIGKILL');
    // The hub writes to the same pipes, so they close only when it has ended, too.
    expect(await zoo.ended).toMatchObject({ code: null });
  });

  test('a hub that another program started with a channel outlives the channel', async () => {
    const [program = '', ...execArgv] = command;
    const env = { PATH: process.env.PATH, HOME: folder.dir, AGENT_ZOO_HOME: join(folder.dir, 'home') };
    const options = { cwd: folder.dir, execPath: program, execArgv, env, silent: true };
    const child = fork(zooScript, ['mcp'], options);
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const exited = once(child, 'exit');
    child.stdin?.write(ping);
    await expect.poll(() => said).toContain('"id":1');
    child.disconnect();
    child.stdin?.write(ping.replace(':1,', ':2,'));
    await expect.poll(() => said).toContain('"id":2');
    child.stdin?.end();
    expect(await exited).toEqual([0, null]);
  });

  test('without a pinned Node one sentence says what to do', async () => {
    const launcher = await copyLauncher();
    const { code, stdout, stderr } = await runCommand([...command, launcher, 'serve'], { cwd: folder.dir });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^zoo: Agent Zoo needs Node 24\.11 or later \(this is Node .*\): install it, or run ".*"\.\n$/,
    );
  });

  test('a Node in the working folder is never executed', async () => {
    const launcher = await copyLauncher();
    const repository = join(folder.dir, 'repository');
    const planted = join(repository, 'node_modules', 'node');
    await mkdir(join(planted, 'bin'), { recursive: true });
    await writeFile(join(planted, 'package.json'), '{"name":"node","version":"24.99.0"}');
    await writeFile(join(planted, 'bin', 'node'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const { code, stdout } = await runCommand([...command, launcher, 'serve'], { cwd: repository });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

/** Copies the launcher to a folder that has no Node beside it. */
async function copyLauncher(): Promise<string> {
  const installed = join(folder.dir, 'installed');
  await mkdir(join(installed, 'bin'), { recursive: true });
  await writeFile(join(installed, 'package.json'), '{"type":"module"}');
  for (const name of ['zoo.js', 'node-version.js']) {
    await copyFile(join(dirname(zooScript), name), join(installed, 'bin', name));
  }
  return join(installed, 'bin', 'zoo.js');
}

test('only the warning about node:sqlite is kept from people', async () => {
  const warn = (text: string) => `process.emitWarning('${text}','ExperimentalWarning');`;
  const preload = `process.once('beforeExit',()=>{${warn('SQLite is an experimental feature')}${warn('Something else')}})`;
  const node = [process.execPath, '--import', `data:text/javascript,${preload}`];
  const { stderr } = await runZooProcess(['agent', 'list'], { cwd: folder.dir, node });
  expect(stderr).toContain('Something else');
  expect(stderr).not.toContain('SQLite');
});
