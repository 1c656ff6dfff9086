import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { DecisionEntry, DecisionLog, DecisionPage, DecisionQuery } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { readPage } from './decisions-page.ts';
import { readTail } from './decisions-tail.ts';

const laterSyncMs = 20;
/** While so many groups are on their way to the disk, further invocations gather in one. */
const mostSyncing = 3;

interface Group {
  rows: DecisionEntry[];
  hasInvocation: boolean;
  hasOutcome: boolean;
  written: PromiseWithResolvers<void>;
  durable: PromiseWithResolvers<void>;
}

/**
 * Rows that arrive in one turn of the event loop are one transaction with one fsync, which runs off the event loop while
 * the next rows arrive. Only invocations wait for it: a tool must not run before its call is on the disk, whereas
 * its result only has to outlive the process before it is answered. So a call costs one fsync, shared with many others.
 */
export class StoredDecisions implements DecisionLog {
  readonly #database: Database;
  readonly #clock: Clock;
  #open: Group | undefined;
  #isCommitting = false;
  #planned: 'now' | 'turn' | undefined;
  #syncing = 0;
  #idle: Promise<unknown> = Promise.resolve();
  #laterSync: NodeJS.Timeout | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  append(entry: DecisionEntry): Promise<void> {
    if (!this.#open) {
      this.#open = newGroup();
      this.#idle = settled(this.#open);
    }
    const group = this.#open;
    group.rows.push(withoutNul(entry));
    if (entry.kind === 'invocation') group.hasInvocation = true;
    else group.hasOutcome = true;
    this.#schedule();
    return entry.kind === 'invocation' ? group.durable.promise : group.written.promise;
  }

  page(query: DecisionQuery = {}): Promise<DecisionPage> {
    const now = this.#clock.now();
    const { after } = query;
    return after === undefined
      ? readPage(this.#database, query, now)
      : readTail(this.#database, { ...query, after }, now);
  }

  /** Resolves when every row appended so far is on the disk or refused. */
  async drain(): Promise<void> {
    await this.#idle;
    if (!this.#laterSync) return;
    clearTimeout(this.#laterSync);
    this.#laterSync = undefined;
    await this.#database.sync?.();
  }

  /**
   * A result has an answer waiting for it: it is committed as soon as the code that runs now has ended. Invocations wait
   * for the turn of the event loop, so that those which arrive together share an fsync; behind a busy disk they gather.
   */
  #schedule(): void {
    if (this.#isCommitting || !this.#open) return;
    if (this.#open.hasOutcome) this.#plan('now');
    else if (this.#syncing < mostSyncing && this.#planned === undefined) this.#plan('turn');
  }

  #plan(when: 'now' | 'turn'): void {
    if (this.#planned === when) return;
    this.#planned = when;
    const begin = () => {
      // A plan for the turn may have been overtaken.
      if (this.#planned === when) void this.#begin();
    };
    if (when === 'now') process.nextTick(begin);
    else setImmediate(begin);
  }

  async #begin(): Promise<void> {
    this.#planned = undefined;
    this.#isCommitting = true;
    await this.#commit();
    this.#isCommitting = false;
    this.#schedule();
  }

  async #commit(): Promise<void> {
    let group: Group | undefined;
    const take = () => {
      group ??= this.#takeOpen();
      return group.rows;
    };
    try {
      const running = this.#database.insertDecisions(take);
      if (running !== undefined) await running;
      group ??= this.#takeOpen();
      group.written.resolve();
      if (group.hasInvocation) {
        void this.#sync(group.durable);
      } else {
        group.durable.resolve();
        this.#syncLater();
      }
    } catch (error) {
      group ??= this.#takeOpen();
      group.written.reject(notWritten(error));
      group.durable.reject(notWritten(error));
    }
  }

  async #sync(durable: PromiseWithResolvers<void>): Promise<void> {
    this.#syncing += 1;
    try {
      await this.#database.sync?.();
      durable.resolve();
    } catch (error) {
      durable.reject(notWritten(error));
    } finally {
      this.#syncing -= 1;
      this.#schedule();
    }
  }

  /** Results alone wait for nobody; with no invocation in sight they are brought to the disk on their own. */
  #syncLater(): void {
    if (this.#laterSync || !this.#database.sync) return;
    this.#laterSync = setTimeout(() => {
      this.#laterSync = undefined;
      // A failure here meets the next invocation, which is refused then.
      this.#database.sync?.().catch(() => {});
    }, laterSyncMs);
    this.#laterSync.unref();
  }

  #takeOpen(): Group {
    const group = this.#open ?? newGroup();
    this.#open = undefined;
    return group;
  }
}

function newGroup(): Group {
  const group = {
    rows: [],
    hasInvocation: false,
    hasOutcome: false,
    written: Promise.withResolvers<void>(),
    durable: Promise.withResolvers<void>(),
  };
  // Most groups have waiters for only one of the two.
  group.written.promise.catch(() => {});
  group.durable.promise.catch(() => {});
  return group;
}

function settled(group: Group): Promise<unknown> {
  return Promise.allSettled([group.written.promise, group.durable.promise]);
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
