import { newId } from '../base/ids.ts';
import type { DecisionBatch, DecisionGroup } from '../db/database.ts';
import { type DecisionEntry, isWorded } from '../tools/decision-log.ts';
import { packEntry } from './decision-group.ts';
import { maxInGroup } from './decision-groups.store.ts';
import { type GroupIndex, indexGroup } from './index-decisions.store.ts';
import type { LogKey } from './log-key.ts';

/** The maximum length of a group's text, give or take an entry: a walk through the log reads whole groups. */
const maxCharacters = 256 * 1024;
/** The number of calls without an outcome that are remembered; older ones are forgotten first. */
const maxOpenCalls = 10_000;

/** A group together with the keys and counters made from its entries. */
export interface IndexedGroup extends DecisionGroup {
  groupIndex: GroupIndex;
}

export interface IndexedBatch extends DecisionBatch {
  groups: readonly IndexedGroup[];
}

/** The entries of one writer. Each group is bound to the one before it. A batch whose fate is unknown ends the chain. */
export class DecisionChain {
  readonly id: string;
  readonly #holder: string;
  readonly #startedAt: number;
  readonly #key: LogKey | undefined;
  readonly #openCalls = new Map<string, number>();
  #lastNo = 0;
  #lastHash = '';
  #after: DecisionBatch['after'];

  constructor({ now, holder, key }: { now: number; holder: string; key?: LogKey | undefined }) {
    this.#key = key;
    this.id = newId('chain', now);
    this.#startedAt = now;
    this.#holder = holder;
  }

  next(entries: readonly DecisionEntry[]): IndexedBatch {
    const groups: IndexedGroup[] = [];
    for (let start = 0; start < entries.length; ) {
      const group = this.#pack(entries, start);
      start += group.rows;
      groups.push(group);
    }
    return { chain: this.id, holder: this.#holder, startedAt: this.#startedAt, after: this.#after, groups };
  }

  /** Records the number of the batch's last group after it was inserted. */
  inserted(seq: number): void {
    this.#after = { seq, hash: this.#lastHash };
  }

  /** The last entry and its hash. */
  get head(): { chain: string; no: number; hash: string } {
    return { chain: this.id, no: this.#lastNo, hash: this.#lastHash };
  }

  /** The time of the oldest call without an outcome; null if every call has one. */
  get openSince(): number | null {
    return this.#openCalls.values().next().value ?? null;
  }

  #pack(entries: readonly DecisionEntry[], start: number): IndexedGroup {
    const firstNo = this.#lastNo + 1;
    let text = '';
    let firstAt = Number.POSITIVE_INFINITY;
    let lastAt = Number.NEGATIVE_INFINITY;
    let rows = 0;
    for (let index = start; index < entries.length && rows < maxInGroup && text.length < maxCharacters; index += 1) {
      const entry = entries[index];
      if (!entry) break;
      this.#noteCall(entry);
      text += packEntry(entry);
      if (entry.at < firstAt) firstAt = entry.at;
      if (entry.at > lastAt) lastAt = entry.at;
      rows += 1;
    }
    this.#lastNo += rows;
    this.#lastHash = hashOf({ before: this.#lastHash, chain: this.id, firstNo, entries: text }, this.#key);
    const groupIndex = indexGroup(this.#lastHash, entries.slice(start, start + rows));
    return { firstNo, rows, firstAt, lastAt, hash: this.#lastHash, entries: text, groupIndex };
  }

  #noteCall({ kind, callId, at }: DecisionEntry): void {
    if (kind === 'invocation') {
      if (this.#openCalls.size >= maxOpenCalls) this.#openCalls.delete(this.#openCalls.keys().next().value ?? '');
      this.#openCalls.set(callId, at);
    } else if (!isWorded(kind)) {
      this.#openCalls.delete(callId);
    }
  }
}

let crypto: typeof import('node:crypto') | undefined;

interface HashedGroup {
  /** The hash of the group before; empty for the first one. */
  before: string;
  chain: string;
  firstNo: number;
  entries: string;
}

/**
 * Hashes a group together with the hash of the group before, so that any change breaks the chain. With a key, only its holder can
 * make the hash, so that nobody else can rewrite the chain.
 */
export function hashOf({ before, chain, firstNo, entries }: HashedGroup, key?: LogKey | undefined): string {
  const text = `${before}\n${chain}\n${firstNo}\n${entries}`;
  if (key) return key.sign(text);
  // Loaded with the first group, so that a process that only lists its tools starts faster.
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.hash('sha256', text, 'base64url');
}
