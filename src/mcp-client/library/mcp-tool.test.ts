import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npmServer } from '../../../test/support/servers/npm-servers.ts';
import { MCPClient } from './mcp-client.ts';
import type { MCPConfig } from './mcp-config.ts';
import { MCPService } from './mcp-service.ts';
import { MCPTool } from './mcp-tool.ts';
import type { MCPToolDefinition } from './mcp-tool-definition.ts';

const client = new MCPClient();
const config: MCPConfig = {
  serverName: 'everything',
  connection: { command: process.execPath, args: [npmServer('everything')] },
};
let definitions: Map<string, MCPToolDefinition>;

beforeAll(async () => {
  const tools = await new MCPService(client).connectAndDiscover(config);
  definitions = new Map(tools.map((tool) => [tool.name, tool]));
});
afterAll(() => client.close());

function definition(name: string): MCPToolDefinition {
  const found = definitions.get(name);
  if (!found) throw new Error(`The server has no tool ${name}`);
  return found;
}

describe('a tool of a server', () => {
  it("shows the model the server's description, with its schema unchanged", () => {
    const echo = definition('echo');
    const tool = new MCPTool(client, 'everything', echo);
    expect(tool.metadata).toEqual({
      name: 'echo',
      description: 'Echoes back the input string',
      inputSchema: echo.inputSchema,
      type: 'mcp',
      serverName: 'everything',
      mcpConfig: { serverName: 'everything' },
    });
    expect(tool.metadata.inputSchema).toBe(echo.inputSchema);
  });

  it.each([
    ['spread', (tool: MCPToolDefinition) => ({ ...tool, name: 'other' })],
    ['assigned', (tool: MCPToolDefinition) => Object.assign({}, tool, { name: 'other' })],
    [
      'changed twice',
      (tool: MCPToolDefinition) => ({
        ...{ ...tool, name: 'first' },
        name: 'other',
        inputSchema: { type: 'object' as const },
      }),
    ],
  ])('is called by the name that the server knows when its definition was %s', async (_how, change) => {
    const tool = new MCPTool(client, 'everything', change(definition('echo')));
    expect([tool.metadata.name, tool.remoteName]).toEqual(['other', 'echo']);
    expect(await tool.run({ message: 'hello' })).toEqual([{ type: 'text', text: 'Echo: hello' }]);
  });

  it('that never came from a list is called by its own name', async () => {
    const tool = new MCPTool(client, 'everything', { name: 'echo', inputSchema: { type: 'object' } });
    expect(await tool.run({ message: 'x' })).toEqual([{ type: 'text', text: 'Echo: x' }]);
  });

  it('keeps the structured part of a result', async () => {
    const tool = new MCPTool(client, 'everything', definition('get-structured-content'));
    const result = await tool.execute({ location: 'Chicago' });
    expect(result.isError).toBe(false);
    expect(JSON.parse((result.content[0] as { text: string }).text)).toEqual(result.structuredContent);
  });

  it("reports a failure: `execute` with isError, `run` by throwing the server's message", async () => {
    const tool = new MCPTool(client, 'everything', definition('get-sum'));
    const result = await tool.execute({ a: 'one' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('number') }],
    });
    await expect(tool.run({ a: 'one' })).rejects.toMatchObject({
      code: 'TOOL_ERROR',
      message: (result.content[0] as { text: string }).text,
      details: { content: result.content },
    });
  });

  it.each([
    ['a text', 'x'],
    ['a list', []],
  ])('does not send %s as its input', async (_what, input) => {
    const tool = new MCPTool(client, 'everything', definition('echo'));
    await expect(tool.run(input)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('stops when its run does', async () => {
    const control = new AbortController();
    const tool = new MCPTool(client, 'everything', definition('trigger-long-running-operation'));
    const running = tool.execute({ duration: 600, steps: 2 }, { signal: control.signal, toolUseId: '1' });
    control.abort();
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await client.callTool('everything', 'echo', { message: 'still here' })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: still here' }],
    });
  });

  it('asks a person if its config requires it', async () => {
    const asks = (requiresConfirmation: MCPConfig['requiresConfirmation']) =>
      new MCPTool(client, 'everything', definition('echo'), { requiresConfirmation }).metadata.requiresConfirmation;
    expect([asks(undefined), asks(true), asks(['get-*']), asks(['e*'])]).toEqual([undefined, true, false, true]);
    const byInput = asks((input, tool) => tool === 'echo' && (input as { message: string }).message === 'secret');
    if (typeof byInput !== 'function') throw new Error('It is no function');
    expect([await byInput({ message: 'secret' }), await byInput({ message: 'x' })]).toEqual([true, false]);
  });
});
