import { connect, type Socket } from 'node:net';

/** A POST whose body is sent by hand, over a socket of its own. */
export interface RawPost {
  socket: Socket;
  /** Sends a part of the body, and resolves when the operating system has taken it or the connection has failed. */
  send(part: string | Buffer): Promise<void>;
  /** Resolves to the whole reply when the server has closed the connection, or when it matches. */
  reply(pattern?: RegExp): Promise<string>;
}

/** Sends the headers of a POST. Without `announced`, the body is chunked. */
export async function startPost(
  url: string,
  path: string,
  options: { announced?: number; headers?: Record<string, string> } = {},
): Promise<RawPost> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let isClosed = false;
  let changed = () => {};
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    changed();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    changed();
  });
  const { announced } = options;
  const headers = {
    Host: host,
    'Content-Type': 'application/json',
    ...(announced === undefined ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': announced }),
    ...options.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return {
    socket,
    send: (part) => {
      const bytes = Buffer.from(part);
      const framed =
        announced === undefined
          ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
          : bytes;
      return new Promise((resolve) => socket.write(framed, () => resolve()));
    },
    reply: (pattern) =>
      new Promise((resolve) => {
        changed = () => {
          if (isClosed || pattern?.test(text)) resolve(text);
        };
        changed();
      }),
  };
}
