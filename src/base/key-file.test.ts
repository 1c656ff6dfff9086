import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeKeyFile, readKeyFile } from './key-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-key-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('concurrent creators get the same key and leave no other files', async () => {
  for (let round = 0; round < 20; round += 1) {
    const path = join(folder, `${round}`, 'secret.key');
    const keys = await Promise.all(Array.from({ length: 10 }, () => makeKeyFile(path)));
    expect(new Set(keys.map((key) => key.toString('hex')))).toEqual(new Set([(await readFile(path)).toString('hex')]));
    expect(await readdir(join(folder, `${round}`))).toEqual(['secret.key']);
  }
});

it('an existing key stays', async () => {
  const path = join(folder, 'secret.key');
  expect(await readKeyFile(path)).toBeUndefined();
  const key = await makeKeyFile(path);
  expect(await makeKeyFile(path)).toEqual(key);
  expect(await readKeyFile(path)).toEqual(key);
});

it('processes that create many key files at once, some killed midway, agree on each key', async () => {
  const makers = await Promise.all([undefined, undefined, 20, 50, 80].map(startMaker));
  for (const { child } of makers) child.stdin.write('go\n');
  await Promise.all(makers.map(({ ended }) => ended));

  expect(makers.map(({ lines }) => lines.length === 150)).toEqual([true, true, false, false, false]);
  for (const line of makers.flatMap(({ lines }) => lines)) {
    const [index = '', key] = line.split(' ');
    expect(key).toBe((await readFile(join(folder, index, 'secret.key'))).toString('hex'));
  }
  for (const index of await readdir(folder)) {
    // A killed process may leave a file behind, which must be private, too.
    for (const file of await readdir(join(folder, index))) {
      expect((await stat(join(folder, index, file))).mode & 0o777).toBe(0o600);
    }
  }

  async function startMaker(killAt: number | undefined) {
    const script = fileURLToPath(new URL('../../test/support/databases/key-file-maker.ts', import.meta.url));
    const child = spawn(process.execPath, [script, folder, '150', `${killAt ?? ''}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // A killed process does not read its input.
    child.stdin.on('error', () => {});
    const lines: string[] = [];
    const reader = createInterface(child.stdout);
    await once(reader, 'line');
    reader.on('line', (line) => lines.push(line));
    return { child, lines, ended: once(child, 'close') };
  }
});
