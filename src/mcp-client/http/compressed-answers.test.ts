import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createConformanceHub } from '../../../test/support/conformance/conformance-hub.ts';
import { connectTo } from '../../../test/support/servers/start-bad-server.ts';
import { serveHttp } from '../../http/server/serve.ts';
import { ServerDefinition } from '../../servers/server-definition.ts';
import { silentToolClient } from '../../tools/tool-client.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

async function listen(handle: Handle): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const definitionOf = (url: string, rest: object = {}) =>
  ServerDefinition.parse({ transport: 'streamable-http', url, ...rest });

/** Each encoding with its flush function. */
const encodings = {
  gzip: () => zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createDeflate({ flush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliCompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => zlib.createZstdCompress({ flush: zlib.constants.ZSTD_e_flush }),
};
const names = Object.keys(encodings) as (keyof typeof encodings)[];

/** A proxy that compresses every reply although nobody asked for it, and labels empty replies as compressed too. */
function compressing(target: string, encoding: keyof typeof encodings): Handle {
  return (request, response) => {
    const { method = 'GET', headers } = request;
    const outgoing = requestHttp(
      target,
      { method, headers: { ...headers, host: new URL(target).host } },
      (incoming) => {
        const { 'content-length': _, ...given } = incoming.headers;
        response.writeHead(incoming.statusCode ?? 500, { ...given, 'content-encoding': encoding });
        if (incoming.statusCode === 202) {
          incoming.resume();
          response.end();
        } else incoming.pipe(encodings[encoding]()).pipe(response);
      },
    );
    response.once('close', () => outgoing.destroy());
    outgoing.on('error', () => response.destroy());
    request.pipe(outgoing);
  };
}

it.each(names)('a server whose answers and streams come as %s is used like any other', async (encoding) => {
  const { hub, close } = await createConformanceHub();
  const server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
  try {
    await using proxy = await listen(compressing(`${server.url}/mcp`, encoding));
    await using made = await connectTo(definitionOf(proxy.url));
    const { connection } = made;
    const changed = new Promise<void>((resolve) => connection.onToolsChanged(resolve));
    expect((await connection.listTools()).map(({ name }) => name)).toContain('test_simple_text');
    expect(await connection.callTool('test_simple_text', {})).toMatchObject({ content: [{ type: 'text' }] });
    const heard: number[] = [];
    const client = { ...silentToolClient, progress: (done: number) => void heard.push(done) };
    await connection.callTool('test_tool_with_progress', {}, { client });
    expect(heard.length).toBeGreaterThan(0);
    // An open stream delivers events as they arrive.
    const [tool] = hub.tools.list();
    if (tool) hub.tools.register({ ...tool, name: 'one_more' });
    await changed;
  } finally {
    await server.close();
    await close();
  }
});

/** A server with sessions and scripted replies; even its 202 replies are labelled as compressed. */
function answering(call: (response: ServerResponse, id: number) => void): Handle {
  return async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await readText(request)) as { id?: number; method: string };
    if (method === 'server/discover') return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202, { 'content-encoding': 'gzip' }).end();
    if (method === 'tools/call') return call(response, id);
    const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } };
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(zlib.gzipSync(JSON.stringify({ jsonrpc: '2.0', id, result })));
  };
}

describe('a reply that decompresses to more than the limit ends the call', () => {
  const bombs: [string, string, (id: number) => string][] = [
    ['a text', 'application/json', (id) => `{"jsonrpc":"2.0","id":${id},"result":{"x":"${'0'.repeat(32_000_000)}"}}`],
    ['an event', 'text/event-stream', (id) => `data: {"id":${id},"x":"${'0'.repeat(32_000_000)}`],
  ];
  it.each(bombs)('as %s', async (_kind, type, bomb) => {
    let sent = 0;
    await using server = await listen(
      answering((response, id) => {
        response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' });
        const packed = zlib.gzipSync(bomb(id));
        sent = packed.length;
        response.end(packed);
      }),
    );
    await using made = await connectTo(definitionOf(server.url, { maxMessageBytes: 100_000, maxOutputBytes: 100_000 }));
    await expect(made.connection.callTool('any', {})).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(sent).toBeLessThan(100_000);
    expect(await made.closed).toBe('It sent a message of more than 100000 bytes (max_message_bytes).');
  });
});

it('an error keeps its meaning with any compression', async () => {
  await using server = await listen(
    answering((response) => void response.writeHead(403, { 'content-encoding': 'gzip' }).end()),
  );
  await using made = await connectTo(definitionOf(server.url));
  await expect(made.connection.callTool('any', {})).rejects.toThrow('denied access (HTTP 403)');
});

it.each([
  ['one that is broken', 'gzip', 'It sent a reply with broken compression.'],
  ['one of a kind that is not known', 'snappy', 'unknown compression (snappy)'],
])('an unreadable compressed reply is reported: %s', async (_kind, encoding, words) => {
  await using server = await listen(
    answering((response, id) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
    }),
  );
  await using made = await connectTo(definitionOf(server.url));
  const failed: Promise<unknown> = made.connection.callTool('any', {});
  await expect(failed).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { mayHaveRun: true } });
  await expect(failed).rejects.toThrow(words);
});
