import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { EventStream } from './event-stream.ts';

it('a stream whose response was ended by somebody else takes no more events, and does no harm', async () => {
  const errors: unknown[] = [];
  const server = createServer((_request, response) => {
    response.on('error', (error) => errors.push(error));
    const stream = new EventStream(response);
    stream.send('{"first":1}');
    response.end();
    stream.send('{"second":2}');
    stream.keepAlive();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const text = await reply.text();
  expect(text).toContain('{"first":1}');
  expect(text).not.toContain('{"second":2}');
  server.close();
  await once(server, 'close');
  expect(errors).toEqual([]);
});
