import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { BadBehaviour, type BadChannel, type BadScript } from './bad-server-behaviour.ts';

/** A server that misbehaves as its script says: `bad-server.ts TRANSPORT SCRIPT`. Over HTTP, it prints its port. */
const [transport = 'stdio', script = '{}'] = process.argv.slice(2);
const behaviour = new BadBehaviour(JSON.parse(script) as BadScript);

if (transport === 'stdio') serveStdio();
else serveHttp(transport === 'sse' ? answerSse : answerStreamable);

function serveStdio(): void {
  const channel: BadChannel = {
    send: (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
    write: (text) => write(process.stdout, text),
    drop: () => process.exit(0),
    origin: { env: process.env, cwd: process.cwd() },
  };
  createInterface({ input: process.stdin }).on('line', (line) => void behaviour.handle(JSON.parse(line), channel));
}

function serveHttp(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>): void {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`port ${typeof address === 'object' ? address?.port : ''}\n`);
  });
  // It ends with the process that started it.
  process.stdin.on('end', () => process.exit(0)).resume();
}

/** The stream of each session of the old HTTP transport. */
const streams = new Map<string, ServerResponse>();

async function answerSse(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    const session = randomUUID();
    streams.set(session, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: endpoint\ndata: /messages?session=${session}\n\n`);
    return;
  }
  const stream = streams.get(new URL(request.url ?? '', 'http://localhost').searchParams.get('session') ?? '');
  const message = await readJson(request);
  response.writeHead(stream ? 202 : 404).end();
  if (stream)
    await behaviour.handle(
      message,
      eventChannel(stream, request, () => stream.destroy()),
    );
}

/** The sessions of streamable HTTP, each with its stream once there is one. */
const sessions = new Map<string, ServerResponse | undefined>();

async function answerStreamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = String(request.headers['mcp-session-id'] ?? '');
  if (session !== '' && !sessions.has(session)) {
    response.writeHead(404).end();
    return;
  }
  if (request.method === 'GET') {
    sessions.set(session, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    return;
  }
  if (request.method === 'DELETE') {
    sessions.delete(session);
    response.writeHead(200).end();
    return;
  }
  const message = await readJson(request);
  if (message.method === 'server/discover') {
    response.writeHead(400).end('{"jsonrpc":"2.0","error":{"code":-32601,"message":"No method"},"id":null}');
    return;
  }
  if (message.id === undefined || message.method === undefined) {
    await behaviour.handle(
      message,
      eventChannel(response, request, () => {}),
    );
    response.writeHead(202).end();
    return;
  }
  const given = message.method === 'initialize' ? randomUUID() : '';
  if (given !== '') sessions.set(given, undefined);
  const head = given === '' ? {} : { 'mcp-session-id': given };
  const drop = () => {
    for (const stream of sessions.values()) stream?.destroy();
    sessions.clear();
    response.destroy();
  };
  // Half of its tools reply with JSON, the others with events: a client must support both.
  const isJson = ['large', 'huge_json', 'origin', 'seen', 'order'].includes(String(message.params?.name));
  response.writeHead(200, { ...head, 'content-type': isJson ? 'application/json' : 'text/event-stream' });
  response.flushHeaders();
  if (message.params?.name === 'huge_json') message.params.name = 'huge';
  const channel = isJson ? jsonChannel(response, request, drop) : eventChannel(response, request, drop);
  await behaviour.handle(message, {
    ...channel,
    send(sent) {
      // Messages that are not replies go to the stream for unrequested messages.
      const stream =
        'id' in sent || Object(sent).method === 'notifications/progress' ? undefined : sessions.get(session);
      if (stream) stream.write(`data: ${JSON.stringify(sent)}\n\n`);
      else channel.send(sent);
      if ('id' in sent && !('method' in sent)) setImmediate(() => response.end());
    },
  });
}

function jsonChannel(response: ServerResponse, request: IncomingMessage, drop: () => void): BadChannel {
  return {
    send: (message) => void response.write(JSON.stringify(message)),
    write: (text) => write(response, text),
    drop,
    origin: { headers: request.headers },
  };
}

function eventChannel(response: ServerResponse, request: IncomingMessage, drop: () => void): BadChannel {
  return {
    send: (message) => void response.write(`data: ${JSON.stringify(message)}\n\n`),
    // Garbage becomes separate events; the pieces of an endless text stay one event.
    write: (text) =>
      write(response, text.endsWith('\n') ? `data: ${text}\n` : text.startsWith('{') ? `data: ${text}` : text),
    drop,
    origin: { headers: request.headers },
  };
}

function write(to: Writable, text: string): Promise<boolean> {
  if (to.destroyed || to.writableEnded) return Promise.resolve(false);
  if (to.write(text)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const done = (isOpen: boolean) => () => {
      to.off('drain', onDrain).off('close', onClose).off('error', onClose);
      resolve(isOpen);
    };
    const onDrain = done(true);
    const onClose = done(false);
    to.on('drain', onDrain).on('close', onClose).on('error', onClose);
  });
}

async function readJson(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}
