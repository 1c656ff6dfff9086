import type { Clock } from '../base/clock.ts';
import { EventChannel } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import type {
  DecisionCount,
  DecisionEntry,
  DecisionHistory,
  DecisionPage,
  DecisionQuery,
  LogWork,
  StoredDecision,
  VerifyReport,
} from '../tools/decision-log.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { lastTimeIn, readCounts, readTools } from './count-decisions.store.ts';
import { withoutNul } from './decision-group.ts';
import { readBounds } from './decision-groups.store.ts';
import { keyOf } from './index-decisions.store.ts';
import { readCall, readEntry, readPage, readTail } from './page-decisions.store.ts';
import { pruneDecisions } from './prune-decisions.store.ts';
import { readUnfinished } from './unfinished-calls.store.ts';
import { verifyDecisions } from './verify-decisions.store.ts';
import { DecisionWriter } from './write-decisions.store.ts';

interface DecisionParts {
  database: Database;
  clock: Clock;
  logger: Logger;
  leases: Leases;
  /** Takes secrets out of every text before it is kept. */
  redact?: Redact | undefined;
}

/** The decision log of one process: what it writes, and all that was written. */
export class StoredDecisions implements DecisionHistory {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #clean: (entry: DecisionEntry) => DecisionEntry;
  readonly #leases: Leases;
  readonly #writer: DecisionWriter;
  readonly #watch: DecisionWatch;

  constructor(parts: DecisionParts) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#leases = parts.leases;
    this.#clean = cleaner(parts.redact);
    this.#watch = new DecisionWatch(parts);
    this.#writer = new DecisionWriter({ ...parts, onWritten: () => this.#watch.tell() });
  }

  append(entry: DecisionEntry): Promise<void> {
    return this.#writer.append(this.#clean(entry));
  }

  async page(query: DecisionQuery = {}): Promise<DecisionPage> {
    const { after, callId } = query;
    if (after !== undefined) return readTail(this.#database, { ...query, after });
    if (needsNotes(query)) await this.#writer.note();
    const call = callId === undefined ? undefined : await readCall(this.#database, { ...query, callId });
    return call ?? readPage(this.#database, query);
  }

  find(seq: number): Promise<StoredDecision | undefined> {
    return readEntry(this.#database, seq);
  }

  async counts(query: Parameters<DecisionHistory['counts']>[0]): Promise<DecisionCount[]> {
    await this.#writer.note();
    return readCounts(this.#database, query);
  }

  async lastCalls(agentIds: readonly string[]): Promise<Map<string, number>> {
    if (agentIds.length > 0) await this.#writer.note();
    const last = new Map<string, number>();
    for (const agentId of new Set(agentIds)) {
      const at = await this.#database.read((db) => lastTimeIn(db, agentId));
      if (at !== undefined) last.set(agentId, at);
    }
    return last;
  }

  async tools(): Promise<string[]> {
    await this.#writer.note();
    return readTools(this.#database);
  }

  watch(onNew: () => void): () => void {
    return this.#watch.on(onNew);
  }

  /** Makes the keys and counters of everything written so far; after a restore, of the whole log. */
  note(work?: LogWork): Promise<void> {
    return this.#writer.note(work);
  }

  async verify(work?: LogWork): Promise<VerifyReport> {
    await this.#writer.note(work);
    return verifyDecisions(this.#database, work);
  }

  async prune(before: number): Promise<number> {
    await this.#writer.note();
    return pruneDecisions(this.#database, before);
  }

  async unfinished(): Promise<StoredDecision[]> {
    await this.#writer.note();
    return readUnfinished(this.#database, { now: this.#clock.now(), leases: this.#leases });
  }

  /** Resolves when every row appended so far is on the disk or refused. Fails when the end could not be written. */
  async close(): Promise<void> {
    this.#watch.close();
    await this.#writer.close();
  }
}

/** Whether it is answered by what is made from the entries. */
function needsNotes(query: DecisionQuery): boolean {
  const { callId, since, until } = query;
  return callId !== undefined || since !== undefined || until !== undefined || keyOf(query) !== undefined;
}

/** So many names and words, and the last context of so many of them, are known by sight when they were found clean. */
const maxKnown = 1_024;
const longestKnown = 8_192;

/** What the database would change must be changed before it is hashed: NUL, and half of a pair of surrogates. */
function cleaner(redact: Redact | undefined): (entry: DecisionEntry) => DecisionEntry {
  // Not cleared but made anew: see `Slots`.
  let words = new Set<string>();
  let contexts = new Map<string, string>();
  let learned = redact?.learned;
  function forget(): void {
    words = new Set();
    contexts = new Map();
  }
  function scrub(text: string): string {
    const wellFormed = withoutNul(text.toWellFormed());
    return redact ? redact(wellFormed) : wellFormed;
  }
  function clean(word: string): string {
    if (words.has(word)) return word;
    const cleaned = scrub(word);
    if (cleaned !== word || word.length > longestKnown) return cleaned;
    if (words.size >= maxKnown) forget();
    words.add(word);
    return word;
  }
  /** Most contexts come once: to remember many of them costs more than it saves. */
  function cleanContext(decision: string, context: string): string {
    if (contexts.get(decision) === context) return context;
    const cleaned = scrub(context);
    if (cleaned === context && context.length <= longestKnown && words.has(decision)) contexts.set(decision, context);
    return cleaned;
  }
  return (entry) => {
    if (redact?.learned !== learned) {
      learned = redact?.learned;
      forget();
    }
    const tool = clean(entry.tool);
    const decision = clean(entry.decision);
    const reasoning = clean(entry.reasoning);
    const context = cleanContext(entry.decision, entry.context);
    const isClean =
      tool === entry.tool && decision === entry.decision && reasoning === entry.reasoning && context === entry.context;
    return isClean ? entry : { ...entry, tool, decision, reasoning, context };
  };
}

/** Listeners hear of new rows so often at most. */
const quietMs = 250;
const pollMs = 1_000;

/** Own rows are told of soon; those of other processes are looked for each second, while anybody listens. */
class DecisionWatch {
  readonly #database: Database;
  readonly #changes: EventChannel<void>;
  #seenSeq = -1;
  #telling: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;

  constructor({ database, logger }: { database: Database; logger: Logger }) {
    this.#database = database;
    this.#changes = new EventChannel((error) => logger.error({ err: error }, 'a listener of the decision log failed'));
  }

  on(onNew: () => void): () => void {
    const stop = this.#changes.on(onNew);
    if (!this.#polling) {
      void this.#poll();
      this.#polling = setInterval(() => void this.#poll(), pollMs).unref();
    }
    return () => {
      stop();
      if (this.#changes.size === 0) this.close();
    };
  }

  tell(): void {
    if (this.#changes.size === 0 || this.#telling) return;
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      this.#changes.emit();
    }, quietMs).unref();
  }

  close(): void {
    clearInterval(this.#polling);
    clearTimeout(this.#telling);
    this.#polling = undefined;
    this.#telling = undefined;
    this.#seenSeq = -1;
  }

  async #poll(): Promise<void> {
    try {
      const { newest: seq } = await this.#database.read(readBounds);
      const isNew = this.#seenSeq !== -1 && seq !== this.#seenSeq;
      this.#seenSeq = seq;
      if (isNew) this.tell();
    } catch {
      // Closed, or out of reach for now: the next look tells.
    }
  }
}
