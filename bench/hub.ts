import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compilePrompt } from '../src/agents/compile-prompt.ts';
import { StdioPeer } from './load.ts';
import { type BenchRow, measureRounds, median, toRow } from './measure.ts';

const floor = (name: string) => join(import.meta.dirname, 'floors', name);

/** Measures long lists and large prompts. */
export async function benchHub(rounds: number): Promise<BenchRow[]> {
  const home = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-'));
  try {
    return [...(await benchLists(rounds, { AGENT_ZOO_HOME: home, ZOO_LOG: 'error' })), compileRow()];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function benchLists(rounds: number, env: Record<string, string>): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const ours = new StdioPeer(process.execPath, [join(import.meta.dirname, 'hub-with-lists.ts'), '1000', '10000'], env);
  const sdk = new StdioPeer(process.execPath, [floor('sdk-stdio.ts'), '1000', '10000']);
  await Promise.all([ours.initialize(), sdk.initialize()]);
  for (const [method, key, expected] of [
    ['tools/list', 'tools', 1000],
    ['prompts/list', 'prompts', 10_000],
  ] as const) {
    const times = await measureRounds(rounds * 3, {
      ours: () => listAll(ours, method, key, expected),
      sdk: () => listAll(sdk, method, key, expected),
    });
    rows.push(
      toRow({
        what: `${method}, ${expected}`,
        floor: 'SDK Server, one page',
        ratio: times.ours / times.sdk,
        goal: 1.3,
        isAtLeast: false,
        detail: `${times.ours.toFixed(1)} ms of ${times.sdk.toFixed(1)} ms`,
      }),
    );
  }
  await Promise.all([ours.close(), sdk.close()]);
  return rows;
}

/** Returns the milliseconds until every page has arrived. */
async function listAll(peer: StdioPeer, method: string, key: string, atLeast: number): Promise<number> {
  const began = performance.now();
  let count = 0;
  let cursor: string | undefined;
  do {
    const { result } = await peer.request(method, cursor === undefined ? {} : { cursor });
    const page = result as Record<string, unknown[]> & { nextCursor?: string };
    count += page[key]?.length ?? 0;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  if (count < atLeast) throw new Error(`${method} listed ${count}, not ${atLeast}`);
  return performance.now() - began;
}

function compileRow(): BenchRow {
  const skills = Array.from({ length: 50 }, (_, index) => ({
    id: `s${index}`,
    name: `Skill ${index}`,
    description: 'x'.repeat(2048),
    categoryId: null,
    enabled: true,
  }));
  const agent = { id: 'big', name: 'Big', systemPrompt: 'You are big.', skills };
  const samples = Array.from({ length: 2_000 }, () => {
    const began = performance.now();
    // Reading a character makes V8 join the pieces, as sending the text would.
    if (compilePrompt(agent).text.charCodeAt(100_000) === 0) throw new Error('unexpected');
    return performance.now() - began;
  });
  const took = median(samples);
  return toRow({
    what: 'compile 50 skills × 2 KB',
    floor: '0.2 ms',
    ratio: took / 0.2,
    goal: 1,
    isAtLeast: false,
    detail: `${took.toFixed(3)} ms`,
  });
}
