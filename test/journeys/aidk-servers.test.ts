import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  COM,
  createMCPToolFromDefinition,
  discoverMCPTools,
  Engine,
  MCPClient,
  type MCPConfig,
  MCPService,
  MCPTool,
  normalizeMCPConfig,
} from '../../src/index.ts';
import { call, finish, say, scriptedModel } from '../support/models/scripted-model.ts';

const changing = resolve(import.meta.dirname, '../support/servers/changing-server.ts');
let folder: string;
let config: MCPConfig;
let client: MCPClient;
let service: MCPService;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-zoo-aidk-')));
  config = {
    serverName: 'changing',
    transport: 'stdio',
    connection: { command: process.execPath, args: [changing, folder] },
  };
  client = new MCPClient();
  service = new MCPService(client);
});

afterEach(async () => {
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

async function pids(): Promise<number[]> {
  return (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n').map(Number);
}

describe("a program that uses AIDK's MCP classes", () => {
  it('connects, lists and disconnects with MCPService', async () => {
    const connection = await service.connect(config);
    expect(connection.getServerVersion()).toMatchObject({ name: 'changing' });
    expect((await service.listTools('changing')).map(({ name }) => name)).toContain('count');
    await service.disconnect('changing');
    await expect(service.listTools('changing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await service.connect(config);
    await service.disconnectAll();
    expect(client.serverNames).toEqual([]);
    for (const pid of await pids()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('removes the tools and ends the server with disconnectAndUnregister', async () => {
    const com = new COM();
    await service.discoverAndRegister(config, com);
    expect(com.getTools().length).toBeGreaterThan(0);
    await service.disconnectAndUnregister('changing', com);
    expect(com.getTools()).toEqual([]);
    expect(client.isConnected('changing')).toBe(false);
  });

  it('uses the connection of getClient like the client of the SDK', async () => {
    expect(client.getClient('changing')).toBeUndefined();
    await client.connect(config);
    const connection = client.getClient('changing') ?? expect.fail();
    expect((await connection.listTools()).tools.map(({ name }) => name)).toContain('append');
    expect(await connection.callTool({ name: 'append', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: 'append' }],
    });
    await expect(connection.request({ method: 'resources/list' })).rejects.toMatchObject({
      message: expect.stringContaining('no resources/list'),
    });
    await connection.close();
    expect(client.getClient('changing')).toBeUndefined();
  });

  it("finds a tool's server in metadata.mcpConfig", async () => {
    const com = new COM();
    await service.discoverAndRegister(config, com);
    const ofServer = com.getTools().filter(({ metadata }) => metadata.mcpConfig?.serverName === 'changing');
    expect(ofServer).toHaveLength(com.getTools().length);
    const definition = { name: 'x', description: '', inputSchema: { type: 'object' as const } };
    const tool = new MCPTool(client, 'api', definition, {
      serverName: 'api',
      serverUrl: 'https://a.example/mcp',
      transport: 'sse',
    });
    expect(tool.metadata.mcpConfig).toEqual({
      serverName: 'api',
      serverUrl: 'https://a.example/mcp',
      transport: 'sse',
    });
  });

  it('passes the tools of discoverMCPTools to an engine', async () => {
    const tools = await discoverMCPTools({ config, client, toolPrefix: 'fs_', include: ['append', 'count'] });
    expect(tools.map(({ metadata }) => metadata.name)).toEqual(['fs_append', 'fs_count']);
    const model = scriptedModel([
      [call('1', 'fs_append'), finish('tool-calls')],
      [say('done'), finish()],
    ]);
    await using engine = new Engine({ model });
    const result = await engine.execute({ messages: [{ role: 'user', content: 'Go' }], tools });
    expect(result.messages[1]?.content).toMatchObject([{ isError: false, content: [{ text: 'append' }] }]);
    expect(await readFile(join(folder, 'calls'), 'utf8')).toBe('append\n');
    const others = await discoverMCPTools({ config, client, include: [], exclude: ['append*'] });
    expect(others.map(({ metadata }) => metadata.name)).toEqual(['grow', 'shrink', 'change', 'count']);
  });

  it('creates a tool from a definition, under another name', async () => {
    const definitions = await service.connectAndDiscover(config);
    const definition = definitions.find(({ name }) => name === 'append') ?? expect.fail();
    const tool = createMCPToolFromDefinition({ client, config, definition, name: 'write' });
    expect(tool.metadata.name).toBe('write');
    expect(await tool.run({})).toEqual([{ type: 'text', text: 'append' }]);
  });

  it('normalizes the short form of a config', () => {
    expect(normalizeMCPConfig('files', { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } })).toEqual({
      serverName: 'files',
      transport: 'stdio',
      connection: { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } },
    });
    expect(normalizeMCPConfig('files', { command: 'npx' }).connection).toEqual({ command: 'npx', args: [] });
    expect(normalizeMCPConfig('api', { url: 'https://a.example/sse', headers: { a: 'b' }, include: ['x'] })).toEqual({
      serverName: 'api',
      transport: 'sse',
      connection: { url: 'https://a.example/sse', headers: { a: 'b' } },
      include: ['x'],
    });
    expect(normalizeMCPConfig('other', config)).toEqual(config);
    expect(() => normalizeMCPConfig('x', {})).toThrow('MCP server "x": needs "command" or "url"');
  });

  it('sends an API key that is written as a token', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers);
      response.writeHead(403).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const warnings: string[] = [];
    client.on((event) => event.type === 'warning' && warnings.push(event.message));
    const api: MCPConfig = {
      serverName: 'api',
      transport: 'websocket',
      connection: { command: undefined, args: undefined, url, retries: 3 },
      auth: { type: 'api_key', token: 'secret-1', region: 'eu' },
    };
    await expect(client.connect(api)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(seen[0]?.['x-api-key']).toBe('secret-1');
    expect(warnings).toEqual([
      'MCP server "api": retries: is unknown and ignored',
      'MCP server "api": auth.region: is not used for type "api_key" and is ignored',
    ]);
    server.close();
  });

  it.each<[string, object, string]>([
    ['no command', { connection: {} }, 'command: is required'],
    ['a command that is no text', { connection: { command: 5 } }, 'connection.command: '],
    ['arguments that are no list', { connection: { command: 'x', args: 'y' } }, 'connection.args: '],
    ['an undefined variable', { connection: { command: 'x', env: { A: undefined } } }, 'connection.env.A: is required'],
    ['no connection', { connection: null }, 'connection: '],
    ['an unknown transport', { transport: 'pigeon' }, 'transport: '],
    ['bearer without a token', { auth: { type: 'bearer' } }, 'auth.token: is required for type "bearer"'],
    ['api_key without a token', { auth: { type: 'api_key' } }, 'auth.token: is required for type "api_key"'],
    ['custom without headers', { auth: { type: 'custom', token: 't' } }, 'auth.headers: is required for type "custom"'],
    ['an unknown type of auth', { auth: { type: 'basic' } }, 'auth.type: must be bearer, api-key, headers or oauth'],
  ])('is told the field and the rule for %s', async (_, changes, message) => {
    await expect(client.connect({ ...config, ...changes } as MCPConfig)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`MCP server "changing": ${message}`),
    });
  });
});
