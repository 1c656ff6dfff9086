import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { EventChannel } from '../../base/events.ts';
import type { Logger } from '../../base/logger.ts';
import {
  type Arrival,
  type Change,
  type ChangeBus,
  type CommittedChange,
  countedTopics,
  type Topic,
  topics,
} from '../change-bus.ts';
import { GatheredChanges } from '../gathered-changes.ts';
import type { NoticeLine, NoticeLineEvents } from '../notice-line.ts';
import type { Tables } from '../tables.ts';
import { GrowingPause } from './growing-pause.ts';
import { channel, notifyText } from './postgres-listener.ts';
import { RecentChanges, type RunQuery } from './recent-changes.ts';
import { ServerClock } from './server-clock.ts';

/** The maximum size of a notice; PostgreSQL rejects 8,000 bytes. */
const maxNoticeBytes = 7_900;
/** The maximum number of rows that a notice names. */
const maxNoticeRows = 200;
/** Between notices, so that a busy process sends few of them. */
const noticePause = { firstMs: 5, maxMs: 40, restMs: 100 };
/** Between looks because of notices, so that a flood of notices does not become a flood of statements. */
const lookPause = { firstMs: 10, maxMs: 40, restMs: 100 };
/** How often to look for changes while nothing proves that notices arrive, and while this process is in use. */
const lookMs = 1_000;
/** How often to look while nobody asks and notices arrive. */
const restMs = 10_000;
/** While a look takes longer, the versions are not trusted. */
const lateMs = 1_500;
/** A connection that is lost for a moment is no problem for people. */
const graceMs = 6_000;

const isCounted: ReadonlySet<Topic> = new Set(countedTopics);

export interface NotedChanges {
  /** The number of the row that tells other processes. */
  row: number;
  changes: readonly CommittedChange[];
}

interface PostgresChangesParts {
  logger: Logger;
  /** Runs a statement on any connection. */
  query: RunQuery;
  /** `query` uses the connection that the line has anyway. */
  openLine(events: NoticeLineEvents & { scope(): string }): NoticeLine & { query?: RunQuery };
  /** Says what would make notices arrive. */
  advice: string;
}

/**
 * Publishes changes after their commit, so that no transaction delays others. Each transaction leaves a row with its changes, and all
 * processes look for such rows. A notice makes others look at once. They believe nothing that it says, because whoever reaches the NATS
 * server can send one. It carries all changes committed meanwhile, while the next ones gather.
 */
export class PostgresChanges implements ChangeBus {
  readonly arrival: Arrival;
  readonly clock = new ServerClock();
  readonly #parts: PostgresChangesParts;
  readonly #channel: EventChannel<Change>;
  readonly #problems: EventChannel<void>;
  readonly #line: NoticeLine & { query?: RunQuery };
  readonly #recent: RecentChanges;
  readonly #versions = new Map<Topic, number>();
  readonly #waiting = new GatheredChanges();
  #waitingRows: number[] = [];
  #publishing: Promise<void> | undefined;
  readonly #nextNotice = new GrowingPause(noticePause);
  /** The rows that this process wrote or read since the last look, and between the two looks before it. */
  #announced = { now: new Set<number>(), before: new Set<number>() };
  #isTold = false;
  #hearing: Promise<void> | undefined;
  readonly #nextToldLook = new GrowingPause(lookPause);
  #looking: Promise<void> | undefined;
  #lookedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the versions are those of a moment ago. */
  #isFresh = false;
  #isAsked = false;
  #isResting = false;
  #wasProven = false;
  #unprovenSince = performance.now();
  #problem: string | undefined;
  #isClosed = false;

  constructor(parts: PostgresChangesParts) {
    const { logger, openLine } = parts;
    this.#parts = parts;
    this.#channel = new EventChannel((error) => logger.error({ err: error }, 'a change listener failed'));
    this.#problems = new EventChannel((error) => logger.error({ err: error }, 'a problem listener failed'));
    const line = openLine({
      onNotice: (notice) => this.#hear(notice),
      onChange: () => this.#lineChanged(),
      scope: () => this.#recent.scope,
    });
    this.#line = line;
    const run: RunQuery = (text, values) => ((line.isProven && line.query?.bind(line)) || parts.query)(text, values);
    this.#recent = new RecentChanges({ run, writer: crypto.randomUUID(), clock: this.clock });
    const problem = () => this.#problem;
    this.arrival = {
      get way() {
        return line.isProven ? line.way : 'poll';
      },
      get problem() {
        return problem();
      },
      check: async () => {
        if (!line.isProven) await line.prove();
        if (!line.isProven && line.problem !== undefined) this.#report(this.#describe());
      },
      watch: (onChange) => this.#problems.on(onChange),
    };
  }

  /** Begins to receive changes. */
  async listen(): Promise<void> {
    await this.#look();
    const late = new AbortController();
    await Promise.race([this.#line.open(), pause(lookMs, undefined, { signal: late.signal }).catch(() => {})]);
    late.abort();
    this.#tick();
  }

  version(topic: Topic): number | undefined {
    if (!this.#isFresh) return undefined;
    this.#isAsked = true;
    if (this.#isResting) this.#wake();
    return this.#versions.get(topic) ?? 0;
  }

  on(listener: (change: Change) => void): () => void {
    return this.#channel.on(listener);
  }

  /** Runs the last statement of a transaction. */
  async note(db: Kysely<Tables>, changes: readonly CommittedChange[]): Promise<NotedChanges> {
    return { row: await this.#recent.note(db, changes), changes };
  }

  /** Announces changes to this process at once, and to the others in the next turn of the event loop. */
  committed({ row, changes }: NotedChanges): void {
    this.#announced.now.add(row);
    this.#announce(changes);
    this.#waitingRows.push(row);
    for (const change of changes) this.#waiting.add(change);
    this.#publishing ??= nextTurn()
      .then(() => this.#publish())
      .catch((error: unknown) =>
        this.#parts.logger.debug(
          { err: error },
          'a notice was not sent; other processes find the change when they poll',
        ),
      )
      .finally(() => {
        this.#publishing = undefined;
      });
  }

  /** Waits until pending changes are published. */
  async close(): Promise<void> {
    await this.#publishing;
    this.#isClosed = true;
    this.#isFresh = false;
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#line.close();
  }

  async #publish(): Promise<void> {
    while (this.#waitingRows.length > 0) {
      await this.#nextNotice.due();
      const notice = noticeOf(this.#waiting.take(), this.#waitingRows.splice(0));
      await this.#line.send(notice).catch(() => this.#parts.query(notifyText, [channel, notice]));
    }
  }

  #hear(notice: string): void {
    const rows = rowsOf(notice);
    if (rows.length > 0 && rows.every((row) => this.#isAnnounced(row))) return;
    this.#isTold = true;
    this.#hearing ??= this.#lookWhileTold().finally(() => {
      this.#hearing = undefined;
    });
  }

  async #lookWhileTold(): Promise<void> {
    while (this.#isTold && !this.#isClosed) {
      await this.#nextToldLook.due();
      // A look that has begun may not see what the notice is about.
      await this.#looking;
      this.#isTold = false;
      await this.#look();
    }
  }

  #tick(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      const isDue = !this.#line.isProven || this.#isAsked || performance.now() - this.#lookedAt >= restMs - lookMs / 2;
      this.#isResting = !isDue;
      this.#isAsked = false;
      void (isDue ? this.#look() : Promise.resolve()).then(() => this.#tick());
    }, lookMs).unref();
  }

  /** Looks at once when somebody asks after a rest. */
  #wake(): void {
    this.#isResting = false;
    void this.#look();
  }

  /** Looks for changes of other processes. Never rejects. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    if (this.#isClosed) return;
    const late = setTimeout(() => {
      this.#isFresh = false;
    }, lateMs).unref();
    try {
      const found = await this.#recent.look();
      if (found) this.#announceRows(found);
      else await this.#catchUp();
      this.#lookedAt = performance.now();
      this.#isFresh = !this.#isClosed;
      this.#reportIfLasting();
      await this.#recent.prune();
    } catch (error) {
      this.#isFresh = false;
      this.#parts.logger.debug({ err: error }, 'changes by other processes cannot be read for now');
    } finally {
      clearTimeout(late);
    }
  }

  #announceRows(found: readonly { row: number; changes: readonly CommittedChange[] }[]): void {
    const gathered = new GatheredChanges();
    for (const { row, changes } of found) {
      this.#announced.now.add(row);
      for (const change of changes) gathered.add(change);
    }
    this.#announced = { now: new Set(), before: this.#announced.now };
    this.#announce(gathered.take());
  }

  #isAnnounced(row: unknown): boolean {
    return [this.#announced.now, this.#announced.before].some((rows: ReadonlySet<unknown>) => rows.has(row));
  }

  /** Announces all topics, because it is not known what has changed. */
  async #catchUp(): Promise<void> {
    const counters = await this.#recent.begin();
    this.#announce(topics.map((topic) => ({ topic, ids: [], number: counters.get(topic) ?? 0 })));
  }

  #announce(changes: readonly CommittedChange[]): void {
    for (const { topic, ids, ...change } of changes) {
      const number = isCounted.has(topic) && Number.isSafeInteger(change.number) ? change.number : undefined;
      const known = this.#versions.get(topic) ?? 0;
      // Counters only grow, so a smaller value is outdated.
      if (number !== undefined && number <= known) continue;
      this.#versions.set(topic, number ?? known + 1);
      this.#channel.emit({ topic, ids });
    }
  }

  #lineChanged(): void {
    if (this.#isClosed) return;
    if (this.#line.isProven) this.#report(undefined);
    else if (this.#wasProven) {
      // Notices may have been lost before this was known.
      this.#isFresh = false;
      this.#unprovenSince = performance.now();
    }
    this.#wasProven = this.#line.isProven;
    void this.#look();
  }

  #reportIfLasting(): void {
    if (this.#line.isProven || this.#line.problem === undefined) return;
    if (performance.now() - this.#unprovenSince >= graceMs) this.#report(this.#describe());
  }

  #describe(): string {
    return `${this.#line.problem ?? ''} Changes by other processes arrive up to a second late, because the hub only sees them when it polls. ${this.#parts.advice}`;
  }

  #report(problem: string | undefined): void {
    if (this.#problem === problem) return;
    if (problem === undefined) this.#parts.logger.info({}, 'notices of changes arrive again');
    else if (this.#problem === undefined) this.#parts.logger.warn({}, problem);
    this.#problem = problem;
    this.#problems.emit();
  }
}

/** Returns the rows that a notice names; none if it is not one of this version. */
function rowsOf(notice: string): unknown[] {
  try {
    const rows: unknown = JSON.parse(notice)[0].rows;
    return Array.isArray(rows) ? rows : [];
  } catch {
    return [];
  }
}

/** The changes are for the previous version, which ignores the rows in the first one. */
function noticeOf([first, ...others]: CommittedChange[], rows: readonly number[]): string {
  if (!first) return '[]';
  const changes = [first, ...others];
  const whole = rows.length <= maxNoticeRows ? [{ ...first, rows }, ...others] : changes;
  const texts = [whole, changes, changes.map((change) => ({ ...change, ids: [] }))].map((each) => JSON.stringify(each));
  return texts.find((text) => Buffer.byteLength(text) <= maxNoticeBytes) ?? '';
}
