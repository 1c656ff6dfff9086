import { type UsageDimension, usageDimensions } from '../../../src/usage/usage.ts';

const hourMs = 3_600_000;
/** The length of each span in hours, and of its intervals. */
const spans = { day: [24, 1], week: [168, 24], month: [720, 24], year: [8_760, 168] } as const;
type UsageSpan = keyof typeof spans;

/** The search parameters in the address. Defaults are left out; an empty filter selects calls without an agent, client or member. */
export interface UsageSearch extends Partial<Record<UsageDimension, string>> {
  by?: UsageDimension;
  last?: UsageSpan;
}

/** Reads the URL and drops unknown parameters. */
export function usageSearch({ by, last, ...rest }: Record<string, unknown>): UsageSearch {
  const dimension = usageDimensions.find((each) => each === by);
  return {
    ...(dimension && { by: dimension }),
    ...(typeof last === 'string' && Object.hasOwn(spans, last) && { last: last as UsageSpan }),
    ...filtersOf(rest),
  };
}

/** Returns the filters of a search, or of a URL that has not been read yet. */
function filtersOf(search: Record<string, unknown>): Partial<Record<UsageDimension, string>> {
  const set = usageDimensions.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(set);
}

/** Returns the request for a span. It starts at a whole interval and ends with the current hour, so that it stays the same for a while. */
export function toUsageRequest({ by = 'agent', last = 'week', ...rest }: UsageSearch, now: number) {
  const [hours, step] = spans[last];
  const stepMs = step * hourMs;
  const until = Math.floor(now / hourMs) * hourMs + hourMs - 1;
  const since = Math.floor((now - hours * hourMs) / stepMs) * stepMs + stepMs;
  const range = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
  return { by, step, ...range, ...filtersOf(rest) };
}
