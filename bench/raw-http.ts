import { connect } from 'node:net';

export interface RawLoad {
  port: number;
  path: string;
  /** The body. `idPlace` in it becomes a different number in each request. */
  body: string;
  headers?: Record<string, string>;
  connections: number;
  total: number;
}

export interface RawResult {
  perSecond: number;
  /** The duration of each request in milliseconds. */
  latencies: number[];
}

/** A placeholder as long as every id, so that requests and replies keep their length. */
export const idPlace = 1_000_000_000;

/**
 * Sends requests over keep-alive connections, one at a time on each. Written by hand, because Node's client costs more than a
 * bare server and would measure itself. Replies are only counted by their bytes. Throws if a status is not 200.
 */
export async function rawLoad(load: RawLoad): Promise<RawResult> {
  const latencies: number[] = [];
  let started = 0;
  const take = () => {
    started += 1;
    return started <= load.total ? started : undefined;
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: load.connections }, () => oneConnection(load, take, latencies)));
  return { perSecond: (latencies.length / (performance.now() - began)) * 1000, latencies };
}

function toRequest({ port, path, body, headers = {} }: RawLoad): Buffer {
  const lines = Object.entries({
    Host: `127.0.0.1:${port}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

function oneConnection(load: RawLoad, take: () => number | undefined, latencies: number[]): Promise<void> {
  const request = toRequest(load);
  const idAt = request.indexOf(String(idPlace));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const reply = new ReplyCounter();
  let sentAt = 0;
  const next = () => {
    const number = take();
    if (number === undefined) {
      socket.end();
      return resolve();
    }
    if (idAt !== -1) request.write(String(idPlace + number), idAt, 'latin1');
    sentAt = performance.now();
    socket.write(request);
  };
  const onBytes = (length: number, bytes: Uint8Array): boolean => {
    try {
      if (reply.isWhole(Buffer.from(bytes.buffer, bytes.byteOffset, length))) {
        latencies.push(performance.now() - sentAt);
        next();
      }
    } catch (error) {
      socket.destroy();
      reject(error);
    }
    return true;
  };
  const socket = connect({
    port: load.port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.allocUnsafe(64 * 1024), callback: onBytes },
  });
  socket.on('connect', next);
  socket.on('error', reject);
  return promise;
}

/** Detects the end of a reply. The first reply sets the length of all; a chunked one ends with an empty chunk. */
class ReplyCounter {
  #first = '';
  #length: number | undefined;
  #isChunked = false;
  #received = 0;

  isWhole(bytes: Buffer): boolean {
    // "HTTP/1.1 200": the fifth byte from behind the version.
    if (this.#received === 0 && bytes[9] !== 50) throw new Error(bytes.toString('latin1', 0, 500));
    this.#received += bytes.length;
    if (this.#length === undefined && !this.#isChunked) this.#readHead(bytes.toString('latin1'));
    const isWhole = this.#isChunked
      ? bytes.toString('latin1', Math.max(0, bytes.length - 5)) === '0\r\n\r\n'
      : this.#length !== undefined && this.#received >= this.#length;
    if (isWhole) this.#received = 0;
    return isWhole;
  }

  #readHead(text: string): void {
    this.#first += text;
    const end = this.#first.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#first.slice(0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (length !== undefined) this.#length = end + 4 + Number(length);
    else this.#isChunked = true;
  }
}
