import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type RawPost, startPost } from '../../test/support/clients/raw-body.ts';
import { HubError } from './hub-error.ts';
import { type BodyLimits, RequestBodies } from './request-bodies.ts';

const kilobyte = 1024;
const limits: Partial<BodyLimits> = {
  freeBytes: 8 * kilobyte,
  totalBytes: 256 * kilobyte,
  ordinaryBytes: 64 * kilobyte,
  lingerMs: 20,
};
const maxBytes = 512 * kilobyte;

let server: Server;
let url = '';
let bodies: RequestBodies;
let arrived = () => {};
let onLost = () => {};
/** How many bytes of the newest connection the server has read. */
let received = () => 0;

/** Serves bodies: replies with the size, or with the error's code. */
async function serve(changes: Partial<BodyLimits> = {}): Promise<void> {
  bodies = new RequestBodies({ ...limits, ...changes });
  server = createServer(async (request, response) => {
    request.on('data', () => arrived());
    received = () => request.socket.bytesRead;
    try {
      const body = await bodies.read(request, response, maxBytes);
      response.end(`complete ${body.length}`);
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      if (error.code === 'CANCELLED') onLost();
      response.end(`${error.code}: ${error.message}`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Waits until the condition holds. It is looked at again whenever a part of a body arrives. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition())
    await new Promise<void>((resolve) => {
      arrived = () => setImmediate(resolve);
    });
}

async function post(size: number, options: { isFinished?: boolean; isChunked?: boolean } = {}): Promise<RawPost> {
  const { isFinished = false, isChunked = false } = options;
  const sent = await startPost(url, '/', isChunked ? {} : { announced: isFinished ? size : size + 1 });
  await sent.send(Buffer.alloc(size, 'x'));
  return sent;
}

describe('request bodies', () => {
  it('are counted until they are complete, and not afterwards', async () => {
    await serve();
    const sent = await post(40 * kilobyte);
    await until(() => bodies.countedBytes >= 40 * kilobyte);
    expect(bodies.countedBytes).toBeLessThan(44 * kilobyte);
    await sent.send('y');
    expect(await sent.reply(/complete/)).toContain(`complete ${40 * kilobyte + 1}`);
    expect(bodies.countedBytes).toBe(0);
  });

  it('are not counted any more when the client disconnects', async () => {
    await serve();
    const sent = await post(40 * kilobyte);
    await until(() => bodies.countedBytes >= 40 * kilobyte);
    const { promise: lost, resolve } = Promise.withResolvers<void>();
    onLost = resolve;
    sent.socket.destroy();
    await lost;
    expect(bodies.countedBytes).toBe(0);
  });

  it('beyond the budget are refused, and the connection is closed', async () => {
    await serve();
    const sent = [];
    for (let count = 0; count < 10; count += 1) sent.push(await post(60 * kilobyte));
    const replies = await Promise.all(sent.slice(4).map((each) => each.reply()));
    for (const reply of replies) {
      expect(reply).toContain('UNAVAILABLE: The hub is already receiving');
      expect(reply).toMatch(/connection: close/i);
    }
    expect(bodies.countedBytes).toBeLessThanOrEqual(256 * kilobyte);
  });

  it('that are short are read while the budget is used up', async () => {
    await serve({ totalBytes: 0 });
    const refused = await post(20 * kilobyte, { isFinished: true });
    expect(await refused.reply()).toContain('UNAVAILABLE');
    const short = await post(4 * kilobyte, { isFinished: true });
    expect(await short.reply(/complete/)).toContain(`complete ${4 * kilobyte}`);
  });

  it('in very small chunks cost more than their size', async () => {
    await serve({ totalBytes: 64 * kilobyte });
    const sent = await startPost(url, '/');
    for (let count = 0; count < 400; count += 1) void sent.send('x');
    expect(await sent.reply()).toContain('UNAVAILABLE');
  });

  it('that are large are read one at a time, even while the budget is used up', async () => {
    await serve({ totalBytes: 0 });
    const size = 300 * kilobyte;
    const first = await post(size);
    const second = await post(size);
    expect(await second.reply()).toContain('UNAVAILABLE: The hub is already receiving another large body');
    await first.send('y');
    expect(await first.reply(/complete/)).toContain(`complete ${size + 1}`);
    const third = await post(size, { isFinished: true });
    expect(await third.reply(/complete/)).toContain(`complete ${size}`);
  });

  it('that turn out to be large leave the budget to the others', async () => {
    await serve();
    const sent = await post(60 * kilobyte, { isChunked: true });
    await until(() => bodies.countedBytes > 0);
    await sent.send(Buffer.alloc(60 * kilobyte, 'x'));
    await until(() => bodies.countedBytes === 0);
    const other = await post(100 * kilobyte);
    expect(await other.reply()).toContain('another large body');
  });

  it('beyond their own limit are refused before they end', async () => {
    await serve();
    const sent = await post(maxBytes + 1, { isChunked: true });
    expect(await sent.reply()).toContain(`TOO_LARGE: The body is larger than ${maxBytes} bytes.`);
    expect(bodies.countedBytes).toBe(0);
  });

  it('that announce too much are refused before they arrive', async () => {
    await serve();
    const sent = await startPost(url, '/', { announced: maxBytes + 1 });
    expect(await sent.reply()).toContain(`TOO_LARGE: The body is larger than ${maxBytes} bytes.`);
  });

  it('that may only be short are never counted, however small their chunks are', async () => {
    await serve({ freeBytes: maxBytes, totalBytes: 0, ordinaryBytes: maxBytes });
    const sent = await startPost(url, '/');
    for (let count = 0; count < 2 * kilobyte + 1; count += 1) void sent.send('x');
    expect(await sent.reply()).toContain('TOO_LARGE');
    const short = await post(400 * kilobyte, { isFinished: true });
    expect(await short.reply(/complete/)).toContain('complete');
  });

  it.each([
    ['ordinary', 40 * kilobyte, { ordinaryMs: 30 }],
    ['short', 10, { ordinaryMs: 30 }],
    ['large', 100 * kilobyte, { largeMs: 30 }],
  ])('that arrive too slowly time out: %s', async (_, size, changes) => {
    await serve(changes);
    const sent = await post(size);
    const reply = await sent.reply();
    expect(reply).toContain('TIMEOUT: The body was not complete after 0.03 s. Send it again.');
    expect(reply).toMatch(/connection: close/i);
    expect(bodies.countedBytes).toBe(0);
  });

  it('that are refused are not read on, and the client has time to read the reply', async () => {
    await serve({ totalBytes: 0, ordinaryBytes: 20_000_000, lingerMs: 60_000 });
    const size = 20_000_000;
    const sent = await startPost(url, '/');
    void sent.send(Buffer.alloc(size, 'x'));
    const [reply] = await Promise.all([
      sent.reply(/UNAVAILABLE/),
      new Promise((resolve) => sent.socket.once('end', resolve)),
    ]);
    expect(reply).toContain('UNAVAILABLE');
    expect(received()).toBeLessThan(size / 2);
    expect(sent.socket.destroyed).toBe(false);
    sent.socket.destroy();
  });
});
