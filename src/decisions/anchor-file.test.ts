import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { AnchorFile } from './anchor-file.ts';
import { toLines } from './anchor-lines.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-anchor-file-'));
  path = join(folder, 'anchors.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(): AnchorFile {
  return new AnchorFile({ path, clock: { now: () => 5_000_000 }, logger: silentLogger, allHeads: async () => [] });
}

it('a file that has grown long is rewritten with the last end of each chain, and says the same', async () => {
  const line = (no: number) =>
    toLines([{ chain: `chain_${no % 3}`, no, hash: `k.${'x'.repeat(60)}${no}`, at: no, firstNo: 1 }], {
      at: no,
      key: 'k',
    });
  const lines = Array.from({ length: 150_000 }, (_, no) => line(no + 1)).join('');
  await writeFile(path, `${lines}{"at": 1`, { mode: 0o600 });
  expect((await stat(path)).size).toBeGreaterThan(16 * 1024 * 1024);
  const before = await open().read();

  const file = open();
  file.note({ chain: 'chain_new', no: 7, hash: 'k.new' });
  await file.flush();
  const { size, mode } = await stat(path);
  expect([size < 2_000, mode & 0o777]).toEqual([true, 0o600]);
  expect(await readdir(folder)).toEqual(['anchors.jsonl']);
  const after = await file.read();
  const added = { chain: 'chain_new', no: 7, hash: 'k.new', at: 5_000_000, firstNo: undefined };
  expect(after.heads).toEqual(new Map([...before.heads, ['chain_new', added]]));
  expect([after.since, [...after.keys]]).toEqual([before.since, ['k']]);
});

it('ends that could not be written are written with the next ones', async () => {
  await writeFile(join(folder, 'file'), '');
  const file = new AnchorFile({
    path: join(folder, 'file', 'anchors.jsonl'),
    clock: { now: () => 1 },
    logger: silentLogger,
    allHeads: async () => [],
  });
  file.note({ chain: 'one', no: 1, hash: 'a' });
  await file.flush();
  await rm(join(folder, 'file'));
  file.note({ chain: 'two', no: 2, hash: 'b' });
  await file.flush();
  expect([...(await file.read()).heads.keys()].sort()).toEqual(['one', 'two']);
});
