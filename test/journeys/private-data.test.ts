import { readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runZoo, startZoo, zooFolder } from '../support/command/run-zoo.ts';

/** Returns the paths in a folder, and the folder itself, that anyone except their owner may open. */
function openToOthers(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  return [folder, ...paths].filter((path) => (statSync(path).mode & 0o077) !== 0);
}

it("other users of the machine cannot read the hub's data: database, log, key, caches, backups", async () => {
  await using folder = await zooFolder({ isNew: true });
  const home = join(folder.dir, 'home');
  await mkdir(join(folder.dir, 'notes'));
  await writeFile(join(folder.dir, 'notes', 'a.md'), '# A');
  await writeFile(
    join(folder.dir, 'hi.lua'),
    'agent = { name = "hi" }\nfunction agent.resolve() return { system = "Hi" } end',
  );
  await writeFile(
    join(folder.dir, 'zoo.toml'),
    '[connectors.filesystem.notes]\nroot = "./notes"\n[agents.script.hi]\npath = "hi.lua"\n',
  );
  const options = { cwd: folder.dir, env: { AGENT_ZOO_HOME: home } };
  await using zoo = startZoo(['serve', '--bind', '127.0.0.1:0'], options);
  await zoo.says(/Ctrl-C/);
  for (const args of [['sync'], ['agent', 'list'], ['backup', join(home, 'backup.sqlite')], ['team', 'add', 'w']]) {
    expect(await runZoo(args, options)).toMatchObject({ code: 0 });
  }
  expect(await runZoo(['provider', 'key', 'openai'], { ...options, input: 'sk-test-12345' })).toMatchObject({
    code: 0,
  });
  expect(readdirSync(home)).toEqual(
    expect.arrayContaining(['backup.sqlite', 'cache', 'secret.key', 'zoo.sqlite', 'zoo.sqlite-wal']),
  );
  expect(openToOthers(home)).toEqual([]);
});

it('opening a database of an earlier version makes it private', async () => {
  await using folder = await zooFolder({ isNew: true });
  const home = join(folder.dir, 'home');
  const options = { cwd: folder.dir, env: { AGENT_ZOO_HOME: home } };
  await runZoo(['sources'], options);
  await chmod(join(home, 'zoo.sqlite'), 0o644);
  await runZoo(['sources'], options);
  expect(openToOthers(home)).toEqual([]);
});
