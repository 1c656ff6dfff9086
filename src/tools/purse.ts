/**
 * What a run may use, for itself and for every agent it calls. It travels with the caller of a tool within one process; what
 * leaves the process pays for itself.
 */
export interface Purse {
  /** Counts what was used here, and in the purse of whoever called, up to the first. `cost` in US dollars; null where it is not known. */
  pay(usage: UsedTokens, cost: number | null): void;
  /** Says which limit was reached, here or further up; undefined while there is something left. */
  spent(): string | undefined;
  /** Whether a limit in dollars holds, here or further up: every model must have a price then. */
  readonly limitsCost: boolean;
}

interface UsedTokens {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  reasoningTokens: number;
}
