/** One row of the log. Each call leaves an invocation before the run, and a result or an error after it. */
export interface DecisionEntry {
  callId: string;
  kind: 'invocation' | 'result' | 'error';
  /** Milliseconds since the epoch. */
  at: number;
  surface: string;
  /** The agent whose view made the call, or none on the hub's own. */
  agentId: string | null;
  tool: string;
  decision: string;
  reasoning: string;
  /** JSON text. */
  context: string;
}

export interface DecisionLog {
  /**
   * An invocation is on the disk when it resolves. A result or error is committed, so that it outlives this process and
   * others see it; it reaches the disk with the next invocation or within moments. Rejects with UNAVAILABLE.
   */
  append(entry: DecisionEntry): Promise<void>;
  /** Newest first. */
  list(options?: { limit?: number; tool?: string }): Promise<DecisionEntry[]>;
}

const mostContextCharacters = 32 * 1024;
const secretName = /authorization|password|passwd|secret|token|api[_-]?key|credential/i;
const countName = /tokens|count|limit/i;

/** What may be kept of an input or an output: no secrets by name, and no more than 32 KB. */
export function toLogContext(json: string): string {
  const text = secretName.test(json) ? JSON.stringify(JSON.parse(json), withoutSecrets) : json;
  if (text.length <= mostContextCharacters) return text;
  return JSON.stringify({ truncated: true, characters: text.length, head: text.slice(0, mostContextCharacters) });
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (!secretName.test(name) || value === null || typeof value === 'boolean') return value;
  return typeof value === 'number' && countName.test(name) ? value : '[removed]';
}
