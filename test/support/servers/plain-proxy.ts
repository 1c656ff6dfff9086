import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PlainProxy {
  /** Without a trailing slash. */
  url: string;
  /** Where it passes requests on to. */
  port: number;
  /** Headers that it adds or replaces. A function gets those of the client. */
  headers: (sent: NodeJS.Dict<string | string[]>) => NodeJS.Dict<string | string[]>;
  close(): Promise<void>;
}

/** A reverse proxy on loopback, as a beginner would set it up: it keeps the Host header and says for whom it asks. */
export async function startPlainProxy(client = '203.0.113.9'): Promise<PlainProxy> {
  const proxy: PlainProxy = {
    url: '',
    port: 0,
    headers: (sent) => ({ ...sent, 'x-forwarded-for': client }),
    close: () => end(server),
  };
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const onward = request(
      { host: '127.0.0.1', port: proxy.port, method, path, headers: proxy.headers(headers), setHost: false },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
        reply.on('close', () => outgoing.destroy());
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

function end(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
