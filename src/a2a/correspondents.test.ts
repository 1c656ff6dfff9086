import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { remoteCorrespondent } from './correspondents.ts';

it('a peer that redirects gets its credentials, and nobody else does', async () => {
  const elsewhere: unknown[] = [];
  const seen: unknown[] = [];
  using target = await listen((request, response) => {
    elsewhere.push(request.url);
    response.end('{}');
  });
  using peer = await listen((request, response) => {
    seen.push([request.headers.authorization, request.headers['x-desk']]);
    response.writeHead(307, { location: `${target.origin}/card.json` }).end();
  });
  const credentials = { bearer: 'word-of-the-peer', headers: { 'X-Desk': '7' } };
  const connecting = remoteCorrespondent('travel', { url: peer.origin, ...credentials }, AbortSignal.timeout(10_000));
  await expect(connecting).rejects.toMatchObject({ message: expect.stringContaining('peer "travel"') });
  expect(seen).toEqual([['Bearer word-of-the-peer', '7']]);
  expect(elsewhere).toEqual([]);
});

async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
