import pg from 'pg';
import type { NoticeLine, NoticeLineEvents } from '../notice-line.ts';
import { OwnNotice } from '../own-notice.ts';
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
const nextProofMs = 120_000;

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
  readonly #ownNotice = new OwnNotice();
  readonly #ownChannel = `agent_zoo_${crypto.randomUUID().replaceAll('-', '')}`;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #opening: Promise<void> | undefined;
  #proving: Promise<void> | undefined;
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

  open(): Promise<void> {
    this.#opening ??= this.#openOnce().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #openOnce(): Promise<void> {
    const { addresses, onNotice } = this.#options;
    const address = addresses[this.#failures % addresses.length] ?? addresses[0];
    const client = new pg.Client(address.config);
    this.#client = client;
    client.on('error', (error) => this.#lose(client, lostWords(address, error)));
    client.on('end', () => this.#lose(client, lostWords(address)));
    client.on('notification', ({ channel: from, processId, payload = '' }) => {
      if (from === this.#ownChannel) this.#ownNotice.heard(payload);
      else if (processId !== idOf(client)) onNotice(payload);
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
    await this.#client?.end().catch(() => {});
  }

  async #proveOnce(): Promise<void> {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    if (!this.#client || this.#opening !== undefined) await this.open();
    const client = this.#client;
    if (!client) return;
    const { notify, proofMs = 2_000 } = this.#options;
    const send = (notice: string) => notify(this.#ownChannel, notice);
    // If the notice cannot be sent, the database has failed, which proves nothing.
    const isHeard = await this.#ownNotice.comesBack(send, proofMs).catch(() => undefined);
    if (client !== this.#client || this.#isClosed) return;
    if (isHeard === undefined) return this.#proveIn(firstProofMs);
    if (!isHeard) return this.#lose(client, 'Notices do not arrive.', true);
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
