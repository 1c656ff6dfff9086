import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fillLog } from '../../test/support/databases/fill-log.ts';
import { silentLogger } from '../base/logger.ts';
import { ownerCaller } from '../callers/callers.ts';
import { restore } from '../cli/backup.ts';
import type { CliContext } from '../cli/terminal/context.ts';
import { loadConfig } from '../config/load-config.ts';
import { createHub } from '../hub.ts';
import { backupStore } from '../store/backup.ts';
import { openDatabase } from '../store/open-store.ts';
import { showLog, verifyLog } from './decisions.cli.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('a terminal shows the progress of verifying and restoring a log; other outputs get only the result', async () => {
  const path = join(folder, 'zoo.db');
  const config = join(folder, 'zoo.toml');
  await writeFile(config, `[db]\npath = ${JSON.stringify(path)}\n`);
  const database = await openDatabase({ path }, silentLogger);
  await fillLog(database, { entries: 4_000 });
  await database.close();
  const file = join(folder, 'copy.db');
  await backupStore({ db: { path }, file });

  const watched = terminal(true);
  await verifyLog(watched.context, { config });
  expect(watched.shown().stdout).toMatch(/^4,000 entries in 1 chain verified\. No changes found\.\n/);
  expect(watched.shown().stdout).toMatch(/\nNot proven:\n {2}- 4,000 entries chained without a key/);
  expect(watched.shown().stderr).toMatch(/indexing the log {2}[\d,]+ of 4,000/);
  expect(watched.shown().stderr.endsWith('\r\u001b[2K')).toBe(true);

  const restored = terminal(true);
  await restore(restored.context, file, { config, force: true });
  expect(restored.shown().stderr).toMatch(/indexing the log {2}[\d,]+ of 4,000/);

  const piped = terminal(false);
  await verifyLog(piped.context, { config });
  expect(piped.shown()).toEqual({
    stdout: expect.stringMatching(/^4,001 entries in 2 chains verified\. No changes found\.\nProven:\n/),
    stderr: '',
  });
});

function terminal(isTTY: boolean): { context: CliContext; shown(): { stdout: string; stderr: string } } {
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof said) =>
    ({
      isTTY,
      columns: 200,
      write: (text: string) => {
        said[name] += text;
      },
    }) as unknown as NodeJS.WriteStream;
  const context = {
    env: { AGENT_ZOO_HOME: folder, NO_COLOR: '1' },
    cwd: folder,
    home: folder,
    stdin: process.stdin,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    exitCode: 0,
  };
  return { context, shown: () => said };
}

const hostile = 'a\u001b]0;title\u0007b\u009b31mc\u202ed';
const control = /(?![\n\t])[\p{Cc}\u202a-\u202e]/u;

it('control characters in an entry never reach a terminal, and a program gets them unchanged', async () => {
  const config = join(folder, 'zoo.toml');
  await writeFile(config, `[db]\npath = ${JSON.stringify(join(folder, 'zoo.db'))}\n`);
  const hub = await createHub({
    config: await loadConfig({ explicitFile: config, cwd: folder, env: {}, home: folder }),
  });
  const input = { query: hostile };
  const outcome = await hub.execute({ caller: ownerCaller('cli'), tool: hostile, input });
  await hub.recordAct({ surface: 'web', act: hostile, summary: 'Delete', target: hostile, after: { name: hostile } });
  await hub.close();
  for (const options of [{}, { call: outcome.callId }, { json: true }]) {
    const shown = terminal(true);
    await showLog(shown.context, { config, ...options });
    expect(shown.shown().stdout).toMatch(/title/);
    expect(shown.shown().stdout).not.toMatch(control);
  }
  const piped = terminal(false);
  await showLog(piped.context, { config, json: true });
  expect(piped.shown().stdout).toContain('\u009b31m');
});
