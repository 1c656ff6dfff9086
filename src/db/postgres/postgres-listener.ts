import pg from 'pg';
import type { NoticeLineEvents } from '../notice-line.ts';
import { type ConnectionEvents, type LineConnection, ReconnectingLine } from '../reconnecting-line.ts';
import type { PostgresAddress } from './postgres-address.ts';

export const channel = 'agent_zoo_changed';
/** Part of the statements that send notices. A notice is about something committed, so its own commit need not wait for the disk. */
export const notifyText = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;

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
 * Listens on a connection of its own. Behind a pooler that gives each transaction another connection, LISTEN succeeds and nothing
 * ever arrives. Only a notice that is sent over another connection, while this one is idle, tells: a pooler passes on what a
 * connection notifies itself.
 */
export class PostgresListener extends ReconnectingLine<ListeningConnection> {
  readonly way = 'listen';
  readonly #options: PostgresListenerOptions;

  constructor(options: PostgresListenerOptions) {
    const { proofMs = 2_000 } = options;
    super(options, { firstProofMs, nextProofMs, proofMs, deafDelayMs, deafWords: 'Notices do not arrive.' });
    this.#options = options;
  }

  async send(notice: string): Promise<void> {
    await this.query(notifyText, [channel, notice]);
  }

  /** Throws while the connection is lost. A connection without a reply counts as lost. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const connection = this.opened();
    try {
      return await connection.query<Row>(text, values);
    } catch (error) {
      if (error instanceof Error && /timeout/i.test(error.message)) this.lose(connection, 'The server does not reply.');
      throw error;
    }
  }

  protected override get addresses(): number {
    return this.#options.addresses.length;
  }

  protected connect(index: number, events: ConnectionEvents): ListeningConnection {
    const { addresses, notify, silentMs = 5_000 } = this.#options;
    return new ListeningConnection({ address: addresses[index] ?? addresses[0], notify, silentMs }, events);
  }
}

interface ListeningParts extends Pick<PostgresListenerOptions, 'notify'> {
  address: PostgresAddress;
  silentMs: number;
}

class ListeningConnection implements LineConnection {
  readonly opened: Promise<void>;
  readonly #parts: ListeningParts;
  readonly #ownChannel = `agent_zoo_${crypto.randomUUID().replaceAll('-', '')}`;
  readonly #client: pg.Client;

  constructor(parts: ListeningParts, { onNotice, onOwnNotice, onLost }: ConnectionEvents) {
    this.#parts = parts;
    const { address } = parts;
    const client = new pg.Client(address.config);
    this.#client = client;
    client.on('error', (error) => onLost(lostWords(address, error)));
    client.on('end', () => onLost(lostWords(address)));
    client.on('notification', ({ channel: from, processId, payload = '' }) => {
      if (from === this.#ownChannel) onOwnNotice(payload);
      else if (processId !== idOf(client)) onNotice(payload);
    });
    this.opened = this.#open();
  }

  async #open(): Promise<void> {
    try {
      await this.#client.connect();
      await this.#client.query(`listen ${channel}; listen ${this.#ownChannel}`);
    } catch (error) {
      throw new Error(lostWords(this.#parts.address, error), { cause: error });
    }
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    // `pg` accepts a timeout for a single query, but its types do not include it.
    const limited: pg.QueryConfig & { query_timeout: number } = { text, values, query_timeout: this.#parts.silentMs };
    return (await this.#client.query<Row>(limited)).rows;
  }

  /** If the notice cannot be sent, the database has failed, which says nothing about this connection. */
  async sendToSelf(notice: string): Promise<void> {
    await this.#parts.notify(this.#ownChannel, notice);
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  abandon(): void {
    void this.end();
  }
}

function idOf(client: pg.Client): number | null | undefined {
  return (client as pg.Client & { processID?: number | null }).processID;
}

function lostWords({ location }: PostgresAddress, error?: unknown): string {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `The connection to ${location} is lost${code}.`;
}
