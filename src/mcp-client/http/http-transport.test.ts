import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createConformanceHub } from '../../../test/support/conformance/conformance-hub.ts';
import { connectTo } from '../../../test/support/servers/start-bad-server.ts';
import type { JsonObject } from '../../base/json.ts';
import { serveHttp } from '../../http/server/serve.ts';
import { ServerDefinition } from '../../servers/server-definition.ts';
import { silentToolClient } from '../../tools/tool-client.ts';

interface Listening extends AsyncDisposable {
  url: string;
  port: number;
  server: Server;
}

async function listen(listener: RequestListener, port = 0): Promise<Listening> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    port: bound,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<{ id?: number; method?: string }> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? {} : JSON.parse(text);
}

/** A minimal server with sessions; each request has its own connection. */
function sessionServer(unknown: (response: ServerResponse) => void): RequestListener {
  const sessions = new Set<string>();
  return (request, response) => {
    void (async () => {
      const { id, method } = await readBody(request);
      const session = request.headers['mcp-session-id'];
      response.setHeader('connection', 'close');
      if (request.method !== 'POST') return response.writeHead(405).end();
      if (method === 'server/discover') return response.writeHead(404).end();
      if (session !== undefined && !sessions.has(String(session))) return unknown(response);
      if (id === undefined) return response.writeHead(202).end();
      const created = `session-${process.hrtime.bigint()}`;
      if (method === 'initialize') sessions.add(created);
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(method === 'initialize' && { 'mcp-session-id': created }),
      });
      const greeting = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } };
      const result = method === 'initialize' ? greeting : { content: [] };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    })();
  };
}

const streamable = (url: string, rest: object = {}) =>
  ServerDefinition.parse({ transport: 'streamable-http', url, ...rest });

describe('a server that was restarted', () => {
  it.each([
    ['404', (response: ServerResponse) => void response.writeHead(404).end()],
    [
      '400 and a sentence',
      (response: ServerResponse) => void response.writeHead(400).end('Bad Request: No valid session ID'),
    ],
  ])('and answers with %s is reported as closed; the call did not run', async (_how, unknown) => {
    let restarted: Listening | undefined;
    const first = await listen(sessionServer(unknown));
    try {
      await using lost = await connectTo(streamable(first.url));
      await lost.connection.callTool('any', {});
      await first[Symbol.asyncDispose]();
      restarted = await listen(sessionServer(unknown), first.port);

      await expect(lost.connection.callTool('any', {})).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        details: { mayHaveRun: false },
      });
      expect(await lost.closed).toBe('The server no longer recognizes the session.');
    } finally {
      await restarted?.[Symbol.asyncDispose]();
    }
  });

  it('and is gone is reported as closed; the call did not run', async () => {
    const server = await listen(sessionServer(() => {}));
    await using lost = await connectTo(streamable(server.url));
    await server[Symbol.asyncDispose]();

    await expect(lost.connection.callTool('any', {})).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/nothing is listening at its address/),
      details: { mayHaveRun: false },
    });
    expect(await lost.closed).toBe('Nothing is listening at its address any more.');
  });
});

describe.each(['sse', 'streamable-http'] as const)('a server over %s', (transport) => {
  it.each([
    [null, /requires a sign-in \(HTTP 401\)/],
    [{ type: 'bearer', token: 'wrong-token' }, /rejected the token/],
    [{ type: 'oauth' }, /requires a sign-in\. Sign in/],
  ])('that answers 401 to auth %j needs a sign-in', async (auth, message) => {
    await using server = await listen((_request, response) => void response.writeHead(401).end());
    const error = await connectTo(ServerDefinition.parse({ transport, url: server.url, auth })).catch(
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'SIGN_IN_REQUIRED', message: expect.stringMatching(message) });
    expect(JSON.stringify(error)).not.toContain('wrong-token');
  });

  it('that redirects to another origin gets no credentials there, and is not followed', async () => {
    const seen: IncomingMessage[] = [];
    await using other = await listen((request, response) => {
      seen.push(request);
      response.writeHead(200).end();
    });
    await using server = await listen(
      (_request, response) => void response.writeHead(307, { location: other.url }).end(),
    );
    const auth = { type: 'bearer', token: 'the-token' };
    await expect(connectTo(ServerDefinition.parse({ transport, url: server.url, auth }))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(seen).toEqual([]);
  });

  it('that cannot be reached is explained', async () => {
    const server = await listen(() => {});
    await server[Symbol.asyncDispose]();
    await expect(connectTo(ServerDefinition.parse({ transport, url: server.url }))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'Server "bad" cannot be reached: nothing is listening at its address.',
    });
  });

  it('that answers with a web page is explained, and not with the whole page', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(500, { 'content-type': 'text/html' }).end(`<html>${'broken '.repeat(20_000)}</html>`);
    });
    const error = await connectTo(ServerDefinition.parse({ transport, url: server.url })).catch((reason) => reason);
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message.length).toBeLessThan(2_200);
  });
});

describe('a hub as the server of another, in the stateless revision', () => {
  it('lists, calls, asks, reports progress, cancels and says that its list changed', async () => {
    const { hub, close } = await createConformanceHub();
    const server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
    try {
      await using other = await connectTo(streamable(`${server.url}/mcp`));
      const { connection } = other;
      expect(connection.greeting).toMatchObject({ protocolVersion: '2026-07-28', serverInfo: { name: 'agent-zoo' } });

      const changed = new Promise<void>((resolve) => connection.onToolsChanged(resolve));
      const tools = await connection.listTools();
      expect(tools.map(({ name }) => name)).toContain('test_simple_text');

      expect(await connection.callTool('test_simple_text', {})).toMatchObject({ content: [{ type: 'text' }] });
      expect(await connection.callTool('test_simple_text', {})).not.toHaveProperty('resultType');

      const heard: number[] = [];
      const client = {
        ...silentToolClient,
        progress: (done: number) => heard.push(done),
        elicit: async () => ({ action: 'accept', content: { name: 'Ada' } }) as JsonObject,
      };
      const asked = await connection.callTool('test_input_required_result_elicitation', {}, { client });
      expect(asked.content[0]?.text).toBe('Hello, Ada!');
      await expect(connection.callTool('test_input_required_result_elicitation', {})).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringMatching(/asks a question, but its caller accepts none/),
      });
      await connection.callTool('test_tool_with_progress', {}, { client });
      expect(heard.length).toBeGreaterThan(0);

      const [tool] = hub.tools.list();
      if (tool) hub.tools.register({ ...tool, name: 'one_more' });
      await changed;
      expect((await connection.listTools()).map(({ name }) => name)).toContain('one_more');

      await server.close();
      expect(await other.closed).toMatch(/message stream|is listening/);
    } finally {
      await server.close();
      await close();
    }
  });
});
