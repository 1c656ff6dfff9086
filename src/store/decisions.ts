import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type {
  DecisionCount,
  DecisionEntry,
  DecisionHistory,
  DecisionPage,
  DecisionQuery,
  StoredDecision,
  VerifyReport,
} from '../tools/decision-log.ts';
import type { Redact } from '../tools/redact.ts';
import type { Database } from './database.ts';
import { readCall } from './decisions-call.ts';
import { readCounts, readLastCalls, readTools } from './decisions-counts.ts';
import { expand, groupOf, selectGroups } from './decisions-groups.ts';
import { keyOf } from './decisions-keys.ts';
import { readPage } from './decisions-page.ts';
import { pruneDecisions } from './decisions-prune.ts';
import { withoutNul } from './decisions-rows.ts';
import { readTail } from './decisions-tail.ts';
import { readUnfinished } from './decisions-unfinished.ts';
import { verifyDecisions } from './decisions-verify.ts';
import { DecisionWatch } from './decisions-watch.ts';
import { DecisionWriter } from './decisions-writer.ts';

interface DecisionParts {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Takes secrets out of every text before it is kept. */
  redact?: Redact | undefined;
}

/** The decision log of one process: what it writes, and all that was written. */
export class StoredDecisions implements DecisionHistory {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #clean: (entry: DecisionEntry) => DecisionEntry;
  readonly #writer: DecisionWriter;
  readonly #watch: DecisionWatch;

  constructor(parts: DecisionParts) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#clean = cleaner(parts.redact);
    this.#watch = new DecisionWatch(parts);
    this.#writer = new DecisionWriter({ ...parts, onWritten: () => this.#watch.tell() });
  }

  append(entry: DecisionEntry): Promise<void> {
    return this.#writer.append(this.#clean(entry));
  }

  async page(query: DecisionQuery = {}): Promise<DecisionPage> {
    const now = this.#clock.now();
    const { after, callId } = query;
    if (after !== undefined) return readTail(this.#database, { ...query, after }, now);
    const call = callId === undefined ? undefined : await readCall(this.#database, { ...query, callId });
    if (call) return call;
    if (keyOf(query) !== undefined) await this.#writer.note();
    return readPage(this.#database, query, now);
  }

  async find(seq: number): Promise<StoredDecision | undefined> {
    const group = groupOf(seq);
    const [row] = await this.#database.read((db) => selectGroups(db, { from: group, to: group, order: 'asc' }, 1));
    return row && expand(row).find((entry) => entry.seq === seq);
  }

  async counts(query: Parameters<DecisionHistory['counts']>[0]): Promise<DecisionCount[]> {
    await this.#writer.note();
    return readCounts(this.#database, query);
  }

  async lastCalls(agentIds: readonly string[]): Promise<Map<string, number>> {
    if (agentIds.length > 0) await this.#writer.note();
    return readLastCalls(this.#database, agentIds);
  }

  async tools(): Promise<string[]> {
    await this.#writer.note();
    return readTools(this.#database);
  }

  watch(onNew: () => void): () => void {
    return this.#watch.on(onNew);
  }

  async verify(options: { signal?: AbortSignal } = {}): Promise<VerifyReport> {
    await this.#writer.note();
    return verifyDecisions(this.#database, options.signal);
  }

  async prune(before: number): Promise<number> {
    await this.#writer.note();
    return pruneDecisions(this.#database, before);
  }

  async unfinished(): Promise<StoredDecision[]> {
    await this.#writer.note();
    return readUnfinished(this.#database, { now: this.#clock.now(), own: this.#writer.chains });
  }

  /** Resolves when every row appended so far is on the disk or refused. Fails when the end could not be written. */
  async close(): Promise<void> {
    this.#watch.close();
    await this.#writer.close();
  }
}

/** Names, words and whole answers come again and again; so many that were found clean are known by sight. */
const mostKnown = 1_024;
const longestKnown = 8_192;

/** What the database would change must be changed before it is hashed: NUL, and half of a pair of surrogates. */
function cleaner(redact: Redact | undefined): (entry: DecisionEntry) => DecisionEntry {
  let known = new Set<string>();
  let learned = redact?.learned;
  function clean(text: string): string {
    if (redact?.learned !== learned) {
      learned = redact?.learned;
      known = new Set();
    }
    if (known.has(text)) return text;
    const wellFormed = withoutNul(text.toWellFormed());
    const cleaned = redact ? redact(wellFormed) : wellFormed;
    if (cleaned !== text || text.length > longestKnown) return cleaned;
    // Not `clear`, whose old table would keep the new one; see `Slots`.
    if (known.size >= mostKnown) known = new Set();
    known.add(text);
    return text;
  }
  return ({ callId, kind, at, surface, agentId, persona, taskId, tool, decision, reasoning, context }) => ({
    callId,
    kind,
    at,
    surface,
    agentId,
    persona,
    taskId,
    tool: clean(tool),
    decision: clean(decision),
    reasoning: clean(reasoning),
    context: clean(context),
  });
}
