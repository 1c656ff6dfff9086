import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface TestNats {
  url: string;
  /** Closes every connection, and refuses new ones until `heal`. */
  fail(): void;
  heal(): void;
  /** Accepts messages and passes none on. */
  isDeaf: boolean;
  /** The first lines that a connection receives. */
  greeting: string;
  /** What clients must know; empty if they need not. */
  token: string;
  /** The payloads that were sent to a subject. */
  sent: { subject: string; payload: string }[];
  /** Sends a message as any other client of the server could. */
  publish(subject: string, payload: string): void;
  /** Sends text to every connection, whatever the protocol says. */
  say(text: string): void;
  close(): Promise<void>;
}

/** A server for the part of the NATS protocol that the hub uses. `npm run proof -- bus` uses the real one. */
export async function openNats({ token = '' } = {}): Promise<TestNats> {
  const subscribers = new Map<Socket, Map<string, string>>();
  let isDown = false;
  const greeting = 'INFO {"server_id":"test","version":"2.9.0","headers":true,"max_payload":1048576}\r\nPING\r\n';
  const nats = { isDeaf: false, greeting, token, sent: [] as TestNats['sent'] } as TestNats;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (isDown) return void socket.destroy();
    subscribers.set(socket, new Map());
    socket.on('close', () => subscribers.delete(socket));
    socket.write(nats.greeting);
    let rest = '';
    let isKnown = token === '';
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      rest += text;
      for (;;) {
        const end = rest.indexOf('\r\n');
        if (end === -1) return;
        const [verb = '', ...words] = rest.slice(0, end).split(' ');
        const length = verb === 'PUB' ? Number(words[1]) + 2 : 0;
        if (rest.length < end + 2 + length) return;
        const payload = rest.slice(end + 2, end + length);
        rest = rest.slice(end + 2 + length);
        if (verb === 'CONNECT') isKnown ||= JSON.parse(words.join(' ')).auth_token === nats.token;
        if (!isKnown) return void socket.end("-ERR 'Authorization Violation'\r\n");
        if (verb === 'SUB') subscribers.get(socket)?.set(words[0] ?? '', words[1] ?? '');
        if (verb === 'PUB' && !nats.isDeaf) deliver(words[0] ?? '', payload);
      }
    });
  });
  function deliver(subject: string, payload: string): void {
    nats.sent.push({ subject, payload });
    for (const [socket, subscriptions] of subscribers) {
      const sid = subscriptions.get(subject);
      if (sid) socket.write(`MSG ${subject} ${sid} ${payload.length}\r\n${payload}\r\n`, 'latin1');
    }
  }
  const drop = () => {
    for (const socket of subscribers.keys()) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(nats, {
    url: `nats://${token === '' ? '' : `${token}@`}127.0.0.1:${port}`,
    fail() {
      isDown = true;
      drop();
    },
    heal() {
      isDown = false;
    },
    publish: deliver,
    say(text: string) {
      for (const socket of subscribers.keys()) socket.write(text);
    },
    async close() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
