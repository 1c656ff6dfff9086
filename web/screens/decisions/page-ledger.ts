import type { DecisionLine, DecisionLines } from '../../api/decision-lines.ts';
import { decisionPageSize, type PagePlace } from '../../api/decision-queries.ts';
import { dayOf } from './day-names.ts';

/** A page that was once read: where it stands and how long it is, not what it holds. */
export interface Slot {
  place: PagePlace;
  count: number;
  /** The entries with which another day begins, in order; the first one always counts. */
  days: readonly { index: number; day: string }[];
}

/**
 * Which pages make up the list. What they hold is in the query cache as long as somebody looks at it, so a person who has
 * scrolled through a hundred thousand entries keeps their number and the few that are on the screen.
 */
export interface Ledger {
  slots: readonly Slot[];
  /** For the page after the last one: null at the end, undefined before the first page. */
  next: string | null | undefined;
  newest: string | null;
  /** When the newest entry was written. */
  newestAt: string | null;
  /** How far into the past the last page looked. */
  lookedBackTo: number | null;
  /** Came while the person was reading further down; shown when asked for. */
  held: readonly Slot[];
}

export type LedgerChange =
  | { type: 'older'; cursor: string | null; page: DecisionLines }
  /** `hold`: the person reads further down, and nothing may move. `join`: they share the page of those before. `except`: were there already. */
  | { type: 'newer'; after: string; except: readonly number[]; page: DecisionLines; hold: boolean; join: boolean }
  | { type: 'release' }
  /** From the newest entry again. */
  | { type: 'start'; page: DecisionLines };

export const emptyLedger: Ledger = {
  slots: [],
  next: undefined,
  newest: null,
  newestAt: null,
  lookedBackTo: null,
  held: [],
};

/** An answer to a question that is no longer asked changes nothing. */
export function changeLedger(ledger: Ledger, change: LedgerChange): Ledger {
  switch (change.type) {
    case 'older':
      return change.cursor === (ledger.next ?? null) && ledger.next !== null ? withOlder(ledger, change) : ledger;
    case 'newer':
      return change.after === ledger.newest ? withNewer(ledger, change) : ledger;
    case 'release':
      return ledger.held.length === 0 ? ledger : { ...ledger, slots: [...ledger.held, ...ledger.slots], held: [] };
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
    // A search may have looked through many entries and found none.
    slots: page.lines.length === 0 ? ledger.slots : [...ledger.slots, toSlot({ cursor }, page.lines)],
  };
}

function withNewer(
  ledger: Ledger,
  { after, except, page, hold, join }: Extract<LedgerChange, { type: 'newer' }>,
): Ledger {
  const newest = page.newest ?? ledger.newest;
  const [latest] = page.lines;
  // What was written since may all be of no interest here; it need not be looked through again.
  if (!latest) return newest === ledger.newest ? ledger : { ...ledger, newest };
  const slot = toSlot(newerPlace(after, except), page.lines);
  const place = placeOfNewer(ledger, hold);
  const [first, ...rest] = ledger[place];
  const slots = join && first ? [joinSlots(slot, first), ...rest] : [slot, ...ledger[place]];
  return { ...ledger, newest, newestAt: latest.at, [place]: slots };
}

export function newerPlace(after: string, except: readonly number[]): PagePlace {
  return { after, ...(except.length > 0 && { except }) };
}

/** Where new entries go: behind those that are held, so that their order stays. */
function placeOfNewer(ledger: Ledger, hold: boolean): 'held' | 'slots' {
  return hold || ledger.held.length > 0 ? 'held' : 'slots';
}

/** Entries that come one by one share a page: the one they may join, while there is room. */
export function pageToJoin(ledger: Ledger, { hold, count }: { hold: boolean; count: number }): Slot | undefined {
  const [first] = ledger[placeOfNewer(ledger, hold)];
  return first && 'after' in first.place && first.count + count <= decisionPageSize ? first : undefined;
}

function joinSlots(newer: Slot, older: Slot): Slot {
  const lastDay = newer.days.at(-1)?.day;
  const days = older.days
    .map(({ index, day }) => ({ index: index + newer.count, day }))
    .filter(({ day }) => lastDay === undefined || day < lastDay);
  return { place: older.place, count: older.count + newer.count, days: [...newer.days, ...days] };
}

function toSlot(place: PagePlace, lines: readonly DecisionLine[]): Slot {
  const days: { index: number; day: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const day = dayOf(line.at);
    const current = days.at(-1)?.day;
    // Clocks of two writers differ a little: a day that was left does not begin again.
    if (current === undefined || day < current) days.push({ index, day });
  }
  return { place, count: lines.length, days };
}

export function countEntries(slots: readonly Slot[]): number {
  return slots.reduce((sum, slot) => sum + slot.count, 0);
}

export type Row = { type: 'day'; day: string } | { type: 'entry'; slot: Slot; index: number };

/** The rows of the list, days and entries, without making them all. */
export interface Rows {
  count: number;
  at(row: number): Row | undefined;
}

export function layOutRows(slots: readonly Slot[]): Rows {
  const starts: number[] = [];
  const headings: Slot['days'][] = [];
  let count = 0;
  let dayBefore: string | undefined;
  for (const slot of slots) {
    const shown = slot.days.filter(({ day }) => dayBefore === undefined || day < dayBefore);
    starts.push(count);
    headings.push(shown);
    count += slot.count + shown.length;
    dayBefore = shown.at(-1)?.day ?? dayBefore;
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

function lastAtMost(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
