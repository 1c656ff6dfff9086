import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openMcpHub } from '../../../test/support/hubs/mcp-hub.ts';
import { owner } from '../../callers/callers.ts';
import { McpServer } from '../mcp-server.ts';
import { HttpSessions } from './http-sessions.ts';

test('a session that nobody used for half an hour is forgotten, one with a running call is not', async () => {
  const hub = await openMcpHub();
  const server = new McpServer(hub);
  const view = await server.view({ from: owner });
  const sessions = new HttpSessions();
  const idle = sessions.create(server, view);
  const busy = sessions.create(server, view);
  busy.running.set(1, Object.create(null));
  sessions.expire(Date.now() + 29 * 60_000);
  expect(sessions.all()).toHaveLength(2);
  sessions.expire(Date.now() + 31 * 60_000);
  expect(sessions.all()).toEqual([busy]);
  expect(() => sessions.get(idle.id)).toThrow('initialize');
  server.close();
  await hub.close();
});

test('a closed server no longer listens to changes', async () => {
  const hub = await openMcpHub();
  const before = hub.agents.changes.size;
  const server = new McpServer(hub);
  const sessions = new HttpSessions();
  const session = sessions.create(server, await server.view({ from: owner }));
  expect(hub.tools.changes.size).toBe(1);
  sessions.delete(session);
  expect(hub.tools.changes.size).toBe(0);
  server.close();
  expect(hub.agents.changes.size).toBe(before);
  await hub.close();
});

test('a client that comes and goes leaves only its newest streams behind', async () => {
  const hub = await openMcpHub();
  const mcp = new McpServer(hub);
  const session = new HttpSessions().create(mcp, await mcp.view({ from: owner }));
  session.peer.version = '2025-11-25';
  const lost: Promise<void>[] = [];
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    session.listen(response);
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
  expect(() => session.resume(response, 's1-0')).toThrow('can be resumed');
  session.close();
  mcp.close();
  server.close();
  await hub.close();
});
