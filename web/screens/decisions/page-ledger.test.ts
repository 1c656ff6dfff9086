import { describe, expect, it } from 'vitest';
import type { DecisionLine, DecisionLines } from '../../api/decision-lines.ts';
import { changeLedger, countEntries, emptyLedger, type Ledger, layOutRows, pageToJoin } from './page-ledger.ts';

/** Noon of a day in March, in local time. */
const noon = (day: number, second = 0) => new Date(2026, 2, day, 12, 0, second).toISOString();
const line = (seq: number, at: string): DecisionLine => ({
  seq,
  at,
  callId: `call_${seq}`,
  kind: 'invocation',
  surface: 'mcp',
  agentId: null,
  persona: null,
  taskId: null,
  tool: 'ping',
  decision: '',
  reasoning: '',
  summary: '',
});
/** Entries of one day, newest first. */
const lines = (from: number, to: number, day = 3) =>
  Array.from({ length: from - to + 1 }, (_, index) => line(from - index, noon(day)));
const page = (of: DecisionLine[], cursor: string | null = null, newest: string | null = null): DecisionLines => ({
  lines: of,
  cursor,
  newest,
  lookedBackTo: null,
});
const started = (of: DecisionLine[], cursor: string | null = null) =>
  changeLedger(emptyLedger, { type: 'older', cursor: null, page: page(of, cursor, 'n1') });
const newer = (ledger: Ledger, of: DecisionLine[], { hold = false, join = false, newest = 'n2' } = {}) =>
  changeLedger(ledger, {
    type: 'newer',
    after: ledger.newest ?? '',
    except: [],
    page: page(of, null, newest),
    hold,
    join,
  });
/** The whole list as text: days, and entries by page and index. */
const drawn = (ledger: Ledger) => {
  const rows = layOutRows(ledger.slots);
  return Array.from({ length: rows.count }, (_, index) => {
    const row = rows.at(index);
    return row?.type === 'day'
      ? row.day
      : row && `${'after' in row.slot.position ? row.slot.position.after : row.slot.position.cursor}:${row.index}`;
  });
};

describe('older pages', () => {
  it('follow each other with one heading per day', () => {
    let ledger = started([line(9, noon(3)), line(8, noon(3)), line(7, noon(2))], 'c1');
    ledger = changeLedger(ledger, { type: 'older', cursor: 'c1', page: page([line(6, noon(2)), line(5, noon(1))]) });
    expect(drawn(ledger)).toEqual([
      '2026-03-03',
      'null:0',
      'null:1',
      '2026-03-02',
      'null:2',
      'c1:0',
      '2026-03-01',
      'c1:1',
    ]);
    expect(ledger.next).toBeNull();
    expect(layOutRows(ledger.slots).at(8)).toBeUndefined();
  });

  it('that arrive twice are added once', () => {
    const once = started(lines(9, 8), 'c1');
    const again = changeLedger(once, { type: 'older', cursor: null, page: page(lines(9, 8), 'c1') });
    expect(again).toBe(once);
    const end = changeLedger(once, { type: 'older', cursor: 'c1', page: page(lines(7, 7)) });
    expect(changeLedger(end, { type: 'older', cursor: 'c1', page: page(lines(7, 7)) })).toBe(end);
  });

  it('without a match only move the end of the search', () => {
    const ledger = started([], 'c1');
    expect(ledger.slots).toEqual([]);
    expect(ledger.next).toBe('c1');
    const found = changeLedger(ledger, { type: 'older', cursor: 'c1', page: page(lines(4, 4)) });
    expect(drawn(found)).toEqual(['2026-03-03', 'c1:0']);
  });

  it('do not repeat a day when the clocks of two writers differ', () => {
    expect(drawn(started([line(9, noon(3)), line(8, noon(2)), line(7, noon(3)), line(6, noon(2))]))).toEqual([
      '2026-03-03',
      'null:0',
      '2026-03-02',
      'null:1',
      'null:2',
      'null:3',
    ]);
  });
});

describe('new entries', () => {
  it('appear above, with the heading of their day', () => {
    const ledger = newer(started(lines(2, 1)), [line(4, noon(4)), line(3, noon(3))]);
    expect(drawn(ledger)).toEqual(['2026-03-04', 'n1:0', '2026-03-03', 'n1:1', 'null:0', 'null:1']);
    expect(ledger.newest).toBe('n2');
    expect(ledger.newestAt).toBe(noon(4));
  });

  it('join the newest page while it has room', () => {
    let ledger = newer(started(lines(2, 1)), lines(3, 3));
    expect(pageToJoin(ledger, { hold: false, count: 199 })).toBe(ledger.slots[0]);
    expect(pageToJoin(ledger, { hold: false, count: 200 })).toBeUndefined();
    ledger = newer(ledger, [line(5, noon(4)), line(4, noon(3))], { join: true, newest: 'n3' });
    expect(drawn(ledger)).toEqual(['2026-03-04', 'n1:0', '2026-03-03', 'n1:1', 'n1:2', 'null:0', 'null:1']);
    expect(pageToJoin(started(lines(2, 1)), { hold: false, count: 1 })).toBeUndefined();
  });

  it('stay pending, in order, while the user reads further down', () => {
    const before = started(lines(2, 1));
    let ledger = newer(before, lines(4, 3), { hold: true });
    // The user is back at the top, but the first entries are still pending.
    ledger = newer(ledger, lines(5, 5), { newest: 'n3' });
    expect(ledger.slots).toBe(before.slots);
    expect(countEntries(ledger.pending)).toBe(3);
    const released = changeLedger(ledger, { type: 'release' });
    expect(drawn(released)).toEqual(['2026-03-03', 'n2:0', 'n1:0', 'n1:1', 'null:0', 'null:1']);
    expect(changeLedger(released, { type: 'release' })).toBe(released);
  });

  it('from an outdated request are ignored; an empty reply only moves the end', () => {
    const ledger = newer(started(lines(2, 1)), lines(3, 3));
    const late = { type: 'newer', after: 'n1', except: [], page: page(lines(3, 3)), hold: false, join: false } as const;
    expect(changeLedger(ledger, late)).toBe(ledger);
    const moved = newer(ledger, [], { newest: 'n9' });
    expect(moved.newest).toBe('n9');
    expect(moved.slots).toBe(ledger.slots);
    expect(newer(moved, [], { newest: 'n9' })).toBe(moved);
  });

  it('replace everything after a restart', () => {
    const ledger = newer(started(lines(2, 1), 'c1'), lines(4, 3), { hold: true });
    const again = changeLedger(ledger, { type: 'start', page: page(lines(900, 899), 'c2', 'n7') });
    expect(again.pending).toEqual([]);
    expect(again.next).toBe('c2');
    expect(again.newest).toBe('n7');
    expect(countEntries(again.slots)).toBe(2);
  });
});

it('a list of a hundred thousand entries computes its rows on demand', () => {
  let ledger = started(lines(100_000, 99_801, 20), 'c0');
  for (let index = 1; index < 500; index += 1) {
    const day = 20 - Math.floor(index / 25);
    const cursor = `c${index - 1}`;
    const next = { ...page([], `c${index}`), lines: lines(100_000 - index * 200, 99_801 - index * 200, day) };
    ledger = changeLedger(ledger, { type: 'older', cursor, page: next });
  }
  const rows = layOutRows(ledger.slots);
  expect(countEntries(ledger.slots)).toBe(100_000);
  expect(rows.count).toBe(100_020);
  expect(rows.at(0)).toEqual({ type: 'day', day: '2026-03-20' });
  expect(rows.at(5_001)).toEqual({ type: 'day', day: '2026-03-19' });
  expect(rows.at(100_019)).toMatchObject({ type: 'entry', index: 199 });
});
