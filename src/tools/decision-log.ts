import { holdsSecretName } from '../base/secret-names.ts';
import type { Redact } from './redact/redact.ts';

/** One entry of the log. Each call leaves an invocation before it runs, and a result or an error afterwards. */
export interface DecisionEntry {
  callId: string;
  /** `manual`: a decision that a member logged itself. `act`: an administrative action, such as deleting an agent. */
  kind: DecisionKind;
  /** Milliseconds since the epoch. */
  at: number;
  surface: string;
  /** The name of the key that a client called with. */
  client?: string;
  /** The calling member, or `HUMAN` for the user in person; null for all other callers. */
  agentId: string | null;
  /** The agent whose view made the call, or that the member is an instance of. */
  persona: string | null;
  /** The task that the member was working on. */
  taskId: string | null;
  tool: string;
  decision: string;
  reasoning: string;
  /** JSON text. */
  context: string;
}

/** New kinds are added at the end, because stored entries refer to them by position. */
export const decisionKinds = ['invocation', 'result', 'error', 'manual', 'act'] as const;
export type DecisionKind = (typeof decisionKinds)[number];

/** Whether entries of this kind have their own text and belong to no call. */
export function isWorded(kind: DecisionKind): kind is 'manual' | 'act' {
  return kind === 'manual' || kind === 'act';
}

/** The wording of automatic entries. The tool's name follows after a colon. */
export const automaticWords = {
  invocation: { decision: 'Invoked tool', reasoning: 'Automatic tool invocation log' },
  result: { decision: 'Tool result', reasoning: 'Automatic tool result log' },
  error: { decision: 'Tool error', reasoning: 'Automatic tool error log' },
} as const;

const maxKnownWords = 2_048;
let knownWords = new Map<string, Record<keyof typeof automaticWords, string>>();

/** Returns the same string object for the same tool, so that comparing is cheap. */
export function automaticDecision(kind: keyof typeof automaticWords, tool: string): string {
  let words = knownWords.get(tool);
  if (!words) {
    words = {
      invocation: `${automaticWords.invocation.decision}: ${tool}`,
      result: `${automaticWords.result.decision}: ${tool}`,
      error: `${automaticWords.error.decision}: ${tool}`,
    };
    // Replaced instead of cleared: see `Slots`.
    if (knownWords.size >= maxKnownWords) knownWords = new Map();
    knownWords.set(tool, words);
  }
  return words[kind];
}

export interface DecisionLog {
  /** Resolves when the entry is on the disk. Rejects with UNAVAILABLE, STORAGE_FULL, STORAGE_FAILED. */
  append(entry: DecisionEntry): Promise<void>;
}

/** An entry and its position in the log. `chain` belongs to its writer. `hash` covers the entry, its group, and the hash before. */
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
  /** Searches decision, reasoning and context, ignoring case. Each page looks at a limited number of entries. */
  text?: string | undefined;
  /** For the next page, newest first. `after` is the `newest` of an earlier page: returns later entries, oldest first, for a tail. */
  cursor?: string | undefined;
  after?: string | undefined;
  /** 50 by default, at most 500. */
  limit?: number | undefined;
}

export interface DecisionPage {
  entries: StoredDecision[];
  /** For the next page; null on the last one. A page of a text search may be empty and still have a cursor. */
  cursor: string | null;
  /**
   * Set on a first page and in a tail. Pass it as `after` to get newer entries. No entry is missed, but a very recent one may be
   * returned again; compare `seq`.
   */
  newest: string | null;
}

export interface DecisionCountQuery extends Omit<DecisionQuery, 'since' | 'until' | 'cursor' | 'after' | 'limit'> {
  since: number;
  until: number;
  stepMs: number;
}

export interface DecisionCounts {
  /** Intervals without calls are left out. */
  intervals: DecisionCount[];
  /** The time from which the counts are complete; null if they are. Set if there was too much to search. */
  completeSince: number | null;
}

interface DecisionCount {
  /** Start of the interval, in milliseconds: a multiple of `stepMs`. The first and the last interval may be only partly in the range. */
  at: number;
  /** Calls that ended, each counted once. With a kind: entries of that kind. */
  calls: number;
  /** The failed ones among `calls`. */
  errors: number;
}

/** The progress of work on the whole log. */
export interface LogProgress {
  /** `keys`: indexing entries. `verify`: comparing entries with their hashes. */
  phase: 'keys' | 'verify';
  /** In entries. */
  done: number;
  total: number;
}

export interface LogWork {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: LogProgress) => void) | undefined;
}

export interface VerifyOptions extends LogWork {
  /** Copies of other homes' keys, and of anchors that were kept elsewhere: paths of files. */
  keys?: readonly string[] | undefined;
  anchors?: readonly string[] | undefined;
}

export interface VerifyReport {
  rows: number;
  chains: number;
  /** At most 100 problems, for people to read: which entry, and what is wrong with it. */
  problems: { chain: string; chainNo: number; seq: number | null; message: string }[];
  /** What was proven, and what cannot be proven here and why: sentences for people. */
  proven: string[];
  unproven: string[];
}

/** The log with everything that can be read from it. */
export interface DecisionHistory extends DecisionLog {
  page(query?: DecisionQuery): Promise<DecisionPage>;
  find(seq: number): Promise<StoredDecision | undefined>;
  /** Counts what matches from `since` to `until`, in intervals of `stepMs` (whole minutes). Throws INVALID_ARGUMENTS for a bad query. */
  counts(query: DecisionCountQuery): Promise<DecisionCounts>;
  /** Returns the time of each member's last call. */
  lastCalls(agentIds: readonly string[]): Promise<Map<string, number>>;
  /** Returns the names of all tools that were called, for a filter. */
  tools(): Promise<string[]>;
  /** Calls back when there are new entries from any process, at most a few times a second. */
  watch(onNew: () => void): () => void;
  /** Reads every chain from its start, compares it with the key and the anchors, and reports changed and missing entries. */
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /** Calls back with the ends of chains that this process has anchored, so that they can be anchored elsewhere, too. */
  onAnchored(listener: (heads: readonly { chain: string; no: number; hash: string; at: number }[]) => void): () => void;
  /** Deletes older entries and records where each chain begins now. Returns the number of deleted entries. */
  prune(before: number): Promise<number>;
  /** Returns calls that a process left without an outcome when it ended, until each one gets a result or an error. */
  unfinished(): Promise<StoredDecision[]>;
}

const maxContextCharacters = 32 * 1024;
const maxRedactedCharacters = 1024 * 1024;
const countName = /tokens|count|limit/i;

/**
 * Returns the part of an input or output that the log stores: at most 32 KB, without values whose names suggest secrets. The log
 * removes secrets itself but would not recognize one that was cut off, so a long text is redacted before it is cut.
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
