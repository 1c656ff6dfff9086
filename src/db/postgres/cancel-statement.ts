import { connect } from 'node:net';
import type pg from 'pg';

const cancelRequest = 80_877_102;

/**
 * Asks the server to end the running statement of a connection. Behind a pooler, only this request finds the server's process. It has a
 * connection of its own, which is closed when the request has arrived. Resolves then, and never rejects. Nothing is sent for an encrypted connection, because the request itself is not encrypted.
 */
export async function cancelStatement(client: pg.PoolClient, limitMs: number): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as pg.PoolClient & Partial<CancelKeys>;
  if (typeof processID !== 'number' || typeof secretKey !== 'number' || !host || !port || ssl) return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(cancelRequest, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(limitMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  socket.end(message);
  socket.resume();
  await closed;
}

/** What `pg` knows about a connection, besides what its types say. */
interface CancelKeys {
  host: string;
  port: number;
  ssl: unknown;
  processID: number | null;
  secretKey: number | null;
}
