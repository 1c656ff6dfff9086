import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder({ isNew: true });
});
afterEach(() => folder[Symbol.asyncDispose]());

const zoo = (...args: string[]) => runZoo(args, { cwd: folder.dir });

async function agentIds(): Promise<string[]> {
  const list: { id: string }[] = JSON.parse((await zoo('agent', 'list', '--json')).stdout);
  return list.map((agent) => agent.id);
}

test('a backup of a running hub restores deleted data, and the replaced database is kept', async () => {
  expect((await zoo('agent', 'new', 'Tiger', '--template', 'architect')).stdout).toBe(
    'Created: tiger (Tiger), from the template "architect"\n',
  );
  await using serving = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  const [, url] = await serving.says(/Web app +(\S+)\n/);
  expect(await zoo('backup', 'copy.sqlite')).toEqual({ code: 0, stdout: 'Saved: copy.sqlite\n', stderr: '' });

  await zoo('agent', 'delete', 'tiger');
  await zoo('agent', 'new', 'Panda', '--template', 'architect');
  expect(await agentIds()).toEqual(['panda']);

  const refused = await zoo('restore', 'copy.sqlite');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/--force/);
  expect(await agentIds()).toEqual(['panda']);

  const restored = await zoo('restore', 'copy.sqlite', '--force');
  expect(restored.code).toBe(0);
  const [, kept = ''] = /^Restored: copy\.sqlite\nThe previous data is kept in: (.+)\n$/.exec(restored.stdout) ?? [];
  expect(await readdir(join(folder.dir, 'home'))).toContain(kept.replace(/^home\//, ''));
  expect(await agentIds()).toEqual(['tiger']);
  const { agents } = await (await fetch(`${url}/agents/list`)).json();
  expect(agents.map((agent: { name: string }) => agent.name)).toEqual(['tiger']);
});

test('a copy is not written over a file, unless forced', async () => {
  await zoo('agent', 'new', 'Tiger', '--template', 'architect');
  await writeFile(join(folder.dir, 'copy.sqlite'), 'mine');
  const refused = await zoo('backup', 'copy.sqlite');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/--force/);
  expect(await readFile(join(folder.dir, 'copy.sqlite'), 'utf8')).toBe('mine');
  expect((await zoo('backup', 'copy.sqlite', '--force')).code).toBe(0);
});

test.each([
  [['backup', 'copy.sqlite'], /^zoo: There is no database .*\n$/],
  [['restore', 'nothing.sqlite'], /^zoo: .*nothing\.sqlite.*\n$/],
  [['restore', 'note.txt'], /^zoo: .*note\.txt.*\n$/],
])('%j is one sentence and exit code 1', async (args, sentence) => {
  await writeFile(join(folder.dir, 'note.txt'), 'not a database');
  const { code, stdout, stderr } = await zoo(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(sentence);
});

test('templates are listed, and a wrong one is answered with the nearest', async () => {
  const templates: { id: string }[] = JSON.parse((await zoo('template', 'list', '--json')).stdout);
  expect(templates.length).toBeGreaterThanOrEqual(8);
  expect((await zoo('template', 'list')).stdout.trimEnd().split('\n')).toHaveLength(templates.length);
  const { code, stderr } = await zoo('agent', 'new', 'X', '--template', 'architct');
  expect(code).toBe(1);
  expect(stderr).toBe('zoo: Unknown template "architct". Did you mean "architect"?\n');
});

test('"zoo migrate" says which versions use the database', async () => {
  await using serving = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  await serving.says(/Web app +(\S+)\n/);
  await expect
    .poll(async () => JSON.parse((await zoo('migrate', '--json')).stdout), { timeout: 30_000 })
    .toMatchObject({ processes: [{ version: expect.stringMatching(/^\d+\.\d+\.\d+\+\d{4}$/) }], waiting: [] });
  const { code, stdout } = await zoo('migrate', '--contract');
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The tables of .+ are up to date \(.+\)\.\nIn use by process \d+ on .+: .+\n/),
  });
  expect((await zoo('log', '--kind', 'act')).stdout).toContain('zoo migrate');
});
