import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { root } from '../../scripts/run-step.ts';
import { type RunningZoo, startCommand, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

let folder: ZooFolder;
let npm: RunningZoo;
afterEach(async () => {
  await npm[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

it('npm start serves until npm is stopped, and leaves no process behind', async () => {
  folder = await zooFolder({ isNew: true });
  const env = { HOME: folder.dir, AGENT_ZOO_HOME: join(folder.dir, 'home') };
  const command = ['npm', 'start', '--silent', '--', '--bind', '127.0.0.1:0'];
  npm = startCommand(command, { cwd: root, env, withDescendants: true });
  const [, url = ''] = await npm.says(/(http:\/\/127\.0\.0\.1:\d+)[\s\S]*Press Ctrl-C to stop/);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  npm.process.kill('SIGTERM');
  // The hub has npm's pipes, so they close only when it has ended, too.
  await npm.ended;
  await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
});
