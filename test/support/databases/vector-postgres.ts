import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { TestDatabase } from './test-database.ts';

/**
 * Starts PostgreSQL with pgvector, compiled to WebAssembly, because the server of the other tests does not have the extension. It
 * has one session, which all connections share, one transaction at a time. It takes seconds to start.
 */
export async function startVectorPostgres(): Promise<TestDatabase> {
  const database = await PGlite.create({ extensions: { vector } });
  const sockets = new Set<Socket>();
  let turn: Promise<void> = Promise.resolve();
  let count = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    count += 1;
    void serve(socket, `${count}_`).finally(() => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    db: { url: `postgres://postgres:test@127.0.0.1:${port}/postgres` },
    async remove() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await turn;
      await database.close();
    },
  };

  /** Passes each group of messages on as a whole, and lets no other connection in before the end of the transaction. */
  async function serve(socket: Socket, prefix: string): Promise<void> {
    let done: (() => void) | undefined;
    socket.on('error', () => {});
    for await (const group of groupsOf(socket, prefix)) {
      if (!done) {
        const before = turn;
        turn = new Promise((resolve) => {
          done = resolve;
        });
        await before;
      }
      const reply = Buffer.from(await database.execProtocolRaw(group));
      for (const message of messagesIn(reply)) {
        const isNotice = String.fromCharCode(message[0] ?? 0) === 'A';
        for (const target of isNotice ? sockets : [socket]) target.write(message);
      }
      if (String.fromCharCode(reply.at(-1) ?? 0) === 'I') {
        done?.();
        done = undefined;
      }
    }
    if (done) await database.exec('rollback');
    done?.();
  }
}

/** Yields the messages up to each Sync or Query. The names of statements get a prefix, because connections share the session. */
async function* groupsOf(socket: Socket, prefix: string): AsyncGenerator<Buffer> {
  let received = Buffer.alloc(0);
  let group: Buffer[] = [];
  let isStarted = false;
  const chunks: AsyncIterable<Buffer> = socket;
  try {
    for await (const chunk of chunks) {
      received = Buffer.concat([received, chunk]);
      if (!isStarted) {
        // The first message has no type. The reply: accepted, and ready for a query.
        if (received.length < 4 || received.length < received.readInt32BE(0)) continue;
        received = received.subarray(received.readInt32BE(0));
        isStarted = true;
        socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]));
      }
      for (const message of messagesIn(received)) {
        const type = String.fromCharCode(message[0] ?? 0);
        if (type === 'X') return;
        group.push(withPrefix(message, type, Buffer.from(prefix)));
        received = received.subarray(message.length);
        if (type !== 'S' && type !== 'Q') continue;
        yield Buffer.concat(group);
        group = [];
      }
    }
  } catch {
    // The client is gone.
  }
}

/** Yields the whole messages: a byte for the type, then the length. */
function* messagesIn(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) return;
    yield bytes.subarray(at, end);
    at = end;
  }
}

function withPrefix(message: Buffer, type: string, prefix: Buffer): Buffer {
  const isAboutStatement = (type === 'D' || type === 'C') && message[5] === 0x53;
  const at = type === 'P' ? 5 : type === 'B' ? message.indexOf(0, 5) + 1 : isAboutStatement ? 6 : 0;
  // An empty name means the statement without a name.
  if (at === 0 || message[at] === 0) return message;
  const changed = Buffer.concat([message.subarray(0, at), prefix, message.subarray(at)]);
  changed.writeInt32BE(changed.length - 1, 1);
  return changed;
}
