import { type Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { type Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, type Readable, type Transform } from 'node:stream';

/** Who keeps the connections, for each of the two protocols. */
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
  /** Sends it again when a kept connection turns out to be closed. Only for what may arrive twice. */
  mayRepeat?: boolean | undefined;
}

/**
 * One request by Node's own client: no redirect is followed, there are no time limits, and compression is asked not to be
 * used. Resolves with the head of the answer; a connection that breaks later is heard by whoever reads the body.
 */
export function sendRequest(request: OutgoingRequest): Promise<IncomingMessage> {
  const { url, method, headers, body, agents, signal, mayRepeat } = request;
  const isSafe = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    let hasAnswer = false;
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
    // Also for errors after the first, which would end the process when nobody listens.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A connection that breaks in the middle of an answer was no stale one.
      const isStale = !hasAnswer && outgoing.reusedSocket && error.code === 'ECONNRESET' && !signal?.aborted;
      if (isStale && mayRepeat) resolve(sendRequest({ ...request, mayRepeat: false }));
      else reject(error);
    });
    outgoing.once('socket', hearErrors);
    outgoing.once('response', (incoming) => {
      hasAnswer = true;
      incoming.on('error', () => {});
      resolve(incoming);
    });
    outgoing.end(body);
  });
}

const heard = new WeakSet<Socket>();

/** A request that is aborted between its answer and the return of its connection breaks one to which nobody listens. */
function hearErrors(socket: Socket): void {
  if (heard.has(socket)) return;
  heard.add(socket);
  socket.on('error', () => {});
}

/**
 * The body of an answer, unpacked: there are servers and proxies that compress whether or not they are asked to. Ends and
 * breaks together with the answer. Throws for a compression that is not known.
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
  if (!known) throw new Error(`The answer is compressed in a way that is not known (${encoding.slice(0, 40)}).`);
  const unpacker: Transform = known.create();
  // What goes wrong is heard by whoever reads.
  return pipeline(
    incoming,
    unpacker.on('error', () => {}),
    () => {},
  );
}

/** Whole text of a body, up to a limit; null as soon as it is over. The connection is cut then. */
export async function readCapped(body: Readable, maxBytes: number): Promise<string | null> {
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
  return Buffer.concat(chunks, bytes).toString();
}
