import { hostname } from 'node:os';
import { newId } from '../base/ids.ts';
import type { DecisionEntry } from '../tools/decision-log.ts';

const host = hostname();
const minuteMs = 60_000;
/** So many calls without an outcome are remembered; older ones are forgotten first. */
const mostOpenCalls = 10_000;

interface DecisionCounter {
  minute: number;
  tool: string;
  agentId: string;
  calls: number;
  errors: number;
}

/** What one transaction writes: rows, their place in the chain, and what they add to the counters. */
export interface DecisionBatch {
  rows: readonly DecisionEntry[];
  hashes: readonly string[];
  counters: readonly DecisionCounter[];
  chain: string;
  host: string;
  pid: number;
  startedAt: number;
  firstNo: number;
  hashBefore: string;
  lastNo: number;
  lastHash: string;
  openSince: number | null;
  seenAt: number;
}

/** The rows of one writer, each bound to the one before it. A batch whose fate is unknown ends the chain. */
export class DecisionChain {
  readonly id: string;
  readonly #startedAt: number;
  readonly #openCalls = new Map<string, number>();
  #lastNo = 0;
  #lastHash = '';

  constructor(now: number) {
    this.id = newId('chain', now);
    this.#startedAt = now;
  }

  next(rows: readonly DecisionEntry[], now: number): DecisionBatch {
    const firstNo = this.#lastNo + 1;
    const hashBefore = this.#lastHash;
    const hashes: string[] = [];
    for (const row of rows) {
      this.#noteCall(row);
      this.#lastNo += 1;
      this.#lastHash = hashOf(this.#lastHash, this.id, this.#lastNo, row);
      hashes.push(this.#lastHash);
    }
    return {
      rows,
      hashes,
      counters: countersOf(rows),
      chain: this.id,
      host,
      pid: process.pid,
      startedAt: this.#startedAt,
      firstNo,
      hashBefore,
      lastNo: this.#lastNo,
      lastHash: this.#lastHash,
      openSince: this.#openSince(),
      seenAt: now,
    };
  }

  #noteCall({ kind, callId, at }: DecisionEntry): void {
    if (kind === 'invocation') {
      if (this.#openCalls.size >= mostOpenCalls) this.#openCalls.delete(this.#openCalls.keys().next().value ?? '');
      this.#openCalls.set(callId, at);
    } else if (kind !== 'manual') {
      this.#openCalls.delete(callId);
    }
  }

  #openSince(): number | null {
    return this.#openCalls.values().next().value ?? null;
  }
}

let crypto: typeof import('node:crypto') | undefined;

/** The fields in this order, as JSON, behind the hash of the row before: whoever changes one changes the hash. */
export function hashOf(before: string, chain: string, no: number, row: DecisionEntry): string {
  const { callId, kind, at, surface, agentId, persona, taskId, tool, decision, reasoning, context } = row;
  const fields = [before, chain, no, callId, kind, at, surface, agentId, persona, taskId, tool];
  fields.push(decision, reasoning, context);
  // Loaded with the first row: a process that only lists its tools starts without it.
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.hash('sha256', JSON.stringify(fields), 'base64url');
}

/** A call counts when it begins, and again among the errors when it fails. */
function countersOf(rows: readonly DecisionEntry[]): DecisionCounter[] {
  const counters: DecisionCounter[] = [];
  for (const { kind, at, tool, agentId } of rows) {
    if (kind !== 'invocation' && kind !== 'error') continue;
    const counter = counterFor(counters, Math.floor(at / minuteMs), tool, agentId ?? '');
    if (kind === 'error') counter.errors += 1;
    else counter.calls += 1;
  }
  return counters;
}

/** From the end, because neighbours are often of one kind; a group has few. */
function counterFor(counters: DecisionCounter[], minute: number, tool: string, agentId: string): DecisionCounter {
  for (let index = counters.length - 1; index >= 0; index -= 1) {
    const known = counters[index];
    if (known && known.minute === minute && known.tool === tool && known.agentId === agentId) return known;
  }
  const counter = { minute, tool, agentId, calls: 0, errors: 0 };
  counters.push(counter);
  return counter;
}
