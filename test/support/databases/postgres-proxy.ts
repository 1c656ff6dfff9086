import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface PostgresProxy {
  /** The address of the database through the proxy. */
  url: string;
  /** Drops all data from now on, on old and new connections, like a network that lost them. */
  goSilent(): void;
  /** Drops the server's replies but passes requests on, so that the client cannot know whether a commit arrived. */
  swallowReplies(): void;
  /** Resets every open and new connection. */
  reset(): void;
  /** Passes all data on again; silent connections stay silent. */
  heal(): void;
  /** Calls back with all data that a client sends. */
  onSent(listen: (bytes: Buffer) => void): void;
  close(): Promise<void>;
}

/** A proxy to the database that can fail as networks do. */
export async function openPostgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<{ near: Socket; far: Socket; isMute: boolean; isDeaf: boolean }>();
  let mode: 'pass' | 'silent' | 'no-replies' | 'reset' = 'pass';
  let listen: (bytes: Buffer) => void = () => {};
  const server = createServer((near) => {
    near.on('error', () => {});
    if (mode === 'reset') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(Number(port), hostname);
    const pair = { near, far, isMute: mode === 'silent' || mode === 'no-replies', isDeaf: mode === 'silent' };
    pairs.add(pair);
    far.on('error', () => {});
    near.on('data', (bytes) => {
      listen(bytes);
      if (!pair.isDeaf) far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (!pair.isMute) near.write(bytes);
    });
    near.on('close', () => {
      pairs.delete(pair);
      far.destroy();
    });
    far.on('close', () => {
      if (!pair.isMute) near.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    goSilent() {
      mode = 'silent';
      for (const pair of pairs) {
        pair.isMute = true;
        pair.isDeaf = true;
      }
    },
    swallowReplies() {
      mode = 'no-replies';
      for (const pair of pairs) pair.isMute = true;
    },
    reset() {
      mode = 'reset';
      for (const { near, far } of pairs) {
        near.resetAndDestroy();
        far.destroy();
      }
    },
    heal() {
      mode = 'pass';
    },
    onSent(next) {
      listen = next;
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
