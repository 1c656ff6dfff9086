import { afterEach, describe, expect, it } from 'vitest';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
afterEach(() => zoo.end());

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

describe('[server] anonymous', () => {
  it.each([
    ['none', { list: 401, mcp: 401, scoped: 401, claimed: 403, chats: 401, manage: 401 }],
    ['use', { list: 200, mcp: 200, scoped: 200, claimed: 200, chats: 401, manage: 401 }],
    ['work', { list: 200, mcp: 200, scoped: 200, claimed: 200, chats: 200, manage: 401 }],
  ] as const)('= "%s" decides what callers without a key may do', async (anonymous, expected) => {
    zoo = await serveTestHub({ anonymous });
    await zoo.call('POST', '/api/agents', { body: { name: 'Keeper' } });
    await zoo.call('POST', '/api/team/members', { body: { id: 'w', withToken: false } });
    const status = async (method: string, path: string, body?: object) => {
      const sent = body && { body, headers: { accept: 'application/json, text/event-stream' } };
      return (await zoo.call(method, path, { ...sent, isAnonymous: true })).status;
    };
    const found = {
      list: await status('GET', '/agents/list'),
      mcp: await status('POST', '/mcp', initialize),
      scoped: await status('POST', '/mcp?agent=keeper', initialize),
      claimed: await status('POST', '/mcp/execute', { agentId: 'w', toolName: 'mcp__mail__list_inbox', input: {} }),
      chats: await status('GET', '/api/chats'),
      manage: await status('DELETE', '/api/agents/keeper'),
    };
    expect(found).toEqual(expected);
  });
});

it('a client with a key is no member, even before any member has had a token', async () => {
  zoo = await serveTestHub();
  await zoo.call('POST', '/api/team/members', { body: { id: 'w', withToken: false } });
  const { secret } = await zoo.hub.callers.createKey({ name: 'Cursor' });
  const body = { agentId: 'w', toolName: 'mcp__mail__list_inbox', input: {} };
  const execute = async (headers: Record<string, string>) =>
    (await zoo.call('POST', '/mcp/execute', { body, headers, isAnonymous: true })).status;
  expect(await execute({})).toBe(200);
  expect(await execute({ authorization: `Bearer ${secret}` })).toBe(403);
});
