import { type Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { type Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, type Readable, type Transform } from 'node:stream';

/** The agents that keep connections open, one for each protocol. */
interface HttpAgents {
  http: HttpAgent;
  https: HttpsAgent;
}

export interface OutgoingRequest {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  agents: HttpAgents;
  signal?: AbortSignal | undefined;
  /** Sends the request again if a reused connection turns out to be closed. Only for requests that may arrive twice. */
  mayRepeat?: boolean | undefined;
}

/**
 * Sends one request with Node's client: follows no redirects, sets no time limits, and asks for an uncompressed reply. Resolves when
 * the headers have arrived; if the connection breaks later, reading the body fails.
 */
export function sendRequest(request: OutgoingRequest): Promise<IncomingMessage> {
  const { url, method, headers, body, agents, signal, mayRepeat } = request;
  const isSafe = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    let hasReply = false;
    const send = isSafe ? requestHttps : requestHttp;
    const outgoing = send(url, {
      method,
      agent: isSafe ? agents.https : agents.http,
      headers: {
        'accept-encoding': 'identity',
        ...headers,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(signal && { signal }),
    });
    // Also handles later errors, which would end the process without a listener.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A connection that breaks in the middle of a reply was not stale.
      const isStale = !hasReply && outgoing.reusedSocket && error.code === 'ECONNRESET' && !signal?.aborted;
      if (isStale && mayRepeat) resolve(sendRequest({ ...request, mayRepeat: false }));
      else reject(error);
    });
    outgoing.once('socket', ignoreErrors);
    outgoing.once('response', (incoming) => {
      hasReply = true;
      incoming.on('error', () => {});
      resolve(incoming);
    });
    outgoing.end(body);
  });
}

const socketsWithListener = new WeakSet<Socket>();

/** Ignores errors of idle sockets: a request aborted after its reply may break a connection that has no listener. */
function ignoreErrors(socket: Socket): void {
  if (socketsWithListener.has(socket)) return;
  socketsWithListener.add(socket);
  socket.on('error', () => {});
}

/**
 * Returns the decompressed body of a reply, because some servers and proxies compress without being asked. Ends and fails together with
 * the reply. Throws for an unknown compression.
 */
export async function unpackedBody(incoming: IncomingMessage): Promise<Readable> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return incoming;
  const { createBrotliDecompress, createUnzip, createZstdDecompress } = await import('node:zlib');
  const known = [
    { names: ['gzip', 'x-gzip', 'deflate'], create: createUnzip },
    { names: ['br'], create: createBrotliDecompress },
    { names: ['zstd'], create: createZstdDecompress },
  ].find(({ names }) => names.includes(encoding));
  if (!known) throw new Error(`The reply has an unknown compression (${encoding.slice(0, 40)}).`);
  const unpacker: Transform = known.create();
  // Errors reach the reader of the body.
  return pipeline(
    incoming,
    unpacker.on('error', () => {}),
    () => {},
  );
}

/** Returns the text of a body. Returns null and closes the connection as soon as the body exceeds the limit. */
export async function readCapped(body: Readable, maxBytes: number): Promise<string | null> {
  return (await readCappedBytes(body, maxBytes))?.toString() ?? null;
}

/** Like `readCapped`, for bytes. */
export async function readCappedBytes(body: Readable, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      body.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
