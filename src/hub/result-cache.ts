import type { Clock } from '../base/clock.ts';
import type { ToolContent } from '../tools/content.ts';

const maxResults = 500;

/** Results of one tool of one revision of an agent. The oldest go first. */
export class ResultCache {
  readonly #goodForMs: number;
  readonly #clock: Clock;
  readonly #results = new Map<string, { result: ToolContent; until: number }>();

  constructor(seconds: number, clock: Clock) {
    this.#goodForMs = seconds * 1_000;
    this.#clock = clock;
  }

  get(key: string): ToolContent | undefined {
    const found = this.#results.get(key);
    if (!found) return undefined;
    if (found.until > this.#clock.now()) return found.result;
    this.#results.delete(key);
    return undefined;
  }

  set(key: string, result: ToolContent): void {
    this.#results.delete(key);
    this.#results.set(key, { result, until: this.#clock.now() + this.#goodForMs });
    const [oldest] = this.#results.keys();
    if (this.#results.size > maxResults && oldest !== undefined) this.#results.delete(oldest);
  }
}

/** JSON in which the order of names makes no difference. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => (isRecord(each) ? sorted(each) : each));
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
