import type { Clock } from '../base/clock.ts';
import { EventChannel } from '../base/events.ts';
import type { InstallationKeys } from '../base/installation-keys.ts';
import type { Logger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import type {
  DecisionCountQuery,
  DecisionCounts,
  DecisionEntry,
  DecisionHistory,
  DecisionPage,
  DecisionQuery,
  LogWork,
  StoredDecision,
  VerifyOptions,
  VerifyReport,
} from '../tools/decision-log.ts';
import type { Redact } from '../tools/redact/redact.ts';
import type { Head } from './anchor-lines.ts';
import { lastTimeIn, readCounts, readTools } from './count-decisions.store.ts';
import { withoutNul } from './decision-group.ts';
import { readBounds } from './decision-groups.store.ts';
import { keyOf } from './index-decisions.store.ts';
import { readHeads } from './log-cuts.store.ts';
import { type LogProof, openLogProof, readProof } from './log-proof.ts';
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
  /** Removes secrets from every text before it is stored. */
  redact?: Redact | undefined;
  /** The source of the key of the log. */
  installationKeys?: InstallationKeys | undefined;
  /** The folder for the hub's own data, which holds the anchors of the log. */
  dataDir?: string | undefined;
}

/** The decision log: appends entries of this process and reads those of all processes. */
export class StoredDecisions implements DecisionHistory {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #clean: (entry: DecisionEntry) => DecisionEntry;
  readonly #leases: Leases;
  readonly #writer: DecisionWriter;
  readonly #watch: DecisionWatch;
  readonly #proof: LogProof | undefined;

  constructor(parts: DecisionParts) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#leases = parts.leases;
    this.#clean = cleaner(parts.redact);
    this.#watch = new DecisionWatch(parts);
    this.#proof = proofFor(parts);
    this.#writer = new DecisionWriter({ ...parts, proof: this.#proof, onWritten: () => this.#watch.notify() });
  }

  append(entry: DecisionEntry): Promise<void> {
    return this.#writer.append(this.#clean(entry));
  }

  async page(query: DecisionQuery = {}): Promise<DecisionPage> {
    const { after, callId } = query;
    if (after !== undefined) return readTail(this.#database, { ...query, after });
    if (needsIndex(query)) await this.#writer.index();
    const call = callId === undefined ? undefined : await readCall(this.#database, { ...query, callId });
    return call ?? readPage(this.#database, query);
  }

  find(seq: number): Promise<StoredDecision | undefined> {
    return readEntry(this.#database, seq);
  }

  async counts(query: DecisionCountQuery): Promise<DecisionCounts> {
    await this.#writer.index();
    return readCounts(this.#database, query);
  }

  async lastCalls(agentIds: readonly string[]): Promise<Map<string, number>> {
    if (agentIds.length > 0) await this.#writer.index();
    const last = new Map<string, number>();
    for (const agentId of new Set(agentIds)) {
      const at = await this.#database.read((db) => lastTimeIn(db, agentId));
      if (at !== undefined) last.set(agentId, at);
    }
    return last;
  }

  async tools(): Promise<string[]> {
    await this.#writer.index();
    return readTools(this.#database);
  }

  watch(onNew: () => void): () => void {
    return this.#watch.on(onNew);
  }

  /** Indexes everything written so far; after a restore, the whole log. */
  index(work?: LogWork): Promise<void> {
    return this.#writer.index(work);
  }

  async verify({ keys = [], anchors = [], ...work }: VerifyOptions = {}): Promise<VerifyReport> {
    await this.#proof?.anchors.flush();
    // Read first: what is anchored now must be in the log later.
    const known = await readProof(this.#proof, { keys, anchors });
    await this.#writer.index(work);
    return verifyDecisions(this.#database, known, work);
  }

  async prune(before: number): Promise<number> {
    await this.#writer.index();
    const key = await this.#proof?.key();
    return pruneDecisions(this.#database, before, { key, now: this.#clock.now() });
  }

  onAnchored(listener: (heads: readonly Head[]) => void): () => void {
    return this.#proof?.anchors.onFlushed(listener) ?? (() => {});
  }

  async unfinished(): Promise<StoredDecision[]> {
    await this.#writer.index();
    return readUnfinished(this.#database, { now: this.#clock.now(), leases: this.#leases });
  }

  /** Resolves when every entry appended so far is on the disk or rejected. Rejects if the end of the chain could not be written. */
  async close(): Promise<void> {
    this.#watch.close();
    await this.#writer.close();
  }
}

/** Opens the key and the anchors. */
export function proofFor({
  database,
  installationKeys,
  dataDir,
  clock,
  logger,
}: Pick<DecisionParts, 'database' | 'installationKeys' | 'dataDir' | 'clock' | 'logger'>): LogProof | undefined {
  if (dataDir === undefined || installationKeys === undefined) return undefined;
  const { location } = database;
  const allHeads = () => readHeads(database, clock.now());
  return openLogProof({ installationKeys, dataDir, location, clock, logger, allHeads });
}

/** Tells whether a query uses the index. */
function needsIndex(query: DecisionQuery): boolean {
  const { callId, since, until } = query;
  return callId !== undefined || since !== undefined || until !== undefined || keyOf(query) !== undefined;
}

/** The number of clean texts that are remembered, each with its last clean context. */
const maxKnown = 1_024;
const maxKnownCharacters = 8_192;

/** Returns a function that removes secrets, NUL and unpaired surrogates. The database would change the latter two after hashing. */
function cleaner(redact: Redact | undefined): (entry: DecisionEntry) => DecisionEntry {
  // Replaced instead of cleared: see `Slots`.
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
    if (cleaned !== word || word.length > maxKnownCharacters) return cleaned;
    if (words.size >= maxKnown) forget();
    words.add(word);
    return word;
  }
  /** Most contexts appear once, so only the last one is remembered for each decision. */
  function cleanContext(decision: string, context: string): string {
    if (contexts.get(decision) === context) return context;
    const cleaned = scrub(context);
    if (cleaned === context && context.length <= maxKnownCharacters && words.has(decision))
      contexts.set(decision, context);
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

/** The minimum time between two notifications. */
const quietMs = 250;
const pollMs = 1_000;

/** Notifies listeners of new entries: soon for this process, within a second for others. Polls only while someone listens. */
class DecisionWatch {
  readonly #database: Database;
  readonly #changes: EventChannel<void>;
  #seenSeq = -1;
  #notifying: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;

  constructor({ database, logger }: { database: Database; logger: Logger }) {
    this.#database = database;
    this.#changes = new EventChannel((error) => logger.error({ err: error }, 'a decision log listener failed'));
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

  notify(): void {
    if (this.#changes.size === 0 || this.#notifying) return;
    this.#notifying = setTimeout(() => {
      this.#notifying = undefined;
      this.#changes.emit();
    }, quietMs).unref();
  }

  close(): void {
    clearInterval(this.#polling);
    clearTimeout(this.#notifying);
    this.#polling = undefined;
    this.#notifying = undefined;
    this.#seenSeq = -1;
  }

  async #poll(): Promise<void> {
    try {
      const { newest: seq } = await this.#database.read(readBounds);
      const isNew = this.#seenSeq !== -1 && seq !== this.#seenSeq;
      this.#seenSeq = seq;
      if (isNew) this.notify();
    } catch {
      // Closed, or unreachable for now: the next poll tries again.
    }
  }
}
