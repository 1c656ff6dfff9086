import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedEvent {
  id: string;
  body: { type: string; data: Record<string, unknown> };
  /** Whether the signature is that of the secret. */
  isSigned: boolean;
}

/** Receives webhooks on loopback. Replies 500 at `/refuses`. */
export async function startWebhookReceiver(secret: string) {
  const received: ReceivedEvent[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const [id, time] = [String(request.headers['webhook-id']), String(request.headers['webhook-timestamp'])];
    const signature = createHmac('sha256', secret).update(`${id}.${time}.${text}`).digest('base64');
    const isSigned = request.headers['webhook-signature'] === `v1,${signature}`;
    received.push({ id, body: JSON.parse(text), isSigned });
    response.writeHead(request.url === '/refuses' ? 500 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
