import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

test('"zoo move" takes everything to PostgreSQL and back: the log stays provable, and keys stay valid', async () => {
  const here = { cwd: folder.dir };
  const target = { cwd: folder.dir, env };
  await runZoo(['agent', 'new', 'Tiger', '--template', 'architect'], here);
  const key = (await runZoo(['key', 'create', 'laptop'], here)).stdout;
  const refused = await runZoo(['move', 'postgres-to-sqlite', 'x.sqlite'], here);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('in SQLite already') });

  const moved = await runZoo(['move', 'sqlite-to-postgres', env.DATABASE_URL], here);
  expect(moved).toMatchObject({ code: 0, stderr: '' });
  expect(moved.stdout).toMatch(/^ +agents +1 +[0-9a-f]{16}$/m);
  expect(moved.stdout).toMatch(/from home\/zoo\.sqlite to \S+; source and copy are identical\./);
  expect(moved.stdout).toMatch(/Decision log: \d+ entries in \d+ chains? verified, no changes found\./);
  expect(moved.stdout).toMatch(/\[db\]\nurl = "postgres:\/\/\S+" {2}# with its password/);
  expect(moved.stdout).not.toContain(new URL(env.DATABASE_URL).password);
  expect(JSON.parse((await runZoo(['agent', 'list', '--json'], target)).stdout)).toMatchObject([{ id: 'tiger' }]);
  expect((await runZoo(['key', 'list'], target)).stdout).toContain('laptop');
  expect(key).not.toBe('');
  await runZoo(['agent', 'new', 'Panda', '--template', 'architect'], target);
  expect((await runZoo(['log', 'verify'], target)).stdout).toMatch(/verified\. No changes found\./);
  expect((await runZoo(['log', '--kind', 'act'], target)).stdout).toContain('zoo move');

  const again = await runZoo(['move', 'sqlite-to-postgres'], target);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not empty: agents \(2\)/) });
  const back = await runZoo(['move', 'postgres-to-sqlite', 'back.sqlite'], target);
  expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('path = ') });
  await writeFile(join(folder.dir, 'zoo.toml'), '[db]\npath = "back.sqlite"\n');
  const list = JSON.parse((await runZoo(['agent', 'list', '--json'], here)).stdout);
  expect(list.map(({ id }: { id: string }) => id)).toEqual(['panda', 'tiger']);
  expect((await runZoo(['log', 'verify'], here)).stdout).toMatch(/verified\. No changes found\./);

  await using serving = startZoo(['serve', '--bind', '127.0.0.1:0'], here);
  await serving.says(/Web app/);
  await expect
    .poll(async () => (await runZoo(['move', 'sqlite-to-postgres'], target)).stderr, { timeout: 30_000 })
    .toMatch(/in use by process \d+ on .*--while-serving/);
});
