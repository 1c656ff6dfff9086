import { type DecisionKind, decisionKindNames } from './kind-names.ts';

export type TimePreset = 'hour' | 'day' | 'week';

/** What the timeline shows, as it stands in the address; left out where it is the usual. */
export interface DecisionSearch {
  agentId?: string;
  tool?: string;
  kind?: DecisionKind;
  taskId?: string;
  callId?: string;
  /** Counted back from now; a chosen range takes its place. */
  last?: TimePreset;
  /** ISO 8601. */
  since?: string;
  until?: string;
  text?: string;
  /** The entry that is open. */
  seq?: number;
}

const presetMs: Record<TimePreset, number> = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 };
const words = ['agentId', 'tool', 'taskId', 'callId', 'text'] as const;

/** Reads the address; what it does not know it leaves out. */
export function decisionSearch(search: Record<string, unknown>): DecisionSearch {
  const found: DecisionSearch = {};
  for (const word of words) {
    const value = search[word];
    // The router reads ?text=42 as a number.
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') found[word] = String(value);
  }
  const { kind, last, seq } = search;
  if (typeof kind === 'string' && Object.hasOwn(decisionKindNames, kind)) found.kind = kind as DecisionKind;
  for (const edge of ['since', 'until'] as const) {
    const value = search[edge];
    const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(at)) found[edge] = new Date(at).toISOString();
  }
  if (!found.since && !found.until && typeof last === 'string' && Object.hasOwn(presetMs, last))
    found.last = last as TimePreset;
  if (Number.isSafeInteger(Number(seq)) && Number(seq) > 0) found.seq = Number(seq);
  return found;
}

/** What the hub is asked. A preset begins at a whole minute, so that the same question is asked for a while. */
export function toDecisionFilter(search: DecisionSearch, now: number) {
  const { agentId, tool, kind, taskId, callId, until } = search;
  const text = search.text?.trim();
  const since = search.last ? new Date(startOf(search.last, now)).toISOString() : search.since;
  return {
    ...(agentId && { agentId }),
    ...(tool && { tool }),
    ...(kind && { kind }),
    ...(taskId && { taskId }),
    ...(callId && { callId }),
    ...(since && { since }),
    ...(until && { until }),
    ...(text && { text }),
  };
}

export function startOf(last: TimePreset, now: number): number {
  return Math.floor((now - presetMs[last]) / 60_000) * 60_000;
}

/** Whether anything is left out of the list. */
export function isFiltered({ seq: _seq, ...filters }: DecisionSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined && value !== '');
}

/** The open entry stays open; everything that narrows goes. */
export function withoutFilters({ seq }: DecisionSearch): DecisionSearch {
  return seq === undefined ? {} : { seq };
}
