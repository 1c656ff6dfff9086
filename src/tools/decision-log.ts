import { holdsSecretName } from '../base/secret-names.ts';
import type { Redact } from './redact/redact.ts';

/** One row of the log. Each call leaves an invocation before the run, and a result or an error after it. */
export interface DecisionEntry {
  callId: string;
  /** `manual`: what a member wanted to be remembered. */
  kind: DecisionKind;
  /** Milliseconds since the epoch. */
  at: number;
  surface: string;
  /** The member who called; null for everybody else. */
  agentId: string | null;
  /** The agent whose view made the call, or of which the member is an instance. */
  persona: string | null;
  /** What the member was working on. */
  taskId: string | null;
  tool: string;
  decision: string;
  reasoning: string;
  /** JSON text. */
  context: string;
}

export const decisionKinds = ['invocation', 'result', 'error', 'manual'] as const;
export type DecisionKind = (typeof decisionKinds)[number];

/** The words of the entries that the pipeline writes by itself. The tool's name follows after a colon. */
export const automaticWords = {
  invocation: { decision: 'Invoked tool', reasoning: 'Automatic tool invocation log' },
  result: { decision: 'Tool result', reasoning: 'Automatic tool result log' },
  error: { decision: 'Tool error', reasoning: 'Automatic tool error log' },
} as const;

const maxKnownWords = 2_048;
let knownWords = new Map<string, Record<keyof typeof automaticWords, string>>();

/** Returns the same string for the same tool, so that comparing it is a look at its address. */
export function automaticDecision(kind: keyof typeof automaticWords, tool: string): string {
  let words = knownWords.get(tool);
  if (!words) {
    words = {
      invocation: `${automaticWords.invocation.decision}: ${tool}`,
      result: `${automaticWords.result.decision}: ${tool}`,
      error: `${automaticWords.error.decision}: ${tool}`,
    };
    // Not cleared but made anew: see `Slots`.
    if (knownWords.size >= maxKnownWords) knownWords = new Map();
    knownWords.set(tool, words);
  }
  return words[kind];
}

export interface DecisionLog {
  /** On the disk when it resolves. Rejects with UNAVAILABLE, STORAGE_FULL, STORAGE_FAILED. */
  append(entry: DecisionEntry): Promise<void>;
}

/** An entry with its place in the log: `chain` is its writer's, and `hash` covers it, what was written with it, and the hash before. */
export interface StoredDecision extends DecisionEntry {
  seq: number;
  chain: string;
  chainNo: number;
  hash: string;
}

export interface DecisionQuery {
  agentId?: string | undefined;
  tool?: string | undefined;
  kind?: DecisionKind | undefined;
  taskId?: string | undefined;
  callId?: string | undefined;
  /** Milliseconds, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** In decision, reasoning or context, without regard to case. Looks at a bounded number of rows for each page. */
  text?: string | undefined;
  /** Newest first by default; `after`: those written after this `newest` of a page, in the order of writing, for a tail. */
  cursor?: string | undefined;
  after?: string | undefined;
  /** 50 by default, 500 at most. */
  limit?: number | undefined;
}

export interface DecisionPage {
  entries: StoredDecision[];
  /** For the next page; null at the end. A page of a search for text may be empty and still have one. */
  cursor: string | null;
  /**
   * Of a first page and of a tail: `after` it comes what is new. Nothing is left out; an entry of the page that was written
   * in this moment may be told again, its `seq` says so.
   */
  newest: string | null;
}

export interface DecisionCount {
  /** Start of the interval, milliseconds. */
  at: number;
  calls: number;
  errors: number;
}

/** Of work that goes through the whole log. */
export interface LogProgress {
  /** `keys`: making what entries are found by. `verify`: comparing them with their hashes. */
  phase: 'keys' | 'verify';
  /** In entries. */
  done: number;
  total: number;
}

export interface LogWork {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: LogProgress) => void) | undefined;
}

export interface VerifyReport {
  rows: number;
  chains: number;
  /** What does not fit, for people: which row, and what is wrong with it. At most 100. */
  problems: { chain: string; chainNo: number; seq: number | null; message: string }[];
}

/** What can be asked of the log that was written. */
export interface DecisionHistory extends DecisionLog {
  page(query?: DecisionQuery): Promise<DecisionPage>;
  find(seq: number): Promise<StoredDecision | undefined>;
  /** How many calls began and how many failed, in intervals of `stepMs` (whole minutes). */
  counts(query: {
    since: number;
    until: number;
    stepMs: number;
    agentId?: string | undefined;
    tool?: string | undefined;
  }): Promise<DecisionCount[]>;
  /** When each of these members called last. */
  lastCalls(agentIds: readonly string[]): Promise<Map<string, number>>;
  /** The tools that were called, for a filter. */
  tools(): Promise<string[]>;
  /** Tells that there are new entries, of this or another process, a few times a second at most. */
  watch(onNew: () => void): () => void;
  /** Reads every chain from its start: a changed or missing row does not fit. */
  verify(work?: LogWork): Promise<VerifyReport>;
  /** Deletes what is older; the chains say where they begin now. Returns how many. */
  prune(before: number): Promise<number>;
  /** Calls of writers that ended without a word: an invocation and nothing after it. Told until each has its result or error. */
  unfinished(): Promise<StoredDecision[]>;
}

const maxContextCharacters = 32 * 1024;
const maxRedactedCharacters = 1024 * 1024;
const countName = /tokens|count|limit/i;

/**
 * What may be kept of an input or an output: no secrets by name, and no more than 32 KB. The log takes out secrets itself,
 * but would not know one that was cut off: what is too long is redacted before.
 */
export function toLogContext(json: string, redact: Redact): string {
  const text = holdsSecretName(json) ? JSON.stringify(JSON.parse(json), withoutSecrets) : json;
  if (text.length <= maxContextCharacters) return text;
  const head = redact(text.slice(0, maxRedactedCharacters)).slice(0, maxContextCharacters);
  return JSON.stringify({ truncated: true, characters: text.length, head });
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (!holdsSecretName(name) || value === null || typeof value === 'boolean') return value;
  return typeof value === 'number' && countName.test(name) ? value : '[removed]';
}
