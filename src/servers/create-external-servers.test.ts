import { expect, it } from 'vitest';
import { remoteTool, ScriptedServer, TestConfig, testServers } from '../../test/support/test-servers.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { silentToolClient } from '../tools/tool-client.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';

const stdio = { transport: 'stdio', command: 'node' } as const;

function names(registry: ToolRegistry): string[] {
  return registry.list().map(({ name }) => name);
}

function context(): ToolContext {
  return {
    caller: { surface: 'cli' },
    callId: 'call_1',
    signal: new AbortController().signal,
    traceparent: '',
    idempotencyKey: undefined,
    client: silentToolClient,
  };
}

async function run(registry: ToolRegistry, name: string, input: object = {}) {
  const tool = registry.find(name) as Tool;
  return tool.run(tool.parse(input), context());
}

it('a server that is added is connected at once, and its tools are in the registry', async () => {
  const files = new ScriptedServer(remoteTool('read'), remoteTool('write'));
  const { servers, registry, settled } = testServers({ files });
  await servers.refresh();
  expect((await servers.add('files', stdio)).state.kind).toBe('connecting');
  await settled('files', 'connected');
  expect(names(registry)).toEqual(['mcp__files__read', 'mcp__files__write']);
  expect(await run(registry, 'mcp__files__read', { path: 'x' })).toMatchObject({
    content: [{ type: 'text', text: 'read ran' }],
  });
  expect(files.calls).toMatchObject([{ tool: 'read', input: { path: 'x' } }]);
  await servers.close();
  expect(files.open).toEqual([]);
  expect(names(registry)).toEqual([]);
});

it('what was accepted is listed without a connection; the first call connects', async () => {
  const files = new ScriptedServer(remoteTool('read'));
  const config = new TestConfig();
  config.set({ files: { command: 'node' } });
  const first = testServers({ files }, { config });
  await first.servers.refresh();
  await first.settled('files', 'connected');
  await first.servers.close();

  const { servers, registry } = testServers({ files }, { config, store: first.store });
  await servers.refresh();
  expect(names(registry)).toEqual(['mcp__files__read']);
  expect(servers.get('files').state).toEqual({ kind: 'idle' });
  expect(files.attempts).toHaveLength(1);
  await run(registry, 'mcp__files__read');
  expect(servers.get('files').state.kind).toBe('connected');
  expect(servers.get('files').stats).toEqual({ calls: 1, errors: 0, reconnects: 0 });
  await servers.close();
});
