import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeTerminal } from '../../test/support/command/fake-terminal.ts';
import { fillHome } from '../../test/support/databases/test-database.ts';
import { runProgram } from '../cli/program.ts';

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-config-cli-')));
  await fillHome(dir);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const file = () => join(dir, 'zoo.toml');

async function zoo(...args: string[]): Promise<string> {
  const { context, shown } = fakeTerminal({ cwd: dir, env: { AGENT_ZOO_HOME: dir } });
  await runProgram(context, ['config', ...args]);
  return shown();
}

it('a value in the file is changed there, and everything else is stored in the hub', async () => {
  await writeFile(file(), '# mine\n[log]\nkeep_days = 365 # a year\n');
  expect(await zoo('get', 'log.keep_days')).toContain('365');
  expect(await zoo('set', 'log.keep_days', '30')).toMatch(
    /Changed in zoo\.toml: log\.keep_days\s+- keep_days = 365 # a year\s+\+ keep_days = 30 # a year/,
  );
  expect(await readFile(file(), 'utf8')).toBe('# mine\n[log]\nkeep_days = 30 # a year\n');
  expect(await zoo('set', 'chats.keep_days', '7')).toContain("Changed in the hub's database: chats.keep_days");
  const list = await zoo('get');
  expect(list).toMatch(/log\.keep_days +30 +zoo\.toml:3/);
  expect(list).toMatch(/chats\.keep_days +7 +this hub/);
  expect(list).toMatch(/runs\.keep_days +– +default/);
  await zoo('unset', 'chats.keep_days');
  expect(await zoo('get', 'chats.keep_days')).toContain('–');
});

it('a key that only the file knows is written into the file', async () => {
  await writeFile(file(), '');
  expect(await zoo('set', 'retrieval.final_limit', '20')).toContain('Restart the hub');
  await zoo('set', 'context.folders', '["docs", "notes"]');
  await zoo('set', 'server.bind', '127.0.0.1:8080');
  expect(await readFile(file(), 'utf8')).toBe(
    '[retrieval]\nfinal_limit = 20\n\n[context]\nfolders = ["docs", "notes"]\n\n[server]\nbind = "127.0.0.1:8080"\n',
  );
  expect(await zoo('get', 'retrieval.final_limit')).toContain('20');
});

it('mistakes are refused with what would work', async () => {
  await writeFile(file(), '[providers.acme]\napi_key = "a secret key"\n');
  await expect(zoo('set', 'log.keep_days', 'soon')).rejects.toThrow(/log\.keep_days/);
  await expect(zoo('set', 'log.keep_day', '1')).rejects.toThrow('Did you mean "keep_days"?');
  await expect(zoo('get', 'log.nothing')).rejects.toThrow('"zoo config get" lists settings');
  expect(await zoo('get', 'providers.acme.api_key')).not.toContain('a secret key');
});
