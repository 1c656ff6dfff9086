import { expect, test } from 'vitest';
import { openMcpHub } from '../../test/support/mcp-hub.ts';
import { HttpSessions } from './http-sessions.ts';
import { McpServer } from './mcp-server.ts';

test('a session that nobody used for half an hour is forgotten, one with a running call is not', async () => {
  const hub = await openMcpHub();
  const server = new McpServer(hub);
  const view = await server.view(undefined);
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

test('a closed server listens to nothing any more', async () => {
  const hub = await openMcpHub();
  const before = hub.agents.changes.size;
  const server = new McpServer(hub);
  const sessions = new HttpSessions();
  const session = sessions.create(server, await server.view(undefined));
  expect(hub.tools.changes.size).toBe(1);
  sessions.delete(session);
  expect(hub.tools.changes.size).toBe(0);
  server.close();
  expect(hub.agents.changes.size).toBe(before);
  await hub.close();
});
