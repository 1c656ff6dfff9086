import { connect, type Socket } from 'node:net';

export interface RawLoad {
  port: number;
  path: string;
  body: string;
  headers?: Record<string, string>;
  connections: number;
  total: number;
}

export interface RawResult {
  perSecond: number;
  /** Milliseconds, one for each request. */
  latencies: number[];
}

/**
 * Requests over kept connections, one at a time on each, written by hand: Node's own client costs more than a bare server, and
 * would measure itself. Throws when an answer is not 200.
 */
export async function rawLoad(load: RawLoad): Promise<RawResult> {
  const request = toRequest(load);
  const latencies: number[] = [];
  let started = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: load.connections }, () => {
      const take = () => {
        started += 1;
        return started <= load.total;
      };
      return oneConnection(load.port, request, take, latencies);
    }),
  );
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

function oneConnection(port: number, request: Buffer, take: () => boolean, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let text = '';
    let sentAt = 0;
    const next = () => {
      if (!take()) {
        socket.end();
        return resolve();
      }
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.on('connect', next);
    socket.on('error', reject);
    socket.on('data', (chunk: string) => {
      text += chunk;
      const head = text.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1]);
      if (text.length < head + 4 + length) return;
      if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text.slice(0, 500)));
      latencies.push(performance.now() - sentAt);
      text = '';
      next();
    });
  });
}
