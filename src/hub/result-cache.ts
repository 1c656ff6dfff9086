import type { Clock } from '../base/clock.ts';
import { isRecord } from '../base/is-record.ts';
import type { ToolContent } from '../tools/content.ts';

interface CachedResult {
  result: ToolContent;
  /** The sources of the text from outside that the agent had read. */
  outside: readonly string[];
}

const maxResults = 500;

/** Caches the results of one tool of one agent revision. Drops the oldest results first. */
export class ResultCache {
  readonly #lifetimeMs: number;
  readonly #clock: Clock;
  readonly #results = new Map<string, { cached: CachedResult; until: number }>();

  constructor(seconds: number, clock: Clock) {
    this.#lifetimeMs = seconds * 1_000;
    this.#clock = clock;
  }

  get(key: string): CachedResult | undefined {
    const entry = this.#results.get(key);
    if (!entry) return undefined;
    if (entry.until > this.#clock.now()) return entry.cached;
    this.#results.delete(key);
    return undefined;
  }

  set(key: string, cached: CachedResult): void {
    this.#results.delete(key);
    this.#results.set(key, { cached, until: this.#clock.now() + this.#lifetimeMs });
    const [oldest] = this.#results.keys();
    if (this.#results.size > maxResults && oldest !== undefined) this.#results.delete(oldest);
  }
}

/** Returns JSON with sorted keys, so that equal values give equal text. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => (isRecord(each) ? sorted(each) : each));
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
