import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { newId } from '../base/ids.ts';
import { type DecisionEntry, type DecisionQuery, decisionKinds } from '../tools/decision-log.ts';

const begin = 1_794_000_000_000;
const total = 400;

/** Rows whose fields are derived from their number; several have the same time. */
function entryAt(index: number): DecisionEntry {
  return decision(`call_${index}`, {
    at: begin + Math.floor(index / 3) * 1_000,
    kind: decisionKinds[index % 4] ?? 'result',
    agentId: index % 5 === 0 ? null : `member-${index % 5}`,
    taskId: index % 7 === 0 ? `task-${index % 2}` : null,
    tool: `tool_${index % 6}`,
    context: JSON.stringify({ index, text: index % 50 === 0 ? '100% \\ Grüße_AN' : 'plain' }),
  });
}

const entries = Array.from({ length: total }, (_, index) => entryAt(index));

describe.each(databaseKinds)('pages of the decision log in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    for (let start = 0; start < total; start += 50)
      await Promise.all(entries.slice(start, start + 50).map((entry) => stores.store.decisions.append(entry)));
  });
  afterAll(() => stores.remove());

  async function readAll(query: DecisionQuery): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await stores.other.decisions.page({ ...query, cursor });
      expect(page.entries.length).toBeLessThanOrEqual(query.limit ?? 50);
      found.push(...page.entries.map((entry) => entry.callId));
      cursor = page.cursor ?? undefined;
    } while (cursor);
    return found;
  }

  const filters: [string, DecisionQuery, (entry: DecisionEntry) => boolean][] = [
    ['all', {}, () => true],
    ['a member', { agentId: 'member-2' }, (entry) => entry.agentId === 'member-2'],
    ['a tool', { tool: 'tool_3' }, (entry) => entry.tool === 'tool_3'],
    ['errors', { kind: 'error' }, (entry) => entry.kind === 'error'],
    ['results', { kind: 'result' }, (entry) => entry.kind === 'result'],
    ['a task', { taskId: 'task-1' }, (entry) => entry.taskId === 'task-1'],
    [
      'a time',
      { since: begin + 20_000, until: begin + 90_000 },
      ({ at }) => at >= begin + 20_000 && at <= begin + 90_000,
    ],
    [
      'a member, a tool and a kind',
      { agentId: 'member-1', tool: 'tool_1', kind: 'result' },
      (entry) => entry.agentId === 'member-1' && entry.tool === 'tool_1' && entry.kind === 'result',
    ],
    ['a call', { callId: 'call_77' }, (entry) => entry.callId === 'call_77'],
    ['a text', { text: '"INDEX":39' }, (entry) => entry.context.includes('"index":39')],
    ['a text with signs of patterns', { text: '0% \\\\ gr' }, (entry) => entry.context.includes('100%')],
    ['a text that is no pattern', { text: 'Gr_' }, () => false],
    ['a text beyond ASCII', { text: 'GRÜSSE' }, () => false],
    ['a text beyond ASCII in another case', { text: 'grÜßE_an' }, (entry) => entry.context.includes('Grüße')],
    ['what is not there', { agentId: 'nobody' }, () => false],
    ['a NUL', { tool: 'a\0b', text: '\0' }, () => false],
  ];
  it.each(filters)('%s: each entry once, newest first', async (_name, query, fits) => {
    const expected = entries.filter(fits).toReversed();
    for (const limit of [7, 50])
      expect(await readAll({ ...query, limit })).toEqual(expected.map((entry) => entry.callId));
  });

  it('filter by kind and reject unknown kinds', async () => {
    const { decisions } = stores.store;
    for (const query of [{ cursor: 'x' }, { cursor: "1.'" }, { after: 'y' }, { text: 'x'.repeat(2_000) }])
      await expect(decisions.page(query)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    // Input from outside may be any text.
    const kind = 'other' as DecisionEntry['kind'];
    await expect(decisions.page({ kind })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('have 50 entries by default and at most 500', async () => {
    expect((await stores.store.decisions.page()).entries).toHaveLength(50);
    expect((await stores.store.decisions.page({ limit: 10_000 })).entries).toHaveLength(total);
  });

  it('return each entry with its chain position, and one entry by its number', async () => {
    const [newest] = (await stores.store.decisions.page({ limit: 1 })).entries;
    expect(newest).toMatchObject({ ...entries.at(-1), chainNo: total, chain: expect.stringMatching(/^chain_/) });
    expect(await stores.other.decisions.find(newest?.seq ?? 0)).toEqual(newest);
    expect(await stores.other.decisions.find(9_999_999)).toBeUndefined();
  });

  it('a tail starts after a page and returns each new entry once, in the order of writing', async () => {
    const { decisions } = stores.store;
    const first = await decisions.page({ tool: 'tail', limit: 3 });
    expect(first.entries).toEqual([]);
    const told: string[] = [];
    let after = first.newest ?? '';
    for (let round = 0; round < 4; round += 1) {
      const fresh = [`${round}_a`, `${round}_b`, `${round}_c`];
      // A clock that is set back does not hide a row.
      for (const [index, callId] of fresh.entries())
        await (index === 1 ? stores.other : stores.store).decisions.append(
          decision(callId, { tool: 'tail', at: begin - round * 10_000 }),
        );
      await decisions.append(decision('not this one', { at: begin }));
      for (let reads = 0; reads < 3; reads += 1) {
        const page = await decisions.page({ tool: 'tail', after, limit: 2 });
        told.push(...page.entries.map((entry) => entry.callId));
        after = page.newest ?? after;
      }
    }
    expect(told).toEqual([0, 1, 2, 3].flatMap((round) => ['a', 'b', 'c'].map((letter) => `${round}_${letter}`)));
  });
});

describe.each(databaseKinds)('queries to the decision log in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('a call is found by its id, which contains its start time', async () => {
    const ids = Array.from({ length: 5 }, (_, index) => newId('call', begin + index * 1_000));
    for (const callId of ids)
      await stores.store.decisions.append(decision(callId, { at: begin + ids.indexOf(callId) * 1_000 }));
    for (const callId of ids.toReversed())
      await stores.other.decisions.append(decision(callId, { at: begin + 60_000, kind: 'result' }));
    for (const callId of ids) {
      const { entries: found } = await stores.store.decisions.page({ callId });
      expect(found.map((entry) => [entry.callId, entry.kind])).toEqual([
        [callId, 'result'],
        [callId, 'invocation'],
      ]);
      expect((await stores.store.decisions.page({ callId, kind: 'error' })).entries).toEqual([]);
    }
    expect((await stores.store.decisions.page({ callId: newId('call', begin) })).entries).toEqual([]);
  });

  it('calls are counted once when they end, for all writers, by member and tool, so that errors never exceed calls', async () => {
    const at = 1_800_000_000_000;
    const rows: [string, Partial<DecisionEntry>][] = [
      ['done', { kind: 'invocation' }],
      ['done', { kind: 'result' }],
      ['broken', { kind: 'invocation' }],
      ['broken', { kind: 'error' }],
      // Refused calls have no other entry.
      ['refused_1', { kind: 'error', agentId: 'one', tool: 'other' }],
      ['refused_2', { kind: 'error', agentId: 'one', tool: 'other', at: at + 60_000 }],
      ['note', { kind: 'manual' }],
      ['late', { kind: 'invocation', at }],
      ['late', { kind: 'result', at: at + 5 * 60_000 }],
      ['open', { kind: 'invocation', at: at + 5 * 60_000 }],
    ];
    for (const [index, [callId, fields]] of rows.entries())
      await (index % 2 === 0 ? stores.store : stores.other).decisions.append(
        decision(callId, { tool: 'counted', at, ...fields }),
      );
    const { decisions } = stores.other;
    const range = { since: at, until: at + 10 * 60_000 };
    const counts = async (query: object) => (await decisions.counts({ ...range, stepMs: 60_000, ...query })).intervals;
    expect(await counts({})).toEqual([
      { at, calls: 3, errors: 2 },
      { at: at + 60_000, calls: 1, errors: 1 },
      { at: at + 5 * 60_000, calls: 1, errors: 0 },
    ]);
    expect(await counts({ stepMs: 5 * 60_000, tool: 'counted' })).toEqual([
      { at, calls: 2, errors: 1 },
      { at: at + 5 * 60_000, calls: 1, errors: 0 },
    ]);
    expect(await counts({ stepMs: 600_000, agentId: 'one' })).toEqual([{ at, calls: 2, errors: 2 }]);
    expect(await decisions.tools()).toEqual(['agent_zoo_inject', 'counted', 'other']);
    await decisions.prune(at + 60_000);
    expect(await counts({ stepMs: 600_000, tool: 'counted' })).toEqual([{ at, calls: 1, errors: 0 }]);
  });

  it('counts follow every filter of the list', async () => {
    const at = 1_900_000_200_000;
    const { decisions } = stores.store;
    const rows: [string, Partial<DecisionEntry>][] = [
      ['c1', { kind: 'invocation', taskId: 'task_1', context: '{"city":"Paris"}' }],
      ['c1', { kind: 'result', taskId: 'task_1', context: '{"text":"Paris it is"}' }],
      ['c2', { kind: 'invocation', context: '{"city":"Rome"}' }],
      ['c2', { kind: 'error', context: '{"code":"TOOL_ERROR"}' }],
      ['c3', { kind: 'manual', decision: 'Paris' }],
      ['c4', { kind: 'act', at: at + 60_000 }],
      ['open', { kind: 'invocation', taskId: 'task_1', context: '{"city":"Paris"}' }],
    ];
    for (const [callId, fields] of rows) await decisions.append(decision(callId, { tool: 'filtered', at, ...fields }));
    const range = { since: at, until: at + 600_000, stepMs: 600_000 };
    const counts = async (query: object) => (await decisions.counts({ ...range, ...query })).intervals;
    for (const [query, calls, errors] of [
      [{ kind: 'invocation' }, 3, 0],
      [{ kind: 'result' }, 1, 0],
      [{ kind: 'error' }, 1, 1],
      [{ kind: 'manual' }, 1, 0],
      [{ kind: 'act' }, 1, 0],
      [{ taskId: 'task_1' }, 1, 0],
      [{ callId: 'c2' }, 1, 1],
      [{ text: 'paris' }, 1, 0],
      // The text is only in the input of the call that failed.
      [{ text: 'rome' }, 1, 1],
      [{ text: 'rome', kind: 'invocation' }, 1, 0],
      [{ text: 'paris', taskId: 'task_1' }, 1, 0],
      [{ text: 'paris', kind: 'manual' }, 1, 0],
      [{ text: 'TOOL_ERROR', tool: 'filtered' }, 1, 1],
    ] as const)
      expect([query, await counts(query)]).toEqual([query, [{ at, calls, errors }]]);
    expect(await counts({ text: 'nowhere' })).toEqual([]);
    expect(await counts({ callId: 'open' })).toEqual([]);
    expect(await counts({ kind: 'error', tool: 'nothing' })).toEqual([]);
  });

  it('counts are exact for any range, and a text is found in an input from before it', async () => {
    const at = 2_000_000_400_000;
    const { decisions } = stores.store;
    const seconds = [0, 59, 60, 200, 360, 390, 600];
    for (const second of seconds) {
      const callId = `exact_${second}`;
      const fields = { tool: 'exact', at: at + second * 1_000, context: '{"done":true}' };
      await decisions.append(decision(callId, { ...fields, at: fields.at - 30_000, context: `{"n":"s${second}e"}` }));
      await decisions.append(decision(callId, { ...fields, kind: second === 60 ? 'error' : 'result' }));
    }
    const counts = async (from: number, to: number, query: object = {}) =>
      (
        await stores.other.decisions.counts({
          tool: 'exact',
          since: at + from * 1_000,
          until: at + to * 1_000,
          stepMs: 300_000,
          ...query,
        })
      ).intervals.map((each) => [(each.at - at) / 1_000, each.calls, each.errors]);
    expect(await counts(0, 600)).toEqual([
      [0, 4, 1],
      [300, 2, 0],
      [600, 1, 0],
    ]);
    expect(await counts(59, 389.999)).toEqual([
      [0, 3, 1],
      [300, 1, 0],
    ]);
    expect(await counts(61, 199)).toEqual([]);
    expect(await counts(190, 210)).toEqual([[0, 1, 0]]);
    expect(await counts(190, 390, { kind: 'result' })).toEqual([
      [0, 1, 0],
      [300, 2, 0],
    ]);
    expect(await counts(200, 600, { text: 's200e' })).toEqual([[0, 1, 0]]);
    expect(await counts(201, 600, { text: 's200e' })).toEqual([]);
    for (const [from, to] of [
      [0, 600],
      [30, 61],
      [59.5, 360],
    ] as const) {
      const range = { tool: 'exact', since: at + from * 1_000, until: at + to * 1_000 };
      const pages = [
        await decisions.page({ ...range, kind: 'result' }),
        await decisions.page({ ...range, kind: 'error' }),
      ];
      const listed = pages.flatMap(({ entries }) => entries).length;
      expect((await counts(from, to)).reduce((sum, [, calls = 0]) => sum + calls, 0)).toBe(listed);
    }
  });

  it('returns the last call of each member', async () => {
    const { decisions } = stores.store;
    for (const [agentId, at] of [
      ['m1', 10],
      ['m1', 20],
      ['m1', 30],
      ['m2', 5],
    ] as const)
      await decisions.append(decision('call', { agentId, at }));
    const last = await stores.other.decisions.lastCalls(['m1', 'm2', 'm3', 'm1', "'"]);
    expect([...last]).toEqual([
      ['m1', 30],
      ['m2', 5],
    ]);
    expect(await decisions.lastCalls([])).toEqual(new Map());
  });

  it('a watcher is notified of rows from this process and from others', async () => {
    const heard = Promise.withResolvers<void>();
    const stopOwn = stores.store.decisions.watch(heard.resolve);
    await stores.store.decisions.append(decision('own'));
    await heard.promise;
    stopOwn();
    const others = Promise.withResolvers<void>();
    const stop = stores.store.decisions.watch(others.resolve);
    // The first check may come before or after the row; a check after a further row sees it.
    const writing = setInterval(() => void stores.other.decisions.append(decision('other')), 200);
    await others.promise;
    clearInterval(writing);
    stop();
  });
});
