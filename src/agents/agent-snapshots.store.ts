import { HubError } from '../base/hub-error.ts';
import type { SourceProblem, SourceSnapshot } from '../base/source.ts';
import { onTopics } from '../db/change-bus.ts';
import type { Database } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { type AgentPosition, readAgentPosition } from './agent-changes.store.ts';
import { readAgentData } from './agent-data.ts';
import type { AgentEntry, AgentSource } from './agent-source.ts';

const definedIn = 'the store';
const neverRead: AgentPosition = { epoch: -1, since: -1 };

/** The stored agents as a source. Reads and parses only the agents that changed since the last snapshot. */
export class AgentSnapshots implements AgentSource {
  readonly kind = 'store';
  readonly #database: Database;
  readonly #entries = new Map<string, AgentEntry>();
  readonly #problems = new Map<string, SourceProblem>();
  #seen = neverRead;
  /** The topic's version before the last read. */
  #version: number | undefined;
  #snapshot: SourceSnapshot<AgentEntry> = { entries: [], problems: [] };
  /** The last good snapshot plus a problem, while the database cannot be read. */
  #lastGood: SourceSnapshot<AgentEntry> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<SourceSnapshot<AgentEntry>> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  snapshot(): Promise<SourceSnapshot<AgentEntry>> | SourceSnapshot<AgentEntry> {
    if (this.#isCurrent()) return this.#snapshot;
    // A running load may have started before the caller's write, so a new one is queued, which will see it.
    this.#next ??= this.#running.then(() => {
      const loading = this.#loadOrKeep();
      this.#next = undefined;
      this.#running = loading.catch(() => {});
      return loading;
    });
    return this.#next;
  }

  watch(onChange: () => void): () => void {
    return onTopics(this.#database.changes, ['agents'], onChange);
  }

  #isCurrent(): boolean {
    return this.#version !== undefined && this.#database.changes.version('agents') === this.#version;
  }

  /** Keeps the last good agents, with a problem, if the database cannot be read. */
  async #loadOrKeep(): Promise<SourceSnapshot<AgentEntry>> {
    try {
      const snapshot = await this.#load();
      this.#lastGood = undefined;
      return snapshot;
    } catch (error) {
      if (!(error instanceof HubError) || this.#seen === neverRead) throw error;
      const { message } = error;
      if (this.#lastGood?.problems.at(-1)?.message !== message) {
        const { entries, problems } = this.#snapshot;
        this.#lastGood = { entries, problems: [...problems, { place: definedIn, message }] };
      }
      return this.#lastGood ?? this.#snapshot;
    }
  }

  async #load(): Promise<SourceSnapshot<AgentEntry>> {
    const { changes, dialect } = this.#database;
    const version = changes.version('agents');
    const { position, rows } = await this.#database.read(async (db) => {
      const newest = await readAgentPosition(db, dialect);
      const { since } = newest.epoch === this.#seen.epoch ? this.#seen : neverRead;
      // Rows written between the two reads are read again next time.
      const changed = await db.selectFrom('agents').selectAll().where('change_number', '>=', since).execute();
      return { position: newest, rows: changed };
    });
    const isRestored = position.epoch !== this.#seen.epoch;
    const isChanged = isRestored ? this.#replaceAll(rows) : this.#apply(rows);
    if (isChanged) this.#snapshot = { entries: sorted(this.#entries.values()), problems: [...this.#problems.values()] };
    this.#seen = position;
    this.#version = version;
    return this.#snapshot;
  }

  #replaceAll(rows: readonly Tables['agents'][]): boolean {
    const ids = new Set(rows.map((row) => row.id));
    for (const id of this.#entries.keys()) if (!ids.has(id)) this.#entries.delete(id);
    for (const id of this.#problems.keys()) if (!ids.has(id)) this.#problems.delete(id);
    this.#apply(rows);
    return true;
  }

  #apply(rows: readonly Tables['agents'][]): boolean {
    let isChanged = false;
    for (const row of rows) {
      if (this.#entries.get(row.id)?.revision === row.revision) continue;
      isChanged = true;
      this.#entries.delete(row.id);
      this.#problems.delete(row.id);
      if (row.deleted_at === null) this.#read(row);
    }
    return isChanged;
  }

  #read(row: Tables['agents']): void {
    try {
      const { agent, problem } = readAgentData(row.id, row);
      if (problem !== undefined) this.#problems.set(row.id, { agentId: row.id, place: definedIn, message: problem });
      this.#entries.set(row.id, { agent, definedIn, revision: row.revision, updatedAt: row.updated_at });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#problems.set(row.id, { agentId: row.id, place: definedIn, message });
    }
  }
}

/** Sorts by id, so that the order is the same in every process and on both databases. */
function sorted(entries: Iterable<AgentEntry>): AgentEntry[] {
  return [...entries].sort((one, other) => (one.agent.id < other.agent.id ? -1 : 1));
}
