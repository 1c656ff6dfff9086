import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo, type TestConnection, transports } from '../../../test/support/servers/start-bad-server.ts';
import type { JsonObject } from '../../base/json.ts';
import { ServerDefinition } from '../../servers/server-definition.ts';
import type { RemoteResult } from '../../servers/supervise/server-connection.ts';
import { silentToolClient } from '../../tools/tool-client.ts';

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } } as const;

describe.each(transports)('the server of the MCP project over %s', (transport) => {
  let end = async () => {};
  let ours: TestConnection;
  const direct = new Client(
    { name: 'direct', version: '1' },
    { capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} } },
  );
  direct.setRequestHandler('sampling/createMessage', async () => sampled);
  direct.setRequestHandler('elicitation/create', async () => ({ action: 'decline' as const }));
  direct.setRequestHandler('roots/list', async () => ({ roots: [] }));
  const client = {
    ...silentToolClient,
    sample: async () => sampled as unknown as JsonObject,
    elicit: async () => ({ action: 'decline' }) as JsonObject,
    roots: async () => ({ roots: [] }) as JsonObject,
  };

  beforeAll(async () => {
    const started = transport === 'stdio' ? stdioServer() : await httpServer(transport);
    end = started.end;
    await direct.connect(started.transport);
    ours = await connectTo(started.definition);
  });
  afterAll(async () => {
    await direct.close();
    await ours.connection.close();
    await end();
  });

  it('lists the same tools to us as to the SDK', async () => {
    // The SDK reorders known keys. Another test checks that ours keep the server's order.
    const { tools } = await direct.listTools();
    const listed = await ours.connection.listTools();
    expect(listed.map(sorted)).toEqual(tools.map(sorted));
    expect(listed.length).toBeGreaterThan(10);
  });

  it.each<[tool: string, input: Record<string, unknown>]>([
    ['echo', { message: 'hello' }],
    ['get-sum', { a: 2, b: 3 }],
    ['get-sum', { a: 'no number', b: 3 }],
    ['get-annotated-message', { messageType: 'error', includeImage: true }],
    ['get-resource-links', { count: 3 }],
    ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
    ['get-structured-content', { location: 'New York' }],
    ['get-tiny-image', {}],
    ['trigger-long-running-operation', { duration: 0.2, steps: 2 }],
    ['trigger-sampling-request', { prompt: 'hi', maxTokens: 5 }],
    ['trigger-elicitation-request', {}],
    ['get-roots-list', {}],
    ['no-such-tool', {}],
  ])('answers %s as it answers the SDK', async (name, input) => {
    const expected = await outcome(direct.callTool({ name, arguments: input }) as Promise<RemoteResult>);
    const result = await outcome(ours.connection.callTool(name, input, { client }));
    expect(withoutTimes(result)).toEqual(withoutTimes(expected));
  });
});

/** Timestamps differ between calls. */
function withoutTimes(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\d+:\d\d:\d\d(?: [AP]M)?|\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
}

async function outcome(call: Promise<RemoteResult>): Promise<unknown> {
  return sortKeys(
    await call.catch((error) => ({ failed: String(error.message).replace(/^.*?(?:error|Error): /, '') })),
  );
}

function sorted(tool: object): string {
  return JSON.stringify(sortKeys(tool));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sortKeys(child)]));
}

function stdioServer() {
  const command = { command: process.execPath, args: [program, 'stdio'] };
  return {
    definition: ServerDefinition.parse({ transport: 'stdio', ...command }),
    transport: new StdioClientTransport({ ...command, stderr: 'ignore' }),
    end: async () => {},
  };
}

async function httpServer(transport: 'sse' | 'streamable-http') {
  const port = await freePort();
  const child = spawn(process.execPath, [program, transport === 'sse' ? 'sse' : 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (text) => {
      if (String(text).includes(String(port))) resolve();
    });
    child.once('exit', () => reject(new Error('The server ended before it listened.')));
  });
  const url = new URL(`http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`);
  const direct: Transport = transport === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
  return {
    definition: ServerDefinition.parse({ transport, url: url.href }),
    transport: direct,
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The server needs a port and cannot choose one itself. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
