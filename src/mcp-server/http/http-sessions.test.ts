import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { newTestDatabase, type TestDatabase } from '../../../test/support/databases/test-database.ts';
import { openMcpHub } from '../../../test/support/hubs/mcp-hub.ts';
import { owner } from '../../callers/callers.ts';
import type { Hub } from '../../hub.ts';
import { McpServer } from '../mcp-server.ts';
import { sessionKey } from '../sessions/session-key.ts';
import { HttpSessions } from './http-sessions.ts';

const client = { version: '2025-11-25', capabilities: {} };

function sessionsOf(hub: Hub, server: McpServer): HttpSessions {
  const { store, logger } = hub;
  const { mcpSessions, changes } = store;
  return new HttpSessions({ server, store: mcpSessions, changes, logger, key: () => sessionKey(hub), run: () => {} });
}

/** Opens a hub that shares its database, with its sessions. */
async function openSharing(db: TestDatabase['db']) {
  const hub = await openMcpHub({ db });
  const server = new McpServer(hub);
  const sessions = sessionsOf(hub, server);
  return {
    hub,
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
