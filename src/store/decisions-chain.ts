import { newId } from '../base/ids.ts';
import { automaticDecision, automaticWords, type DecisionEntry, decisionKinds } from '../tools/decision-log.ts';

/** One hash covers at most so many entries, and about so many characters: a check of the log reads that much at a time. */
const maxUnit = { entries: 1_000, characters: 256 * 1024 };
/** So many calls without an outcome are remembered; older ones are forgotten first. */
const maxOpenCalls = 10_000;

/** An entry with its place in the chain. Only the last of those that one hash covers carries the hash. */
export interface ChainedDecision {
  entry: DecisionEntry;
  no: number;
  hash: string | null;
}

/** What one transaction writes. */
export interface DecisionBatch {
  chain: string;
  holder: string;
  startedAt: number;
  /** The last entry of the batch before, which must be there as it was written; undefined: this batch begins the chain. */
  after: { seq: number; hash: string } | undefined;
  rows: readonly ChainedDecision[];
}

/** The entries of one writer, each hash bound to the one before it. A batch whose fate is unknown ends the chain. */
export class DecisionChain {
  readonly id: string;
  readonly #holder: string;
  readonly #startedAt: number;
  readonly #openCalls = new Map<string, number>();
  #lastNo = 0;
  #lastHash = '';
  #after: DecisionBatch['after'];

  constructor({ now, holder }: { now: number; holder: string }) {
    this.id = newId('chain', now);
    this.#startedAt = now;
    this.#holder = holder;
  }

  next(entries: readonly DecisionEntry[]): DecisionBatch {
    const rows: ChainedDecision[] = [];
    let text = '';
    let unit = 0;
    for (const [index, entry] of entries.entries()) {
      this.#noteCall(entry);
      this.#lastNo += 1;
      text += packEntry(entry);
      unit += 1;
      const isLast = index === entries.length - 1 || unit === maxUnit.entries || text.length >= maxUnit.characters;
      if (isLast) {
        this.#lastHash = hashOf(this.#lastHash, this.id, this.#lastNo - unit + 1, text);
        text = '';
        unit = 0;
      }
      rows.push({ entry, no: this.#lastNo, hash: isLast ? this.#lastHash : null });
    }
    return { chain: this.id, holder: this.#holder, startedAt: this.#startedAt, after: this.#after, rows };
  }

  /** The last entry of the batch is there, under this number. */
  landed(seq: number): void {
    this.#after = { seq, hash: this.#lastHash };
  }

  /** Time of the oldest call that has no outcome yet; null: every call has one. */
  get openSince(): number | null {
    return this.#openCalls.values().next().value ?? null;
  }

  #noteCall({ kind, callId, at }: DecisionEntry): void {
    if (kind === 'invocation') {
      if (this.#openCalls.size >= maxOpenCalls) this.#openCalls.delete(this.#openCalls.keys().next().value ?? '');
      this.#openCalls.set(callId, at);
    } else if (kind !== 'manual') {
      this.#openCalls.delete(callId);
    }
  }
}

let crypto: typeof import('node:crypto') | undefined;

/** Over entries as `packEntry` writes them, behind the hash before them: whoever changes a letter changes the hash. */
export function hashOf(before: string, chain: string, firstNo: number, entries: string): string {
  // Loaded with the first entry: a process that only lists its tools starts without it.
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.hash('sha256', `${before}\n${chain}\n${firstNo}\n${entries}`, 'base64url');
}

/** An entry as it is kept: words that are the pipeline's own, which follow from kind and tool, are null. */
export interface KeptDecision extends Omit<DecisionEntry, 'decision' | 'reasoning'> {
  decision: string | null;
  reasoning: string | null;
}

/**
 * The form of an entry that its hash covers: two lines, its fields as JSON and its context. The words of the pipeline are left out.
 * It never changes, because every log that was ever written is verified with it.
 */
export function packEntry(entry: KeptDecision): string {
  const { callId, kind, at, surface, agentId, persona, taskId, tool, context } = entry;
  const words = isAutomatic(entry) ? '' : `,${JSON.stringify(entry.decision)},${JSON.stringify(entry.reasoning)}`;
  const isQuoted = context.includes('\n');
  const code = decisionKinds.indexOf(kind) + (isQuoted ? decisionKinds.length : 0);
  const who = `${toJson(surface)},${toJson(agentId)},${toJson(persona)},${toJson(taskId)}`;
  const head = `[${toJson(callId)},${code},${at},${who},${toJson(tool)}${words}]`;
  return `${head}\n${isQuoted ? JSON.stringify(context) : context}\n`;
}

/** Whether its words are the pipeline's own. */
export function isAutomatic({ kind, tool, decision, reasoning }: KeptDecision): boolean {
  if (decision === null && reasoning === null) return true;
  if (kind === 'manual') return false;
  return reasoning === automaticWords[kind].reasoning && decision === automaticDecision(kind, tool);
}

/** Letters that JSON writes as they are: ids, names of tools and surfaces have no others. */
const plain = /^[\w .:-]*$/;

function toJson(text: string | null): string {
  if (text === null) return 'null';
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}
