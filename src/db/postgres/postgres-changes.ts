import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import { EventChannel } from '../../base/events.ts';
import type { Logger } from '../../base/logger.ts';
import { type Change, type ChangeBus, type CommittedChange, countedTopics, type Topic, topics } from '../change-bus.ts';
import { GatheredChanges } from '../gathered-changes.ts';
import type { Tables } from '../tables.ts';
import { channel, PostgresListener } from './postgres-listener.ts';

/** The maximum size of a notice; PostgreSQL rejects 8,000 bytes. */
const maxNoticeBytes = 7_900;
/** The maximum number of rows published at once for processes that ended before they could. */
const maxLeftRows = 1_000;
/** The pause between two notices, so that a busy process sends few of them. */
const pauseMs = 5;
/** A living process has published its changes by then. */
const leftMs = 1_000;

export interface NotedChanges {
  /** The id of the row that holds the changes until they are published. */
  row: number;
  changes: readonly CommittedChange[];
}

/**
 * Publishes changes after their commit, so that no transaction delays others. One notice carries all changes committed meanwhile, while
 * the next ones gather. Each transaction leaves a row with its changes, and publishing deletes the row. If a process ends in between,
 * the others find the row within two seconds.
 */
export class PostgresChanges implements ChangeBus {
  readonly #channel: EventChannel<Change>;
  readonly #listener: PostgresListener;
  readonly #logger: Logger;
  readonly #versions = new Map<Topic, number>();
  readonly #waiting = new GatheredChanges();
  #waitingRows: number[] = [];
  #isListening = false;
  #publishing: Promise<void> | undefined;

  constructor({ config, logger }: { config: pg.ClientConfig; logger: Logger }) {
    this.#logger = logger;
    this.#channel = new EventChannel((error) => logger.error({ err: error }, 'a change listener failed'));
    this.#listener = new PostgresListener({
      config,
      logger,
      onNotice: (payload) => this.#hear(payload),
      onConnected: () => this.#catchUp(),
      onBeat: () => this.#publishLeft(),
      onLost: () => {
        this.#isListening = false;
      },
    });
  }

  listen(): Promise<void> {
    return this.#listener.connect();
  }

  version(topic: Topic): number | undefined {
    return this.#isListening ? (this.#versions.get(topic) ?? 0) : undefined;
  }

  on(listener: (change: Change) => void): () => void {
    return this.#channel.on(listener);
  }

  /** Runs the last statement of a transaction. */
  async note(db: Kysely<Tables>, changes: readonly CommittedChange[]): Promise<NotedChanges> {
    const { rows } = await sql<{ id: number }>`
      insert into unpublished_changes (changes) values (${JSON.stringify(changes)}) returning id`.execute(db);
    return { row: rows[0]?.id ?? 0, changes };
  }

  /** Announces changes to this process at once, and to the others in the next turn of the event loop. */
  committed({ row, changes }: NotedChanges): void {
    this.#announce(changes);
    this.#publishSoon([row], changes);
  }

  /** Waits until pending changes are published. The other processes publish what cannot be published here. */
  async close(): Promise<void> {
    await this.#publishing;
    await this.#listener.close();
  }

  #publishSoon(rows: readonly number[], changes: readonly CommittedChange[]): void {
    // Without a connection the rows stay, and a process with a connection publishes them.
    if (!this.#isListening) return;
    this.#waitingRows.push(...rows);
    for (const change of changes) this.#waiting.add(change);
    this.#publishing ??= nextTurn()
      .then(() => this.#publish())
      .catch((error: unknown) => this.#logger.debug({ err: error }, 'changes will be published later from their rows'))
      .finally(() => {
        this.#publishing = undefined;
      });
  }

  async #publish(): Promise<void> {
    while (this.#waitingRows.length > 0) {
      const rows = this.#waitingRows.splice(0);
      await this.#listener.query(
        `with published as (delete from unpublished_changes where id = any($1::bigint[])) select pg_notify($2, $3)`,
        [rows, channel, noticeOf(this.#waiting.take())],
      );
      await pause(pauseMs);
    }
  }

  /** Publishes changes of processes that ended or lost their connection after a commit. */
  async #publishLeft(): Promise<void> {
    const { rows } = await this.#listener.query<{ id: number; changes: string }>(
      `select id, changes from unpublished_changes where at < clock_timestamp() - interval '${leftMs} milliseconds'
       order by id limit ${maxLeftRows}`,
    );
    if (rows.length === 0) return;
    const left = new GatheredChanges();
    for (const { changes } of rows) for (const change of parseChanges(changes)) left.add(change);
    const changes = left.take();
    this.#announce(changes);
    this.#publishSoon(
      rows.map(({ id }) => id),
      changes,
    );
  }

  /** Announces all topics, because notices were lost while there was no connection. */
  async #catchUp(): Promise<void> {
    const { rows } = await this.#listener.query<{ key: string; value: number }>(
      'select key, value from revisions where key = any($1)',
      [countedTopics],
    );
    this.#isListening = true;
    const counters = new Map(rows.map(({ key, value }) => [key, value]));
    const isCounted = new Set<Topic>(countedTopics);
    const numberOf = (topic: Topic) => (isCounted.has(topic) ? (counters.get(topic) ?? 0) : undefined);
    this.#announce(topics.map((topic) => ({ topic, ids: [], number: numberOf(topic) })));
  }

  #hear(payload: string): void {
    try {
      this.#announce(parseChanges(payload));
    } catch {
      // Sent by another version of Agent Zoo in another format: something has changed.
      this.#catchUp().catch((error: unknown) => this.#logger.warn({ err: error }, 'a notice could not be read'));
    }
  }

  #announce(changes: readonly CommittedChange[]): void {
    for (const { topic, ids, number } of changes) {
      const known = this.#versions.get(topic) ?? 0;
      // Counters only grow, so a smaller value is outdated.
      if (number !== undefined && number <= known) continue;
      this.#versions.set(topic, number ?? known + 1);
      this.#channel.emit({ topic, ids });
    }
  }
}

function noticeOf(changes: readonly CommittedChange[]): string {
  const whole = JSON.stringify(changes);
  return Buffer.byteLength(whole) <= maxNoticeBytes
    ? whole
    : JSON.stringify(changes.map((change) => ({ ...change, ids: [] })));
}

/** Parses a text that `noticeOf` or `note` of any process wrote. */
function parseChanges(text: string): CommittedChange[] {
  return JSON.parse(text);
}
