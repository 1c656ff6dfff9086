import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEventServer, type TestEventServer } from '../../test/support/servers/event-server.ts';
import { inngestSender } from './inngest.ts';

const event = { id: 'event_1', type: 'mail.sent', data: { mailId: 'mail_1' }, at: '2026-11-15T12:00:00.000Z' };
const never = new AbortController().signal;

let server: TestEventServer;
beforeAll(async () => {
  server = await startEventServer();
});
afterAll(() => server.close());

it('an event goes to the address with its key, with an id so that it runs only once', async () => {
  const send = inngestSender({ url: `${server.url}/`, eventKey: 'key/1' });
  expect(await send(event, never)).toEqual({ isDelivered: true });
  expect(server.requests[0]?.path).toBe('/e/key%2F1');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    id: 'event_1',
    name: 'mail.sent',
    data: { mailId: 'mail_1' },
    ts: Date.UTC(2026, 10, 15, 12),
  });
});

it('an error does not contain the key', async () => {
  const send = inngestSender({ url: server.url, eventKey: 'secret-key' });
  server.script(401, 'drop');
  expect(await send(event, never)).toEqual({
    isDelivered: false,
    error: 'Inngest replied with HTTP 401.',
    isFinal: false,
  });
  expect(JSON.stringify(await send(event, never))).not.toContain('secret-key');
});
