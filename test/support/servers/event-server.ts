import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedEvent {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** A status, optionally with headers and a body; `hang` never replies, `drop` disconnects. */
type ScriptedAnswer = number | { status: number; headers: Record<string, string>; body?: string } | 'hang' | 'drop';

export interface TestEventServer {
  url: string;
  port: number;
  requests: ReceivedEvent[];
  /** Replies for the next requests, one each; all others get 204. */
  script(...answers: ScriptedAnswer[]): void;
  /** Resolves when this many requests have arrived since the start. */
  requested(count: number): Promise<void>;
  /** Replies to the hanging requests. */
  release(): void;
  close(): Promise<void>;
}

/** A receiver of webhooks on this machine. */
export async function startEventServer(): Promise<TestEventServer> {
  const requests: ReceivedEvent[] = [];
  const script: ScriptedAnswer[] = [];
  const waiting = new Set<() => void>();
  const hanging = new Set<() => void>();
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      const answer = script.shift() ?? 204;
      if (answer === 'drop') response.destroy();
      else if (answer === 'hang') hanging.add(() => response.writeHead(204).end());
      else if (typeof answer === 'number') response.writeHead(answer).end(answer === 204 ? undefined : 'an answer');
      else response.writeHead(answer.status, answer.headers).end(answer.body);
      for (const wake of waiting) wake();
      waiting.clear();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    script: (...answers) => void script.push(...answers),
    async requested(count) {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.add(resolve));
    },
    release() {
      for (const answer of hanging) answer();
      hanging.clear();
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
