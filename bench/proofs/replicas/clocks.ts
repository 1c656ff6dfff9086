import pg from 'pg';
import { startEventServer } from '../../../test/support/servers/event-server.ts';
import { startFleet } from './fleet.ts';
import { addSender } from './mail-load.ts';

const minute = 60_000;

export interface ClockResult {
  mails: number;
  /** Mails that the inbox lists in another order than they were sent in. */
  outOfOrder: number;
  webhooks: number;
  doubledWebhooks: number;
  missingWebhooks: number;
  /** Calls of a living replica that another one took for abandoned. */
  takenCalls: number;
}

/** Three replicas whose clocks differ by ten minutes each send mail and webhooks for one member after the other. */
export async function workWithClocksApart(database: string, mails: number): Promise<ClockResult> {
  const receiver = await startEventServer();
  const config = `
[events.webhooks.audit]
url = "${receiver.url}/"
secret = "a secret for the proof"
events = ["mail.sent"]
`;
  try {
    await using fleet = await startFleet({ database, config, clockShiftsMs: [-10 * minute, 0, 10 * minute] });
    const sender = await addSender(fleet, 'worker-1');
    const sent: string[] = [];
    for (let count = 0; count < mails; count += 1) {
      const id = await sender.send(`mail ${count}`);
      if (id === undefined) throw new Error(`Mail ${count} failed without a fault.`);
      sent.push(id);
    }
    await receiver.requested(mails);
    // Longer than a lease lasts: whoever is taken for gone would be taken over by now.
    await new Promise((resolve) => setTimeout(resolve, 30_000));
    fleet.checkAlive();
    const events = receiver.requests.map(({ body }) => String(JSON.parse(body).data?.mailId));
    const distinct = new Set(events);
    return {
      mails,
      ...(await readStored(database, sent)),
      webhooks: events.length,
      doubledWebhooks: events.length - distinct.size,
      missingWebhooks: sent.filter((id) => !distinct.has(id)).length,
    };
  } finally {
    await receiver.close();
  }
}

async function readStored(
  database: string,
  sent: readonly string[],
): Promise<Pick<ClockResult, 'outOfOrder' | 'takenCalls'>> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      `select id from mails where subject like 'mail %' order by at, id`,
    );
    const escalations = await client.query(`select 1 from mails where subject not like 'mail %'`);
    return {
      outOfOrder: rows.filter(({ id }, index) => id !== sent[index]).length,
      takenCalls: escalations.rowCount ?? 0,
    };
  } finally {
    await client.end();
  }
}
