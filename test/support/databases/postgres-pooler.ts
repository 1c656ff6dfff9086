import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

export interface PostgresPooler {
  /** The address of the database through the pooler. */
  url: string;
  /** How new clients are served: with a connection of their own, or with another one for each transaction. */
  mode: 'session' | 'transaction';
  close(): Promise<void>;
}

interface Server {
  client: PooledClient;
  socket: Socket;
  user: Client | undefined;
}

interface Client {
  socket: Socket;
  mode: PostgresPooler['mode'];
  /** Identifies the client in a cancel request. */
  key: Buffer;
  server: Promise<Server> | undefined;
  /** The number of requests whose end the server has not announced yet. */
  open: number;
}

/** What `pg` knows about a connection, besides what its types say. */
type PooledClient = pg.Client & { connection: { stream: Socket }; processID: number; secretKey: number };

const sslRequest = 80_877_103;
const cancelRequest = 80_877_102;

/**
 * A pooler that serves clients as PgBouncer does in its two usual modes, and refuses the same parameters of a session. It hands out the
 * connection that was idle longest, so that a client rarely meets the same one twice.
 */
export async function openPostgresPooler(target: string, { refusesParameters = true } = {}): Promise<PostgresPooler> {
  const idle: Server[] = [];
  const servers = new Set<Server>();
  const clients = new Set<Client>();
  const pooler = { mode: 'transaction' } as PostgresPooler;
  // Two connections from the start: a pooler with one would behave like a session.
  for (const _ of [1, 2]) idle.push(await openServer());

  async function openServer(): Promise<Server> {
    // `pg` does the authentication; afterwards the socket carries the messages of clients.
    const client = new pg.Client({ connectionString: target }) as PooledClient;
    await client.connect();
    const { stream: socket } = client.connection;
    socket.removeAllListeners('data');
    const server: Server = { client, socket, user: undefined };
    servers.add(server);
    client.on('error', () => {});
    socket.on('close', () => {
      servers.delete(server);
      if (idle.includes(server)) idle.splice(idle.indexOf(server), 1);
      server.user?.socket.destroy();
    });
    socket.on(
      'data',
      readMessages((type, message) => {
        const { user } = server;
        // A notice for a connection that nobody uses is lost.
        if (!user) return;
        user.socket.write(message);
        if (type !== 'Z') return;
        user.open -= 1;
        if (user.open === 0 && message[5] === 'I'.charCodeAt(0) && user.mode === 'transaction') release(user, server);
      }),
    );
    return server;
  }

  async function take(client: Client): Promise<Server> {
    const server = idle.shift() ?? (await openServer());
    server.user = client;
    return server;
  }

  function release(client: Client, server: Server): void {
    client.server = undefined;
    server.user = undefined;
    if (servers.has(server)) idle.push(server);
  }

  const listener = createServer((socket) => {
    socket.on('error', () => {});
    const key = Buffer.alloc(8);
    key.writeInt32BE(1_000_000 + clients.size + Math.floor(Math.random() * 1e9), 0);
    key.writeInt32BE(Math.floor(Math.random() * 1e9), 4);
    const client: Client = { socket, mode: pooler.mode, key, server: undefined, open: 0 };
    clients.add(client);
    let isStarted = false;
    const onMessage = readMessages((type, message) => {
      if (type === 'X') return void socket.end();
      if (type === 'Q' || type === 'S') client.open += 1;
      client.server ??= take(client);
      client.server.then(
        (server) => server.socket.write(message),
        () => socket.destroy(),
      );
    });
    socket.on('data', (bytes: Buffer) => {
      if (isStarted) return onMessage(bytes);
      const code = bytes.readInt32BE(4);
      if (code === sslRequest) return void socket.write('N');
      if (code === cancelRequest) return void cancel(bytes.subarray(8, 16)).finally(() => socket.end());
      const refused = refusesParameters && /\0((?:statement|lock)_timeout)\0/.exec(bytes.toString('latin1'))?.[1];
      if (refused) return void socket.end(errorMessage('08P01', `unsupported startup parameter: ${refused}`));
      isStarted = true;
      socket.write(greeting(key));
    });
    socket.on('close', async () => {
      clients.delete(client);
      const server = await client.server?.catch(() => undefined);
      // Its session may be in a transaction, or listen.
      server?.socket.destroy();
    });
  });

  async function cancel(key: Buffer): Promise<void> {
    const server = await [...clients].find((each) => each.key.equals(key))?.server;
    if (!server) return;
    const message = Buffer.alloc(16);
    [16, cancelRequest, server.client.processID, server.client.secretKey].forEach((value, index) => {
      message.writeInt32BE(value, index * 4);
    });
    const { hostname, port } = new URL(target);
    connect(Number(port), hostname).end(message);
  }

  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);
  pooler.url = url.href;
  pooler.close = async () => {
    for (const { socket } of clients) socket.destroy();
    for (const { socket } of servers) socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  };
  return pooler;
}

/** Splits what arrives into messages: a letter, the length and the content. */
function readMessages(onMessage: (type: string, message: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      onMessage(String.fromCharCode(message[0] ?? 0), message);
    }
  };
}

function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

function greeting(key: Buffer): Buffer {
  const parameters = { server_version: '18.0', client_encoding: 'UTF8', standard_conforming_strings: 'on' };
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...Object.entries(parameters).map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`))),
    message('K', key),
    message('Z', Buffer.from('I')),
  ]);
}

function errorMessage(code: string, text: string): Buffer {
  return message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`));
}
