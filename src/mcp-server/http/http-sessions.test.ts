import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { newTestDatabase, type TestDatabase } from '../../../test/support/databases/test-database.ts';
import { openMcpHub } from '../../../test/support/hubs/mcp-hub.ts';
import { owner } from '../../callers/callers.ts';
import type { Hub } from '../../hub.ts';
import { McpServer } from '../mcp-server.ts';
import { notificationText, type RpcRequest, resultText } from '../protocol/protocol.ts';
import { sessionKey } from '../sessions/session-key.ts';
import { messageEvent } from './event-stream.ts';
import { ReplySink } from './http-exchange.ts';
import type { HttpSessionParts } from './http-session.ts';
import { HttpSessions } from './http-sessions.ts';

const client = { version: '2025-11-25', capabilities: {} };
const call: RpcRequest = { kind: 'request', id: 'booking', method: 'tools/call', params: {} };

/** Returns the sessions of a hub, which leave forwarded calls without a reply unless `run` handles them. */
function sessionsOf(hub: Hub, server: McpServer, run: HttpSessionParts['run'] = () => {}): HttpSessions {
  const { store, logger } = hub;
  const { mcpSessions, changes } = store;
  return new HttpSessions({ server, store: mcpSessions, changes, logger, key: () => sessionKey(hub), run });
}

/** Opens a hub that shares its database, with its sessions. */
async function openSharing(db: TestDatabase['db'], run?: HttpSessionParts['run']) {
  const hub = await openMcpHub({ db });
  const server = new McpServer(hub);
  const sessions = sessionsOf(hub, server, run);
  return {
    hub,
    server,
    process: hub.store.mcpSessions.process(),
    sessions,
    view: await server.view({ from: owner }),
    async [Symbol.asyncDispose]() {
      await sessions.close();
      server.close();
      await hub.close();
    },
  };
}

test('a session that nobody used for half an hour is forgotten until its client returns, one with a running call is not', async () => {
  const hub = await openMcpHub();
  const server = new McpServer(hub);
  const view = await server.view({ from: owner });
  const sessions = sessionsOf(hub, server);
  const idle = await sessions.create(view, client);
  const busy = await sessions.create(view, client);
  busy.running.set(1, Object.create(null));
  sessions.expire(Date.now() + 29 * 60_000);
  expect(sessions.all()).toHaveLength(2);
  sessions.expire(Date.now() + 31 * 60_000);
  expect(sessions.all()).toEqual([busy]);
  expect(sessions.find(idle.token, view)).toBeUndefined();
  expect(await sessions.adopt(idle.token, view)).toMatchObject({ id: idle.id, token: idle.token });
  busy.running.delete(1);
  await sessions.close();
  server.close();
  await hub.close();
});

test('the end of a session does not wait for the process that began it and has forgotten it', async () => {
  const { db } = await newTestDatabase('sqlite');
  await using began = await openSharing(db);
  await using continued = await openSharing(db);
  const { token, id } = await began.sessions.create(began.view, client);
  began.sessions.expire(Date.now() + 31 * 60_000);
  const session = await continued.sessions.adopt(token, continued.view);
  await continued.sessions.end(session);
  expect(await continued.hub.store.mcpSessions.others(id)).toEqual([]);
});

test('a process that only hears that a session has ended is not waited for', async () => {
  const { db } = await newTestDatabase('sqlite');
  await using began = await openSharing(db);
  await using late = await openSharing(db);
  const session = await began.sessions.create(began.view, client);
  await began.sessions.end(session);
  await expect(late.sessions.adopt(session.token, late.view)).rejects.toThrow('This session has ended.');
  await expect.poll(() => began.hub.store.mcpSessions.others(session.id)).toEqual([]);
});

test('a cancellation goes only to the processes that know the session, and one with an endless id to none', async () => {
  const { db } = await newTestDatabase('sqlite');
  await using began = await openSharing(db);
  await using continued = await openSharing(db);
  await using stranger = await openSharing(db);
  const here = await began.sessions.create(began.view, client);
  const there = await continued.sessions.adopt(here.token, continued.view);
  const endless = 'x'.repeat(201);
  const run = (requestId: string | number) => {
    const abort = new AbortController();
    there.running.set(requestId, Object.assign(Object.create(null), { abort }));
    return abort.signal;
  };
  const signals = [run(endless), run(7)];
  for (const requestId of [endless, 'unknown', 7])
    await here.take({ kind: 'notification', method: 'notifications/cancelled', params: { requestId } });
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  expect((await stranger.hub.store.mcpSessions.receive()).messages).toEqual([]);
  there.running.delete(endless);
  there.running.delete(7);
});

test('a caller with all sessions, all busy, gives one up to each caller with fewer, and gets no more', async () => {
  const hub = await openMcpHub();
  const server = new McpServer(hub);
  const sessions = sessionsOf(hub, server);
  const clientOf = (id: string) => ({ kind: 'client', id, name: id, right: 'work', agentId: null }) as const;
  const [greedy, modest] = [await server.view({ from: owner }), await server.view({ from: clientOf('key_1') })];
  const aborted: string[] = [];
  const busy = async (view: typeof greedy) => {
    const session = await sessions.create(view, client);
    session.running.set(1, Object.assign(Object.create(null), { abort: { abort: () => aborted.push(session.id) } }));
    return session;
  };
  const all = [];
  for (let count = 0; count < 1_000; count += 1) all.push(await busy(greedy));
  await expect(sessions.create(greedy, client)).rejects.toMatchObject({ status: 503 });
  // A session without a running call is the first to go.
  const [first, second, idle] = all;
  idle?.running.delete(1);
  Object.defineProperty(idle?.stream, 'isConnected', { value: true });
  for (const lost of [idle, first, second]) {
    await busy(modest);
    expect(sessions.all()).toHaveLength(1_000);
    expect(sessions.all()).not.toContain(lost);
  }
  expect(aborted).toEqual([first?.id, second?.id]);
  await expect(sessions.create(greedy, client)).rejects.toMatchObject({ status: 503 });
  await sessions.close();
  server.close();
  await hub.close();
});

test('a session whose call runs in another process gives way only after one that just has its stream open', async () => {
  const { db } = await newTestDatabase('sqlite');
  await using here = await openSharing(db);
  await using other = await openSharing(db);
  const working = await here.sessions.create(here.view, client);
  await other.sessions.adopt(working.token, other.view);
  await working.forward(new ReplySink(() => {}), call, other.process);
  const reading = await here.sessions.create(here.view, client);
  Object.defineProperty(reading.stream, 'isConnected', { value: true });
  for (let count = 2; count < 1_000; count += 1) {
    const session = await here.sessions.create(here.view, client);
    session.running.set(1, Object.assign(Object.create(null), { abort: { abort: () => {} } }));
  }
  const key = { kind: 'client', id: 'key_1', name: 'key_1', right: 'work', agentId: null } as const;
  await here.sessions.create(await here.server.view({ from: key }), client);
  expect(here.sessions.all()).toContain(working);
  expect(here.sessions.all()).not.toContain(reading);
});

describe('the reply to a forwarded call whose client accepts no events', () => {
  const lostCall = { id: 'booking', error: { data: { code: 'UNAVAILABLE', retryable: false } } };
  const never = new AbortController().signal;

  test.each(['before the call has arrived', 'while the call runs'])(
    'is an error if its session is forgotten %s',
    async (when) => {
      const { db } = await newTestDatabase('sqlite');
      const running = Promise.withResolvers<void>();
      await using here = await openSharing(db);
      await using other = await openSharing(db, () => running.resolve());
      const session = await here.sessions.create(here.view, client);
      const there = await other.sessions.adopt(session.token, other.view);
      const home = await there.home();
      const reply = session.askElsewhere(call, other.process, never);
      if (when === 'while the call runs') await running.promise;
      here.sessions.forget(session);
      expect(JSON.parse(await reply)).toMatchObject(lostCall);
      expect(await session.home()).toBe(home);
    },
  );

  test.each([
    ['is an error if its stream ends after a notification', [], lostCall],
    ['is the result that its stream ends with', [resultText('booking', '{}')], { id: 'booking', result: {} }],
  ])('%s', async (_title, results, reply) => {
    const { db } = await newTestDatabase('sqlite');
    await using here = await openSharing(db);
    await using other = await openSharing(db, (_session, _request, sink) => {
      const progress = notificationText('notifications/progress', { progress: 1 });
      for (const [index, text] of [progress, ...results].entries())
        sink.write(messageEvent(undefined, index + 1, text));
      sink.end();
    });
    const session = await here.sessions.create(here.view, client);
    await other.sessions.adopt(session.token, other.view);
    expect(JSON.parse(await session.askElsewhere(call, other.process, never))).toMatchObject(reply);
  });
});

test('a closed server no longer listens to changes', async () => {
  const hub = await openMcpHub();
  const before = hub.agents.changes.size;
  const server = new McpServer(hub);
  const sessions = sessionsOf(hub, server);
  const session = await sessions.create(await server.view({ from: owner }), client);
  expect(hub.tools.changes.size).toBe(1);
  sessions.forget(session);
  expect(hub.tools.changes.size).toBe(0);
  server.close();
  expect(hub.agents.changes.size).toBe(before);
  await hub.close();
});

test('a client that comes and goes leaves only its newest streams behind', async () => {
  const hub = await openMcpHub();
  const mcp = new McpServer(hub);
  const sessions = sessionsOf(hub, mcp);
  const session = await sessions.create(await mcp.view({ from: owner }), client);
  const lost: Promise<void>[] = [];
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    void session.stream.open(response);
    responses.push(response);
    lost.push(new Promise((resolve) => response.once('close', resolve)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port always has an address of this kind.
  const { port } = server.address() as AddressInfo;
  for (let index = 0; index < 40; index += 1) {
    const leaving = new AbortController();
    await fetch(`http://127.0.0.1:${port}`, { signal: leaving.signal });
    leaving.abort();
    await lost.at(-1);
  }
  const [response] = responses;
  if (!response) throw new Error('Nobody came.');
  const first = `${hub.store.mcpSessions.process()}.g1-0`;
  await expect(session.resume(response, first)).rejects.toThrow('can be resumed');
  await sessions.close();
  mcp.close();
  server.close();
  await hub.close();
});
