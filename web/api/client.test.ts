import { afterEach, expect, it, vi } from 'vitest';
import { type QueryOf, request, urlOf } from './client.ts';

it.each([
  [
    urlOf('GET /api/chats/{id}/events', { params: { id: 'a b/c?' }, query: { after: 7 } }),
    '/api/chats/a%20b%2Fc%3F/events?after=7',
  ],
  [
    urlOf('GET /api/mail', { query: { all: true, text: 'a&b', cursor: null, limit: undefined } }),
    '/api/mail?all=true&text=a%26b',
  ],
  [urlOf('GET /api/status', {}), '/api/status'],
])('an address is %s', (made, expected) => {
  expect(made).toBe(expected);
});

it('a request outside its contract does not compile', () => {
  const never = () => [
    // @ts-expect-error: no such operation
    request('GET /api/nothing'),
    // @ts-expect-error: the id is missing
    request('GET /api/agents/{id}'),
    // @ts-expect-error: another parameter
    request('GET /api/agents/{id}', { params: { name: 'x' } }),
    // @ts-expect-error: the body is missing
    request('POST /api/mail'),
    // @ts-expect-error: a field of the body is missing
    request('POST /api/mail', { body: { toAgentId: 'x', subject: 'y' } }),
    // @ts-expect-error: takes no If-Match
    request('GET /api/status', { ifMatch: 3 }),
    // @ts-expect-error: a required part of the query is missing
    request('GET /api/decisions/counts', { query: { step: 1 } }),
    // @ts-expect-error: not a kind
    { kind: 'dream' } satisfies QueryOf<'GET /api/decisions'>,
  ];
  expect(never).toBeTypeOf('function');
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('a request that only reads ends when the hub does not reply', async () => {
  const timeout = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal);
  vi.stubGlobal(
    'fetch',
    (_: string, { signal }: RequestInit) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  );
  const reply = request('GET /api/status');
  timeout.abort();
  await expect(reply).rejects.toMatchObject({ code: 'unreachable', message: expect.stringContaining('not replied') });
});

it('a reply that breaks off is an error, and one without a body is not', async () => {
  const json = { status: 200, headers: { 'content-type': 'application/json' } };
  const replies = [new Response('{"agents": [', json), new Response(null, { status: 204 })];
  vi.stubGlobal('fetch', async () => replies.shift());
  await expect(request('GET /api/status')).rejects.toMatchObject({ code: 'unreachable' });
  expect(await request('DELETE /api/agents/{id}', { params: { id: 'x' } })).toBeUndefined();
});
