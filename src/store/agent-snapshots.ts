import type { AgentEntry, AgentSource } from '../agents/agent-source.ts';
import { HubError } from '../base/hub-error.ts';
import type { SourceProblem, SourceSnapshot } from '../base/source.ts';
import { readAgentData } from './agent-data.ts';
import type { Database } from './database.ts';
import type { AgentRow } from './tables.ts';

const place = 'the store';
const neverRead = -1;

interface Counters {
  agents: number;
  /** Whoever changes it also raises `agents`. */
  epoch: number;
}

/** The stored agents as a source. Only what changed since the last snapshot is read, parsed and replaced. */
export class AgentSnapshots implements AgentSource {
  readonly kind = 'store';
  readonly #database: Database;
  readonly #entries = new Map<string, AgentEntry>();
  readonly #problems = new Map<string, SourceProblem>();
  #seen: Counters = { agents: neverRead, epoch: neverRead };
  #snapshot: SourceSnapshot<AgentEntry> = { entries: [], problems: [] };
  /** The snapshot of a time in which the database could not be read. */
  #kept: SourceSnapshot<AgentEntry> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<SourceSnapshot<AgentEntry>> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  snapshot(): Promise<SourceSnapshot<AgentEntry>> | SourceSnapshot<AgentEntry> {
    if (this.#isCurrent()) return this.#snapshot;
    // A load that runs may have begun before the write the caller wants to see; one that waits will see it.
    this.#next ??= this.#running.then(() => {
      const loading = this.#loadOrKeep();
      this.#next = undefined;
      this.#running = loading.catch(() => {});
      return loading;
    });
    return this.#next;
  }

  watch(onChange: () => void): () => void {
    let reported: number | undefined = this.#seen.agents;
    return this.#database.watch(() => {
      const newest = this.#database.revision('agents');
      if (newest !== undefined && newest === reported) return;
      reported = newest;
      onChange();
    });
  }

  #isCurrent(): boolean {
    return this.#database.revision('agents') === this.#seen.agents;
  }

  /** A database that is away leaves the last good agents, with a problem beside them. */
  async #loadOrKeep(): Promise<SourceSnapshot<AgentEntry>> {
    try {
      const snapshot = await this.#load();
      this.#kept = undefined;
      return snapshot;
    } catch (error) {
      if (!(error instanceof HubError) || this.#seen.agents === neverRead) throw error;
      const { message } = error;
      if (this.#kept?.problems.at(-1)?.message !== message) {
        const { entries, problems } = this.#snapshot;
        this.#kept = { entries, problems: [...problems, { place, message }] };
      }
      return this.#kept ?? this.#snapshot;
    }
  }

  async #load(): Promise<SourceSnapshot<AgentEntry>> {
    const { counters, rows } = await this.#database.read(async (db) => {
      const found = await db.selectFrom('revisions').selectAll().where('key', 'in', ['agents', 'epoch']).execute();
      const counter = (key: string) => found.find((row) => row.key === key)?.value ?? 0;
      const newest = { agents: counter('agents'), epoch: counter('epoch') };
      const since = newest.epoch === this.#seen.epoch ? this.#seen.agents : neverRead;
      // Rows of a write that came between the two reads are simply read again the next time.
      const changed = await db.selectFrom('agents').selectAll().where('change_number', '>', since).execute();
      return { counters: newest, rows: changed };
    });
    const isOther = counters.epoch !== this.#seen.epoch;
    const isChanged = isOther ? this.#replaceAll(rows) : this.#apply(rows);
    if (isChanged) this.#snapshot = { entries: sorted(this.#entries.values()), problems: [...this.#problems.values()] };
    this.#seen = counters;
    return this.#snapshot;
  }

  #replaceAll(rows: readonly AgentRow[]): boolean {
    const kept = new Set(rows.map((row) => row.id));
    for (const id of this.#entries.keys()) if (!kept.has(id)) this.#entries.delete(id);
    for (const id of this.#problems.keys()) if (!kept.has(id)) this.#problems.delete(id);
    this.#apply(rows);
    return true;
  }

  #apply(rows: readonly AgentRow[]): boolean {
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

  #read(row: AgentRow): void {
    try {
      const { agent, problem } = readAgentData(row.id, row.data);
      if (problem !== undefined) this.#problems.set(row.id, { agentId: row.id, place, message: problem });
      this.#entries.set(row.id, { agent, place, revision: row.revision, updatedAt: row.updated_at });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#problems.set(row.id, { agentId: row.id, place, message });
    }
  }
}

/** The same order in every process and on both databases. */
function sorted(entries: Iterable<AgentEntry>): AgentEntry[] {
  return [...entries].sort((one, other) => (one.agent.id < other.agent.id ? -1 : 1));
}
