import { dayMs } from '../../../src/base/clock.ts';
import { type DecisionKind, decisionKindNames } from './kind-names.ts';

export type TimePreset = 'hour' | 'day' | 'week';

/** The search parameters in the decisions URL. Defaults are left out. */
export interface DecisionSearch {
  agentId?: string;
  tool?: string;
  kind?: DecisionKind;
  taskId?: string;
  callId?: string;
  /** A range that ends now. `since` and `until` override it. */
  last?: TimePreset;
  /** ISO 8601. */
  since?: string;
  until?: string;
  text?: string;
  /** The open entry. */
  seq?: number;
}

const presetMs: Record<TimePreset, number> = { hour: 3_600_000, day: dayMs, week: 7 * dayMs };
const textParameters = ['agentId', 'tool', 'taskId', 'callId', 'text'] as const;

/** Reads the URL and drops unknown parameters. */
export function decisionSearch(search: Record<string, unknown>): DecisionSearch {
  const result: DecisionSearch = {};
  for (const word of textParameters) {
    const value = search[word];
    // The router reads ?text=42 as a number.
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') result[word] = String(value);
  }
  const { kind, last, seq } = search;
  if (typeof kind === 'string' && Object.hasOwn(decisionKindNames, kind)) result.kind = kind as DecisionKind;
  for (const edge of ['since', 'until'] as const) {
    const value = search[edge];
    const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(at)) result[edge] = new Date(at).toISOString();
  }
  if (!result.since && !result.until && typeof last === 'string' && Object.hasOwn(presetMs, last))
    result.last = last as TimePreset;
  if (Number.isSafeInteger(Number(seq)) && Number(seq) > 0) result.seq = Number(seq);
  return result;
}

/** Returns the filter for the request. The end of a range is left out of it. */
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
    ...(until && { until: new Date(Date.parse(until) - 1).toISOString() }),
    ...(text && { text }),
  };
}

/** Returns when a preset begins. It moves on in steps of a twelfth of its length, because the list is loaded again each time. */
export function startOf(last: TimePreset, now: number): number {
  const stepMs = presetMs[last] / 12;
  return Math.floor((now - presetMs[last]) / stepMs) * stepMs;
}

/** Returns whether any filter is set. */
export function isFiltered({ seq: _seq, ...filters }: DecisionSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined && value !== '');
}

/** Removes all filters and keeps the open entry. */
export function withoutFilters({ seq }: DecisionSearch): DecisionSearch {
  return seq === undefined ? {} : { seq };
}
