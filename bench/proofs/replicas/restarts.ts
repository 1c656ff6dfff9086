import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase, startPostgres } from '../../../test/support/databases/postgres.ts';
import { startFleet } from './fleet.ts';
import { addSender, type MailSender } from './mail-load.ts';

export interface RestartResult {
  restarts: number;
  acknowledged: number;
  lost: number;
  errors: number;
  /** The longest time from the server's return until every replica was ready and had stored a mail. */
  slowestReturnMs: number;
}

/** PostgreSQL is restarted under load again and again: killed, shut down at once, and shut down in good order. */
export async function restartUnderLoad(restarts: number): Promise<RestartResult> {
  const server = await startPostgres();
  const database = await createDatabase(server.url);
  try {
    await using fleet = await startFleet({ database });
    const senders = await Promise.all(['worker-1', 'worker-2', 'worker-3'].map((id) => addSender(fleet, id)));
    const work = new MailWork(senders);
    let slowestReturnMs = 0;
    for (let round = 0; round < restarts; round += 1) {
      await setTimeout(300);
      await server.kill((['SIGKILL', 'SIGQUIT', 'SIGINT'] as const)[round % 3] ?? 'SIGKILL');
      await setTimeout(200);
      await server.start();
      const returnedAt = performance.now();
      await fleet.ready();
      // Nothing is sticky: three mails of each sender have met every replica.
      await work.acknowledgedSince(returnedAt, senders.length * 3);
      slowestReturnMs = Math.max(slowestReturnMs, performance.now() - returnedAt);
      fleet.checkAlive();
    }
    await work.end();
    const stored = await storedMails(database);
    return {
      restarts,
      acknowledged: work.acknowledged.length,
      lost: work.acknowledged.filter(({ id }) => !stored.has(id)).length,
      errors: work.errors,
      slowestReturnMs,
    };
  } finally {
    await server.stop();
  }
}

/** Senders that send one mail after the other until the end. */
class MailWork {
  readonly acknowledged: { id: string; at: number }[] = [];
  errors = 0;
  #isOver = false;
  readonly #working: Promise<unknown>;

  constructor(senders: readonly MailSender[]) {
    this.#working = Promise.all(senders.map((sender) => this.#work(sender)));
    this.#working.catch(() => {});
  }

  async acknowledgedSince(time: number, count: number): Promise<void> {
    const since = () => this.acknowledged.filter(({ at }) => at > time).length;
    while (since() < count) await Promise.race([setTimeout(10), this.#working]);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  async #work(sender: MailSender): Promise<void> {
    for (let count = 0; !this.#isOver; count += 1) {
      const id = await sender.send(`mail ${count}`);
      if (id === undefined) this.errors += 1;
      else this.acknowledged.push({ id, at: performance.now() });
    }
  }
}

async function storedMails(database: string): Promise<Set<string>> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ id: string }>('select id from mails');
  await client.end();
  return new Set(rows.map(({ id }) => id));
}
