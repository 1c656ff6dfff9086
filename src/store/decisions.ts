import type { Selectable } from 'kysely';
import { HubError } from '../base/hub-error.ts';
import type { DecisionEntry, DecisionLog } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import type { DecisionRow } from './tables.ts';

const defaultLimit = 100;
/** A group of this many rows waits for no others. */
const fullGroup = 256;

interface Group {
  rows: DecisionEntry[];
  promise: Promise<void>;
  resolve(): void;
  reject(error: HubError): void;
}

/**
 * Rows that arrive in one turn of the event loop, or while a commit runs, are one transaction with one fsync: a
 * busy hub then writes tens of thousands of rows a second that are all on the disk when `append` resolves.
 */
export class StoredDecisions implements DecisionLog {
  readonly #database: Database;
  #open: Group | undefined;
  #isWriting = false;
  #idle: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  append(entry: DecisionEntry): Promise<void> {
    if (!this.#open) {
      this.#open = newGroup();
      this.#idle = this.#open.promise.catch(() => {});
      if (!this.#isWriting) this.#gather(0);
    }
    this.#open.rows.push(withoutNul(entry));
    return this.#open.promise;
  }

  async list(options: { limit?: number; tool?: string } = {}): Promise<DecisionEntry[]> {
    const rows = await this.#database.read((db) => {
      const query = db
        .selectFrom('decisions')
        .selectAll()
        .orderBy('seq', 'desc')
        .limit(options.limit ?? defaultLimit);
      return (options.tool === undefined ? query : query.where('tool', '=', options.tool)).execute();
    });
    return rows.map(toEntry);
  }

  /** Resolves when every row appended so far is written or refused. */
  async drain(): Promise<void> {
    await this.#idle;
  }

  /**
   * Callers send one call after another: while the open group grows, one more turn is waited. A turn costs microseconds,
   * an fsync hundreds of them (measured at 16 calls in flight: 17 % more calls a second; at one, no difference).
   */
  #gather(seen: number): void {
    this.#isWriting = true;
    setImmediate(() => {
      const count = this.#open?.rows.length ?? 0;
      if (count > seen && count < fullGroup) this.#gather(count);
      else this.#write();
    });
  }

  readonly #write = (): void => {
    this.#isWriting = true;
    let group: Group | undefined;
    const take = () => {
      group ??= this.#takeOpen();
      return group.rows;
    };
    const finish = (error?: unknown) => {
      group ??= this.#takeOpen();
      if (error === undefined) group.resolve();
      else group.reject(notWritten(error));
      this.#isWriting = false;
      if (this.#open) this.#gather(0);
    };
    try {
      const running = this.#database.insertDecisions(take);
      if (running === undefined) finish();
      else running.then(() => finish(), finish);
    } catch (error) {
      finish(error);
    }
  };

  #takeOpen(): Group {
    const group = this.#open ?? newGroup();
    this.#open = undefined;
    return group;
  }
}

function newGroup(): Group {
  return { rows: [], ...Promise.withResolvers<void>() };
}

function notWritten(error: unknown): HubError {
  return new HubError('UNAVAILABLE', 'The decision log cannot be written, so the call is refused. Try again later.', {
    cause: error,
  });
}

/** A name from outside may hold a NUL, which PostgreSQL refuses: it would take the whole group with it. */
function withoutNul(entry: DecisionEntry): DecisionEntry {
  if (!entry.tool.includes('\0') && !entry.context.includes('\0')) return entry;
  const clean = (text: string) => text.replaceAll('\0', '\ufffd');
  return { ...entry, tool: clean(entry.tool), decision: clean(entry.decision), context: clean(entry.context) };
}

function toEntry(row: Selectable<DecisionRow>): DecisionEntry {
  return {
    callId: row.call_id,
    // Written only by `append`, from this very type.
    kind: row.kind as DecisionEntry['kind'],
    at: row.at,
    surface: row.surface,
    agentId: row.agent_id,
    tool: row.tool,
    decision: row.decision,
    reasoning: row.reasoning,
    context: row.context,
  };
}
