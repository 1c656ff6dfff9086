import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContextObjectModel } from '../../engine/context-object-model.ts';
import { MCPClient, type MCPClientEvent } from './mcp-client.ts';
import type { MCPConfig } from './mcp-config.ts';
import { MCPService } from './mcp-service.ts';

const program = resolve(import.meta.dirname, '../../../test/support/servers/changing-server.ts');
const all = ['append', 'append-and-exit', 'grow', 'shrink', 'change', 'count'];
let folder: string;
let client: MCPClient;
let service: MCPService;
let com: ContextObjectModel;
let config: MCPConfig;
let events: MCPClientEvent[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-zoo-service-'));
  client = new MCPClient();
  service = new MCPService(client);
  com = new ContextObjectModel();
  config = { serverName: 'changing', connection: { command: process.execPath, args: [program, folder] } };
  events = [];
  client.on((event) => events.push(event));
});

afterEach(async () => {
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

const namesIn = (context: ContextObjectModel) => context.getTools().map(({ metadata }) => metadata.name);
const warnings = () => events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));

/** Waits until the service has read the change that the call caused. */
async function callAndWait(name: string, isDone: () => boolean): Promise<void> {
  await client.callTool('changing', name);
  await expect.poll(isDone).toBe(true);
}

describe('discovery', () => {
  it('returns the tools as the server lists them', async () => {
    const tools = await service.connectAndDiscover(config);
    expect(JSON.stringify(tools)).toBe(JSON.stringify(await client.listTools('changing')));
  });

  it('applies filters of service and config, then prefix, then transformers of both', async () => {
    service = new MCPService(client, {
      exclude: ['append*'],
      transformers: [{ transform: (tool) => ({ ...tool, description: `first ${tool.name}` }) }],
    });
    const tools = await service.connectAndDiscover({
      ...config,
      include: ['append', 'grow', 'count'],
      prefix: 'c_',
      transformers: [
        {
          transform: (tool) =>
            tool.name === 'c_grow' ? null : { ...tool, description: `${tool.description}, second` },
        },
      ],
    });
    expect(tools.map(({ name, description }) => [name, description])).toEqual([['c_count', 'first c_count, second']]);
  });
});

describe('registration', () => {
  it('adds all tools, names their server, and removes them again', async () => {
    const other = new ContextObjectModel();
    await service.discoverAndRegister(config, com);
    await service.discoverAndRegister({ ...config, prefix: 'x_' }, other);
    expect(namesIn(com)).toEqual(all);
    expect(service.toolToServer).toEqual(
      new Map([...all, ...all.map((name) => `x_${name}`)].map((name) => [name, 'changing'])),
    );
    service.unregister('changing', other);
    expect([namesIn(com), namesIn(other)]).toEqual([all, []]);
    service.unregister('changing');
    expect([namesIn(com), service.toolToServer.size]).toEqual([[], 0]);
    expect(client.isConnected('changing')).toBe(true);
  });

  it('repeated, updates the context without duplicates', async () => {
    await service.discoverAndRegister(config, com);
    await service.discoverAndRegister(config, com);
    expect(namesIn(com)).toEqual(all);
  });

  it('with a taken name is refused as a whole, and the error names both owners', async () => {
    await service.discoverAndRegister(config, com);
    const twin = { ...config, serverName: 'twin', include: ['count', 'grow'] };
    await expect(service.discoverAndRegister(twin, com)).rejects.toMatchObject({
      code: 'CONFLICT',
      message:
        'Two tools are called "grow": one from server changing, one from server twin. Give one of them another name or prefix.',
    });
    expect(com.getTools().filter(({ metadata }) => metadata.serverName === 'twin')).toEqual([]);
    expect(namesIn(com)).toEqual(all);
    await service.discoverAndRegister({ ...twin, prefix: 'twin_' }, com);
    expect(namesIn(com)).toEqual([...all, 'twin_grow', 'twin_count']);
  });

  it('of a single tool ignores the filters', async () => {
    const [tool] = await service.connectAndDiscover(config);
    if (!tool) throw new Error('The server has no tools');
    const registered = service.registerMCPTool({ ...config, exclude: ['*'] }, { ...tool, name: 'mine' }, com);
    expect(namesIn(com)).toEqual(['mine']);
    expect(registered.remoteName).toBe('append');
    expect(() => service.registerMCPTool(config, { ...tool, name: 'mine' }, com)).toThrowError(
      expect.objectContaining({ code: 'CONFLICT' }),
    );
  });

  it('may reuse the list that was read last', async () => {
    const read = async () => (await client.callTool('changing', 'count')).content[0]?.text;
    await service.discoverAndRegister(config, com, { mayReuseList: true });
    await service.discoverAndRegister(config, new ContextObjectModel(), { mayReuseList: true });
    expect(await read()).toBe('1');
    await service.discoverAndRegister(config, new ContextObjectModel());
    expect(await read()).toBe('2');
  });
});

describe('a list that changes', () => {
  it('brings new tools into the contexts that follow it', async () => {
    await service.discoverAndRegister(config, com);
    await callAndWait('grow', () => namesIn(com).includes('grown'));
    expect(namesIn(com)).toEqual([...all, 'grown']);
  });

  it('removes tools that are gone, including those that were added one by one', async () => {
    const other = new ContextObjectModel();
    await service.discoverAndRegister(config, com);
    const [append] = await service.connectAndDiscover(config);
    if (append) service.registerMCPTool(config, { ...append, name: 'mine' }, other);
    await callAndWait('shrink', () => !namesIn(com).includes('append') && namesIn(other).length === 0);
    expect(namesIn(com)).toEqual(all.slice(1));
  });

  it('replaces changed tools, leaves the others unchanged, and keeps the options of both', async () => {
    const tools = await service.discoverAndRegister(config, com);
    for (const tool of tools) tool.metadata.providerOptions = { openai: { strict: true } };
    const [append, ...others] = tools;
    await callAndWait('change', () => com.getTool('append')?.metadata.description === 'changed');
    expect(com.getTool('append')).not.toBe(append);
    expect(com.toolDefinitions.get('append')?.providerOptions).toEqual({ openai: { strict: true } });
    expect(others.every((tool) => com.getTool(tool.metadata.name) === tool)).toBe(true);
  });

  it('goes through filters and transformers again', async () => {
    await service.discoverAndRegister({ ...config, exclude: ['grown'], prefix: 'a_' }, com);
    const other = new ContextObjectModel();
    await service.discoverAndRegister({ ...config, prefix: 'b_' }, other);
    await callAndWait('grow', () => namesIn(other).includes('b_grown'));
    expect(namesIn(com)).toEqual(all.map((name) => `a_${name}`));
  });

  it('with a taken name logs a warning and keeps the existing tool', async () => {
    const own = { metadata: { name: 'grown', description: '', inputSchema: {} }, run: () => 'mine' };
    com.addTool(own);
    await service.discoverAndRegister(config, com);
    await callAndWait('grow', () => warnings().length > 0);
    expect(com.getTool('grown')).toBe(own);
    expect(warnings()[0]).toContain('Two tools are called "grown": one from code, one from server changing.');
  });

  it('is not read for contexts that stopped following it', async () => {
    await service.discoverAndRegister(config, com);
    service.unregister('changing', com);
    const other = new ContextObjectModel();
    await service.discoverAndRegister(config, other);
    await callAndWait('grow', () => namesIn(other).includes('grown'));
    expect(namesIn(com)).toEqual([]);
  });
});
