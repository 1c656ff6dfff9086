import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { luaParts } from '../../test/support/lua/lua-parts.ts';
import { type ScriptFolder, scriptFolder } from '../../test/support/lua/script-folder.ts';
import { scriptSections } from '../config/script-sections.ts';
import { luaAgentSource } from './lua-agents.ts';
import { metadataCache } from './metadata-cache.ts';
import type { LuaJob } from './sandbox/lua-job.ts';

const agent = (description: string) => `agent = { description = "${description}" }\nfunction agent.resolve() end\n`;
const metadata = (text: string) => ({ fields: { text }, functions: ['resolve'] });

let folder: ScriptFolder;
let file: string;
beforeEach(async () => {
  folder = await scriptFolder({ 'zoo.toml': '[agents.script.a]\npath = "a.lua"\n', 'a.lua': agent('one') });
  file = join(folder.dir, 'cache/scripts.json');
});
afterEach(() => folder[Symbol.asyncDispose]());

/** Reads the agents as a new process would, and counts the scripts that the sandbox ran. */
async function start() {
  const parts = luaParts();
  const jobs: LuaJob[] = [];
  const sandbox = {
    run(job: LuaJob) {
      jobs.push(job);
      return parts.sandbox.run(job);
    },
    close: () => parts.sandbox.close(),
  };
  const cache = metadataCache(file);
  const { agents } = scriptSections(await folder.open());
  const source = luaAgentSource({ sandbox, host: { ...parts.host, metadata: cache }, sections: agents });
  const { entries } = await source.snapshot();
  await cache.close();
  await sandbox.close();
  return { runs: jobs.length, descriptions: entries.map((entry) => entry.agent.description) };
}

test('an unchanged script is not run again, even by another process', async () => {
  expect(await start()).toEqual({ runs: 1, descriptions: ['one'] });
  expect(await start()).toEqual({ runs: 0, descriptions: ['one'] });
  await folder.write('a.lua', agent('two'));
  expect(await start()).toEqual({ runs: 1, descriptions: ['two'] });
});

test('a broken script is tried again', async () => {
  await folder.write('a.lua', 'agent = {');
  expect(await start()).toEqual({ runs: 1, descriptions: [] });
  expect(await start()).toEqual({ runs: 1, descriptions: [] });
});

test.each(['', '{', '[]', '{"a":{"fields":3}}'])('an invalid cache file (%j) is ignored and replaced', async (text) => {
  await folder.write('cache/scripts.json', text);
  const cache = metadataCache(file);
  expect(await cache.get('a')).toBeUndefined();
  cache.set('a', metadata('x'));
  await cache.close();
  expect(await metadataCache(file).get('a')).toEqual(metadata('x'));
});

test('two processes that write keep both entries and leave no other file', async () => {
  const [first, second] = [metadataCache(file), metadataCache(file)];
  first.set('a', metadata('a'));
  second.set('b', metadata('b'));
  await first.close();
  await second.close();
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')))).toEqual(['a', 'b']);
  expect(await readdir(join(folder.dir, 'cache'))).toEqual(['scripts.json']);
});

test('a cache folder that cannot be created causes no error', async () => {
  await writeFile(join(folder.dir, 'cache'), 'a file');
  const cache = metadataCache(file);
  cache.set('a', metadata('a'));
  await cache.close();
  expect(await readFile(join(folder.dir, 'cache'), 'utf8')).toBe('a file');
});
