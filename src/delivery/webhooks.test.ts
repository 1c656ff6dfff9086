import { webcrypto } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testClock } from '../../test/support/databases/test-store.ts';
import { startEventServer, type TestEventServer } from '../../test/support/servers/event-server.ts';
import type { TeamEvent } from '../team/events/deliver-target.ts';
import { type WebhookOptions, webhookSender } from './webhooks.ts';

const event: TeamEvent = {
  id: 'event_1',
  type: 'mail.sent',
  data: { mailId: 'mail_1', toAgentId: null, isForHuman: true, subject: 'Grüße ⚠️' },
  at: '2026-11-15T11:59:00.000Z',
};
const never = new AbortController().signal;

let server: TestEventServer;
beforeAll(async () => {
  server = await startEventServer();
});
afterAll(() => server.close());

it('an event is posted as type, time and data', async () => {
  expect(await send({ url: `${server.url}/hooks?from=zoo` })).toEqual({ isDelivered: true });
  const request = server.requests.at(-1);
  expect(request?.path).toBe('/hooks?from=zoo');
  expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'event_1' });
  expect(JSON.parse(request?.body ?? '')).toEqual({ type: 'mail.sent', timestamp: event.at, data: event.data });
});

describe('the signature', () => {
  it.each([
    { secret: 'plain words as a secret', key: new TextEncoder().encode('plain words as a secret') },
    { secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX', key: Uint8Array.from({ length: 24 }, (_, index) => index) },
  ])('is valid for a receiver that checks it independently with $secret', async ({ secret, key }) => {
    await send({ secret });
    const { headers = {}, body } = server.requests.at(-1) ?? {};
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const [version, signature = ''] = String(headers['webhook-signature']).split(',');
    expect(version).toBe('v1');
    expect(headers['webhook-timestamp']).toBe(String(testClock().time / 1000));
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const imported = await webcrypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
    const verify = (text: string) =>
      webcrypto.subtle.verify('HMAC', imported, Buffer.from(signature, 'base64'), new TextEncoder().encode(text));
    expect(await verify(signed)).toBe(true);
    expect(await verify(`${signed} `)).toBe(false);
  });

  it('needs base64 after whsec_', () => {
    const open = () => sender({ secret: 'whsec_no base64!' });
    expect(open).toThrow('events.webhooks.audit.secret');
    expect(open).not.toThrow('no base64!');
  });
});

describe('the error of a failed delivery says what happened and whether to retry', () => {
  it.each([
    { answer: 500, error: 'Webhook "audit" replied with HTTP 500.', isFinal: false },
    { answer: 404, error: 'Webhook "audit" replied with HTTP 404.', isFinal: false },
    { answer: 410, error: 'Webhook "audit" no longer accepts events (HTTP 410).', isFinal: true },
  ])('$answer', async ({ answer, error, isFinal }) => {
    server.script(answer);
    expect(await send()).toEqual({ isDelivered: false, error, isFinal });
  });

  it('a redirect is not followed', async () => {
    const before = server.requests.length;
    server.script({ status: 307, headers: { location: `${server.url}/elsewhere` } });
    const result = await send();
    expect(result).toMatchObject({ isDelivered: false, isFinal: false });
    expect(result).toHaveProperty('error', expect.stringContaining('HTTP 307. Redirects are not followed'));
    expect(server.requests.length).toBe(before + 1);
  });

  it('a broken connection, a port nobody listens on, and a missing reply', async () => {
    server.script('drop');
    expect(await send()).toMatchObject({ error: expect.stringMatching(/cannot be reached \(\w+\)/), isFinal: false });
    const gone = await startEventServer();
    await gone.close();
    expect(await send({ url: gone.url })).toMatchObject({ error: expect.stringContaining('(ECONNREFUSED)') });
    server.script('hang');
    expect(await send({ timeoutMs: 50 })).toMatchObject({ error: 'Webhook "audit" did not reply within 0.05 s.' });
    server.release();
  });

  it('an aborted delivery returns no result', async () => {
    server.script('hang');
    const before = server.requests.length;
    const giving = new AbortController();
    const sent = sender({})(event, giving.signal);
    await server.requested(before + 1);
    giving.abort(new Error('given up'));
    await expect(sent).rejects.toThrow('given up');
    server.release();
  });
});

it('user name and password in an address are sent as a header and never shown', async () => {
  const url = server.url.replace('http://', 'http://zoo:pa%2Bss@');
  expect(await send({ url })).toEqual({ isDelivered: true });
  const basic = Buffer.from('zoo:pa+ss').toString('base64');
  expect(server.requests.at(-1)?.headers.authorization).toBe(`Basic ${basic}`);
  server.script('drop', 500);
  for (const result of [await send({ url }), await send({ url })]) {
    expect(result).toMatchObject({ isDelivered: false });
    expect(JSON.stringify(result)).not.toMatch(/pa%2Bss|pa\+ss|plain words/);
  }
});

function sender(options: Partial<WebhookOptions>) {
  return webhookSender({
    name: 'audit',
    url: server.url,
    secret: 'plain words as a secret',
    clock: testClock(),
    ...options,
  });
}

function send(options: Partial<WebhookOptions> = {}) {
  return sender(options)(event, never);
}
