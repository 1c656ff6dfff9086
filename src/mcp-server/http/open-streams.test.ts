import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openMcpHub } from '../../../test/support/hubs/mcp-hub.ts';
import { owner } from '../../callers/callers.ts';
import { McpServer } from '../mcp-server.ts';
import type { McpView } from '../view.ts';
import { HttpListeners } from './open-streams.ts';

test('a caller with all subscriptions gives one up to each caller with fewer, and gets no more', async () => {
  const hub = await openMcpHub();
  const server = new McpServer(hub);
  const listeners = new HttpListeners(server);
  const greedy = await server.view({ from: owner });
  const modest = await server.view({
    from: { kind: 'client', id: 'key_1', name: 'Modest', right: 'work', agentId: null },
  });
  const listen = (view: McpView, id: number) => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const params = { notifications: { toolsListChanged: true } };
    listeners.open(view, { kind: 'request', id, method: 'subscriptions/listen', params }, response);
    return response;
  };
  const responses = Array.from({ length: 1_000 }, (_, id) => listen(greedy, id));
  expect(() => listen(greedy, 1_000)).toThrow('Too many subscriptions');
  const ended = () => responses.flatMap(({ writableEnded }, id) => (writableEnded ? id : []));
  expect(ended()).toEqual([]);
  listen(modest, 0);
  listen(modest, 1);
  expect(ended()).toEqual([0, 1]);
  expect(() => listen(greedy, 1_001)).toThrow('Too many subscriptions');
  listeners.close();
  expect(ended()).toHaveLength(1_000);
  server.close();
  await hub.close();
});
