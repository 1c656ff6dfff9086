import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RoundRobinProxyOptions {
  /** The addresses of the replicas. */
  targets: readonly string[];
  /** Added to requests that lack them, for clients that cannot send a key. */
  headers?: Readonly<Record<string, string>>;
}

export interface RoundRobinProxy {
  /** Without a trailing slash. */
  url: string;
  /** How many requests each replica has received. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many requests a replica has received whose responses have not ended. */
  underWay(target: string): number;
  /** Replaces the replicas, for example after one has been started again at another address. */
  setTargets(targets: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * Starts a plain proxy: each request goes to the next replica, whoever sends it. Headers and bodies pass unchanged and as they arrive, event
 * streams included. A request goes to another replica only if the connection is refused; if it breaks later, the client gets 502 with the
 * error that the files in `deploy/` let a proxy send, or the response breaks off.
 */
export async function startRoundRobinProxy(options: RoundRobinProxyOptions): Promise<RoundRobinProxy> {
  const counts = new Map<string, number>();
  const ended = new Map<string, number>();
  let targets = [...options.targets];
  let next = 0;

  function pass(incoming: IncomingMessage, outgoing: ServerResponse, start: number, attempt = 1): void {
    const target = targets[(start + attempt) % targets.length];
    if (target === undefined) {
      refuse(outgoing, 503, { message: 'There are no replicas.', retryable: true });
      return;
    }
    const { hostname, port } = new URL(target);
    const headers = {
      ...options.headers,
      ...incoming.headers,
      'x-forwarded-for': incoming.socket.remoteAddress,
      'x-forwarded-proto': 'http',
    };
    const { method, url: path } = incoming;
    const forwarded = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      // Event streams must not wait for their first event.
      outgoing.flushHeaders();
      response.pipe(outgoing);
      response.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', (error: NodeJS.ErrnoException) => {
      // Nothing of the body was read yet.
      if (error.code === 'ECONNREFUSED' && attempt < targets.length) pass(incoming, outgoing, start, attempt + 1);
      else if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, 502, { message: `The replica went away (${error.code}).`, retryable: false });
    });
    forwarded.once('socket', (socket) => {
      socket.once('connect', () => {
        add(counts, target);
        outgoing.once('close', () => add(ended, target));
        incoming.pipe(forwarded);
      });
    });
    outgoing.once('close', () => forwarded.destroy());
  }

  const server = createServer((incoming, outgoing) => {
    next += 1;
    pass(incoming, outgoing, next);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port always has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    underWay: (target) => (counts.get(target) ?? 0) - (ended.get(target) ?? 0),
    setTargets(replicas) {
      targets = [...replicas];
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function add(counts: Map<string, number>, target: string): void {
  counts.set(target, (counts.get(target) ?? 0) + 1);
}

function refuse(response: ServerResponse, status: number, error: { message: string; retryable: boolean }): void {
  const body = JSON.stringify({ error: { code: 'unavailable', ...error } });
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
