import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { NoticeLine, NoticeLineEvents } from '../notice-line.ts';
import type { PostgresAddress } from './postgres-address.ts';

export const channel = 'agent_zoo_changed';
/** Part of the statements that send notices. A notice is about something committed, so its own commit need not wait for the disk. */
export const notifyText = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;

const firstDelayMs = 100;
const maxDelayMs = 10_000;
/** A pooler that passes no notices on will hardly change its mind soon. */
const deafDelayMs = 30_000;
/** A process that ends sooner needs no proof. */
const firstProofMs = 500;
const nextProofMs = 60_000;

export interface PostgresListenerOptions extends NoticeLineEvents {
  /** Tried in turn. */
  addresses: readonly [PostgresAddress, ...PostgresAddress[]];
  /** Sends a notice to a channel of the same database, over another connection. */
  notify(channel: string, notice: string): Promise<unknown>;
  /** The maximum time for a reply. */
  silentMs?: number;
  /** The maximum time until this process hears its own notice. */
  proofMs?: number;
}

/**
 * A connection that listens, and reconnects with growing pauses. Behind a pooler that gives each transaction another connection, LISTEN
 * succeeds and nothing ever arrives. Only a notice that is sent over another connection, while this one is idle, tells: a pooler
 * passes on what a connection notifies itself.
 */
export class PostgresListener implements NoticeLine {
  readonly way = 'listen';
  readonly #options: PostgresListenerOptions;
  readonly #ownChannel = `agent_zoo_${crypto.randomUUID().replaceAll('-', '')}`;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #proving: Promise<void> | undefined;
  #heardNonce = '';
  #onHeard = () => {};
  #failures = 0;
  #isProven = false;
  #problem: string | undefined;
  #isClosed = false;

  constructor(options: PostgresListenerOptions) {
    this.#options = options;
  }

  get isProven(): boolean {
    return this.#isProven;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async open(): Promise<void> {
    const { addresses, onNotice } = this.#options;
    const address = addresses[this.#failures % addresses.length] ?? addresses[0];
    const client = new pg.Client(address.config);
    this.#client = client;
    client.on('error', (error) => this.#lose(client, lostWords(address, error)));
    client.on('end', () => this.#lose(client, lostWords(address)));
    client.on('notification', ({ channel: from, processId, payload = '' }) => {
      if (from === this.#ownChannel) {
        this.#heardNonce = payload;
        this.#onHeard();
      } else if (processId !== idOf(client)) onNotice(payload);
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}; listen ${this.#ownChannel}`);
      this.#proveIn(firstProofMs);
    } catch (error) {
      this.#lose(client, lostWords(address, error));
    }
  }

  prove(): Promise<void> {
    this.#proving ??= this.#proveOnce().finally(() => {
      this.#proving = undefined;
    });
    return this.#proving;
  }

  async send(notice: string): Promise<void> {
    await this.query(notifyText, [channel, notice]);
  }

  /** Throws while the connection is lost. A connection without a reply counts as lost. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const client = this.#client;
    if (!client) throw new Error('The connection for notices is lost.');
    // `pg` accepts a timeout for a single query, but its types do not include it.
    const limited: pg.QueryConfig & { query_timeout: number } = {
      text,
      values,
      query_timeout: this.#options.silentMs ?? 5_000,
    };
    try {
      return (await client.query<Row>(limited)).rows;
    } catch (error) {
      if (error instanceof Error && /timeout/i.test(error.message)) this.#lose(client, 'The server does not reply.');
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#onHeard();
    await this.#client?.end().catch(() => {});
  }

  async #proveOnce(): Promise<void> {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    if (!this.#client) await this.open();
    const client = this.#client;
    if (!client) return;
    const nonce = crypto.randomUUID();
    const heard = new Promise<void>((resolve) => {
      this.#onHeard = resolve;
    });
    const late = new AbortController();
    try {
      await this.#options.notify(this.#ownChannel, nonce);
      await Promise.race([
        heard,
        pause(this.#options.proofMs ?? 2_000, undefined, { signal: late.signal, ref: false }),
      ]);
      // After a pause of the whole process, timers come before what has arrived.
      for (let turn = 0; turn < 3 && this.#heardNonce !== nonce; turn += 1) await nextTurn();
    } catch {
      // The database has failed, which proves nothing.
      if (client === this.#client) this.#proveIn(firstProofMs);
      return;
    } finally {
      late.abort();
    }
    if (client !== this.#client || this.#isClosed) return;
    if (this.#heardNonce !== nonce) return this.#lose(client, 'Notices do not arrive.', true);
    this.#failures = 0;
    this.#become(true, undefined);
    this.#proveIn(nextProofMs);
  }

  #proveIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.prove(), milliseconds).unref();
  }

  #lose(client: pg.Client, why: string, isDeaf = false): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (this.#isClosed) return;
    client.end().catch(() => {});
    this.#failures += 1;
    const { addresses } = this.#options;
    const rounds = Math.floor(this.#failures / addresses.length);
    const hasMore = this.#failures % addresses.length > 0;
    const growing = Math.min(firstDelayMs * 2 ** Math.max(rounds - 1, 0), maxDelayMs);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.open(), hasMore ? firstDelayMs : isDeaf ? deafDelayMs : growing).unref();
    this.#become(false, why);
  }

  #become(isProven: boolean, problem: string | undefined): void {
    if (this.#isProven === isProven && this.#problem === problem) return;
    this.#isProven = isProven;
    this.#problem = problem;
    this.#options.onChange();
  }
}

function idOf(client: pg.Client): number | null | undefined {
  return (client as pg.Client & { processID?: number | null }).processID;
}

function lostWords({ location }: PostgresAddress, error?: unknown): string {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `The connection to ${location} is lost${code}.`;
}
