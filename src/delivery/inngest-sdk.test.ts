import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inngest } from 'inngest';
import { serve } from 'inngest/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEventServer, type TestEventServer } from '../../test/support/servers/event-server.ts';
import { inngestSender } from './inngest.ts';

const event = {
  id: 'event_1',
  type: 'mail.sent',
  data: { mailId: 'mail_1', to: ['WORKER'], subject: 'Größe: 3 €' },
  at: '2026-11-15T12:00:00.000Z',
};
const never = new AbortController().signal;
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const signingKey = 'signkey-test-0123456789abcdef';

let receiver: TestEventServer;
beforeAll(async () => {
  receiver = await startEventServer();
});
afterAll(() => receiver.close());

it("our request is the one that Inngest's own client makes", async () => {
  await inngestSender({ url: receiver.url, eventKey: 'a key' })(event, never);
  const theirs = new Inngest({ id: 'app', isDev: false, baseUrl: receiver.url, eventKey: 'a key' });
  receiver.script({ status: 200, headers: {}, body: JSON.stringify({ ids: [event.id], status: 200 }) });
  await theirs.send({ id: event.id, name: event.type, data: event.data, ts: Date.parse(event.at) });

  const [ours, client] = receiver.requests;
  expect(client?.path).toBe(ours?.path);
  expect(client?.headers['content-type']).toBe(ours?.headers['content-type']);
  // Their client posts a list of events; the API accepts one event without the list.
  expect(JSON.parse(client?.body ?? '')).toEqual([JSON.parse(ours?.body ?? '')]);
});

it("our event reaches the code of a function behind Inngest's handler, and only with a valid signature", async () => {
  await inngestSender({ url: receiver.url, eventKey: 'key' })(event, never);
  const posted = JSON.parse(receiver.requests.at(-1)?.body ?? '') as Record<string, unknown>;

  const seen: unknown[] = [];
  const client = new Inngest({ id: 'app', isDev: false, signingKey, eventKey: 'key', baseUrl: receiver.url, logger });
  const onMail = client.createFunction(
    { id: 'on-mail', triggers: [{ event: 'mail.sent' }] },
    async ({ event: given }) => {
      seen.push(given);
      return { read: given.data.mailId };
    },
  );
  const server = createServer(serve({ client, functions: [onMail] }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    // The body that Inngest's executor sends for the first attempt of a run.
    const body = canonical({
      version: 2,
      event: posted,
      events: [posted],
      steps: {},
      ctx: { run_id: 'run_1', fn_id: 'app-on-mail', attempt: 0, use_api: false, stack: { stack: [], current: 0 } },
    });
    const call = (signature: string) =>
      fetch(`http://127.0.0.1:${port}/api/inngest?fnId=app-on-mail&stepId=step`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-inngest-signature': signature },
        body,
      });

    const forged = await call(sign(body, 'signkey-test-fedcba9876543210'));
    expect(forged.status).toBe(401);
    expect(seen).toEqual([]);

    const reply = await call(sign(body, signingKey));
    expect(await reply.json()).toMatchObject([{ op: 'RunComplete', data: { read: 'mail_1' } }]);
    expect(seen).toEqual([{ id: 'event_1', name: 'mail.sent', data: event.data, ts: Date.UTC(2026, 10, 15, 12) }]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Signs a canonical body as Inngest does: with the key without its prefix, over the body and the time. */
function sign(body: string, key: string): string {
  const time = Math.floor(Date.now() / 1_000).toString();
  const hmac = createHmac('sha256', key.replace(/^signkey-\w+-/, ''))
    .update(body)
    .update(time);
  return `t=${time}&s=${hmac.digest('hex')}`;
}

/** Writes JSON with sorted keys, over which Inngest computes signatures. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([left], [right]) => (left < right ? -1 : 1)))
      : each,
  );
}
