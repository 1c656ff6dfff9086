import { afterEach, beforeEach, expect, test } from 'vitest';
import { runZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { newTestDatabase } from '../support/databases/test-database.ts';

let folder: ZooFolder;
let env: { DATABASE_URL: string };
beforeEach(async () => {
  folder = await zooFolder({ isNew: true });
  const { db } = await newTestDatabase('postgres', { isEmpty: true });
  env = { DATABASE_URL: 'url' in db ? db.url : '' };
});
afterEach(() => folder[Symbol.asyncDispose]());

test('DATABASE_URL moves everything to PostgreSQL, and a copy moves it back; the password is never shown', async () => {
  const postgres = { cwd: folder.dir, env };
  await using serving = startZoo(['serve', '--bind', '127.0.0.1:0'], postgres);
  const [, url] = await serving.says(/Web app +(\S+)\n/);
  const made = await runZoo(['agent', 'new', 'Tiger', '--template', 'architect'], postgres);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const { agents } = await (await fetch(`${url}/agents/list`)).json();
  expect(agents).toMatchObject([{ name: 'tiger', source: 'store' }]);

  const status = await runZoo(['status', '--json'], postgres);
  expect(JSON.parse(status.stdout)).toMatchObject({ data: { kind: 'postgres' }, agents: { total: 1 } });
  expect(await runZoo(['backup', 'copy.sqlite'], postgres)).toMatchObject({ code: 0 });
  expect(await runZoo(['restore', 'copy.sqlite'], { cwd: folder.dir })).toMatchObject({ code: 0, stderr: '' });
  const list = await runZoo(['agent', 'list', '--json'], { cwd: folder.dir });
  expect(JSON.parse(list.stdout)).toMatchObject([{ id: 'tiger' }]);

  serving.process.kill('SIGTERM');
  const { code, stdout, stderr } = await serving.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout + status.stdout).not.toContain(new URL(env.DATABASE_URL).password);
});

test('a server that is not there is one sentence without the password', async () => {
  const unreachable = { DATABASE_URL: 'postgres://zoo:geheim@127.0.0.1:1/zoo' };
  const { code, stdout, stderr } = await runZoo(['agent', 'list'], { cwd: folder.dir, env: unreachable });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^zoo: PostgreSQL at 127\.0\.0\.1:1\/zoo cannot be reached.*\n$/);
  expect(stderr).not.toContain('geheim');
});
