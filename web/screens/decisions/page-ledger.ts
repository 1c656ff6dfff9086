import type { DecisionLine, DecisionLines } from '../../api/decision-lines.ts';
import { decisionPageSize, type PagePosition } from '../../api/decision-queries.ts';
import { dayOf } from '../../ui/day-names.ts';

/** A loaded page: its position and length, but not its content. */
export interface Slot {
  position: PagePosition;
  count: number;
  /** The entries that start a new day, in order. The first entry is always included. */
  days: readonly { index: number; day: string }[];
}

/**
 * The pages of the list. Their content stays in the query cache only while it is visible, so scrolling through a
 * hundred thousand entries keeps just the counts and the few entries on the screen.
 */
export interface Ledger {
  slots: readonly Slot[];
  /** The cursor of the next older page: null at the end, undefined before the first page. */
  next: string | null | undefined;
  newest: string | null;
  /** The time of the newest entry. */
  newestAt: string | null;
  /** How far back the last page searched. */
  lookedBackTo: number | null;
  /** Pages that arrived while the user was reading further down. They appear on request. */
  pending: readonly Slot[];
}

export type LedgerChange =
  | { type: 'older'; cursor: string | null; page: DecisionLines }
  /** `hold`: the user is reading further down, so nothing may move. `join`: the entries share the newest page. `except`: entries already in the list. */
  | { type: 'newer'; after: string; except: readonly number[]; page: DecisionLines; hold: boolean; join: boolean }
  | { type: 'release' }
  /** Starts over from the newest entry. */
  | { type: 'start'; page: DecisionLines };

export const emptyLedger: Ledger = {
  slots: [],
  next: undefined,
  newest: null,
  newestAt: null,
  lookedBackTo: null,
  pending: [],
};

/** Applies a change. A reply to an outdated request changes nothing. */
export function changeLedger(ledger: Ledger, change: LedgerChange): Ledger {
  switch (change.type) {
    case 'older':
      return change.cursor === (ledger.next ?? null) && ledger.next !== null ? withOlder(ledger, change) : ledger;
    case 'newer':
      return change.after === ledger.newest ? withNewer(ledger, change) : ledger;
    case 'release':
      return ledger.pending.length === 0
        ? ledger
        : { ...ledger, slots: [...ledger.pending, ...ledger.slots], pending: [] };
    case 'start':
      return withOlder(emptyLedger, { cursor: null, page: change.page });
  }
}

function withOlder(ledger: Ledger, { cursor, page }: { cursor: string | null; page: DecisionLines }): Ledger {
  return {
    ...ledger,
    next: page.cursor,
    lookedBackTo: page.lookedBackTo,
    newest: ledger.newest ?? page.newest,
    newestAt: ledger.newestAt ?? page.lines[0]?.at ?? null,
    // A search may scan many entries without a match.
    slots: page.lines.length === 0 ? ledger.slots : [...ledger.slots, toSlot({ cursor }, page.lines)],
  };
}

function withNewer(
  ledger: Ledger,
  { after, except, page, hold, join }: Extract<LedgerChange, { type: 'newer' }>,
): Ledger {
  const newest = page.newest ?? ledger.newest;
  const [latest] = page.lines;
  // New entries may all fail the filter; moving `newest` avoids scanning them again.
  if (!latest) return newest === ledger.newest ? ledger : { ...ledger, newest };
  const slot = toSlot(newerPosition(after, except), page.lines);
  const target = targetOfNewer(ledger, hold);
  const [first, ...rest] = ledger[target];
  const slots = join && first ? [joinSlots(slot, first), ...rest] : [slot, ...ledger[target]];
  return { ...ledger, newest, newestAt: latest.at, [target]: slots };
}

export function newerPosition(after: string, except: readonly number[]): PagePosition {
  return { after, ...(except.length > 0 && { except }) };
}

/** Returns where new entries go: with the pending ones, if there are any, so that the order stays. */
function targetOfNewer(ledger: Ledger, hold: boolean): 'pending' | 'slots' {
  return hold || ledger.pending.length > 0 ? 'pending' : 'slots';
}

/** Returns the page that new entries can join while it has room, so that single entries share a page. */
export function pageToJoin(ledger: Ledger, { hold, count }: { hold: boolean; count: number }): Slot | undefined {
  const [first] = ledger[targetOfNewer(ledger, hold)];
  return first && 'after' in first.position && first.count + count <= decisionPageSize ? first : undefined;
}

function joinSlots(newer: Slot, older: Slot): Slot {
  const lastDay = newer.days.at(-1)?.day;
  const days = older.days
    .map(({ index, day }) => ({ index: index + newer.count, day }))
    .filter(({ day }) => lastDay === undefined || day < lastDay);
  return { position: older.position, count: older.count + newer.count, days: [...newer.days, ...days] };
}

function toSlot(position: PagePosition, lines: readonly DecisionLine[]): Slot {
  const days: { index: number; day: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const day = dayOf(line.at);
    const current = days.at(-1)?.day;
    // Clocks of two writers may differ a little, so a finished day does not start again.
    if (current === undefined || day < current) days.push({ index, day });
  }
  return { position: position, count: lines.length, days };
}

export function countEntries(slots: readonly Slot[]): number {
  return slots.reduce((sum, slot) => sum + slot.count, 0);
}

export type Row = { type: 'day'; day: string } | { type: 'entry'; slot: Slot; index: number };

/** The rows of the list, days and entries, computed on demand. */
export interface Rows {
  count: number;
  at(row: number): Row | undefined;
}

export function layOutRows(slots: readonly Slot[]): Rows {
  const starts: number[] = [];
  const headings: Slot['days'][] = [];
  let count = 0;
  let previousDay: string | undefined;
  for (const slot of slots) {
    const shown = slot.days.filter(({ day }) => previousDay === undefined || day < previousDay);
    starts.push(count);
    headings.push(shown);
    count += slot.count + shown.length;
    previousDay = shown.at(-1)?.day ?? previousDay;
  }
  return {
    count,
    at: (row) => {
      const position = lastAtMost(starts, row);
      const slot = slots[position];
      if (!slot || row >= count) return undefined;
      let index = row - (starts[position] ?? 0);
      for (const heading of headings[position] ?? []) {
        if (heading.index === index) return { type: 'day', day: heading.day };
        if (heading.index > index) break;
        index -= 1;
      }
      return { type: 'entry', slot, index };
    },
  };
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
