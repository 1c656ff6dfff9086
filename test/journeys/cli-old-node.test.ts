import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { runCommand, runZoo, startZoo, type ZooFolder, zooFolder, zooScript } from '../support/run-zoo.ts';

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

/** This Node, made to say that it is an old one. */
const pretender = [
  process.execPath,
  '--import',
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})",
];
/** And every Node of the machine that really is. */
const oldNodes = [pretender, ...installedNodes().map((node) => [node])];

function installedNodes(): string[] {
  const found = (process.env.PATH ?? '').split(delimiter).map((each) => join(each, 'node'));
  return [...new Set(found.filter(existsSync).map((node) => realpathSync(node)))].filter((node) => {
    try {
      return Number(execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 24;
    } catch {
      return false;
    }
  });
}

describe.each(oldNodes.map((command) => ({ name: command.length > 1 ? 'a pretended one' : command[0], command })))(
  'on an old Node ($name)',
  ({ command }) => {
    test('a command runs on the pinned Node, with its exit code', async () => {
      const options = { cwd: folder.dir, node: command };
      expect(await runZoo(['--version'], options)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
      expect(await runZoo(['agent', 'show', 'nobody'], options)).toMatchObject({ code: 1, stdout: '' });
      expect(await runZoo(['dance'], options)).toMatchObject({ code: 2 });
    });

    test('a signal reaches the hub, which ends cleanly', async () => {
      await using zoo = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir, node: command });
      await zoo.says(/Ctrl-C ends it/);
      zoo.process.kill('SIGTERM');
      expect(await zoo.ended).toMatchObject({ code: 0, stderr: '' });
    });

    test('without a pinned Node one sentence says what to do', async () => {
      await mkdir(join(folder.dir, 'bin'));
      await writeFile(join(folder.dir, 'package.json'), '{"type":"module"}');
      await copyFile(zooScript, join(folder.dir, 'bin/zoo.js'));
      const { code, stdout, stderr } = await runCommand([...command, 'bin/zoo.js', 'serve'], { cwd: folder.dir });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^zoo: Agent Zoo needs Node 24\.11 or later \(this is Node .*\): install it, or run ".*"\.\n$/,
      );
    });
  },
);

test('only the warning about node:sqlite is kept from people', async () => {
  const warn = (text: string) => `process.emitWarning('${text}','ExperimentalWarning');`;
  const preload = `process.once('beforeExit',()=>{${warn('SQLite is an experimental feature')}${warn('Something else')}})`;
  const node = [process.execPath, '--import', `data:text/javascript,${preload}`];
  const { stderr } = await runZoo(['agent', 'list'], { cwd: folder.dir, node });
  expect(stderr).toContain('Something else');
  expect(stderr).not.toContain('SQLite');
});
