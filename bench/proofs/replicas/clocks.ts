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
  failedCalls: number;
  /** Calls of a living replica that another one closed in the log. */
  takenCalls: number;
}

/** Calls that run while nothing else happens, and how long: longer than a lease lasts. */
export const slowCalls = 6;
export const slowSeconds = 45;

const slowTool = `tool = { name = "slow", description = "Takes its time.", parameters = {} }
function tool.execute()
  sleep(${slowSeconds})
  return "done"
end
`;

/** What the log says about a call whose process is taken for gone. */
const closedCall = 'ended before its outcome was known';

/** Three replicas on machines whose clocks differ by ten minutes each send mail and webhooks for one member after the other. */
export async function workWithClocksApart(database: string, mails: number): Promise<ClockResult> {
  const receiver = await startEventServer();
  const config = `
[events.webhooks.audit]
url = "${receiver.url}/"
secret = "a secret for the proof"
events = ["mail.sent"]

[tools.script.slow]
path = "slow.lua"
timeout = ${2 * slowSeconds}

[permissions.WORKER]
allow = ["mcp__mail__send", "slow"]

[team]
reconcile_every_secs = 2
`;
  const files = { 'slow.lua': slowTool };
  try {
    await using fleet = await startFleet({ database, config, files, clockShiftsMs: [-10 * minute, 0, 10 * minute] });
    const sender = await addSender(fleet, 'worker-1');
    // Each by the next replica.
    const slow = Promise.allSettled(Array.from({ length: slowCalls }, () => sender.call('slow')));
    const sent: string[] = [];
    for (let count = 0; count < mails; count += 1) {
      const id = await sender.send(`mail ${count}`);
      if (id === undefined) throw new Error(`Mail ${count} failed without a fault.`);
      sent.push(id);
    }
    await receiver.requested(mails);
    // Whoever is taken for gone has been taken over by now.
    const failed = (await slow).filter((outcome) => outcome.status === 'rejected');
    for (const { reason } of failed) process.stdout.write(`  a slow call: ${reason}\n`);
    fleet.checkAlive();
    const { outOfOrder, takenCalls } = await readStored(database, sent);
    const events = receiver.requests.map(({ body }) => String(JSON.parse(body).data?.mailId));
    const distinct = new Set(events);
    return {
      mails,
      outOfOrder,
      takenCalls,
      failedCalls: failed.length,
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
    const log = await client.query<{ entries: string }>('select entries from decision_groups');
    return {
      outOfOrder: rows.filter(({ id }, index) => id !== sent[index]).length,
      takenCalls: log.rows.reduce((sum, { entries }) => sum + entries.split(closedCall).length - 1, 0),
    };
  } finally {
    await client.end();
  }
}
