import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyLimits } from '../../src/base/request-bodies.ts';
import { type RawPost, startPost } from '../support/clients/raw-body.ts';
import { type RunningZoo, runZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { serveTestHub } from '../support/hubs/serve-test-hub.ts';

let folder: ZooFolder;
let zoo: RunningZoo;
let url = '';
beforeAll(async () => {
  folder = await zooFolder();
  zoo = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  url = (await zoo.says(/Web app +(http:\/\/127\.0\.0\.1:\d+)\n/))[1] ?? '';
});
afterAll(async () => {
  await zoo[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const megabyte = 1024 * 1024;
const bodySize = Math.round(3.9 * megabyte);

async function residentBytes(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(zoo.process.pid)]);
  return Number(stdout) * 1024;
}

const paths = ['/mcp', '/mcp/execute', '/tools/search', '/agents/nobody/prompt'];

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Starts 200 bodies without finishing them. Resolves to the replies when no more bodies are held than fit into the budget. */
async function sendUnfinished(announced: number | undefined): Promise<{ replies: string[]; end(): void }> {
  const part = Buffer.alloc(bodySize - 1_000, 'x');
  const sent = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const path = paths[index % paths.length] ?? '';
      const each = await startPost(url, path, announced === undefined ? {} : { announced });
      void each.send(part);
      return each;
    }),
  );
  const maxHeld = Math.floor(bodyLimits.totalBytes / part.length);
  const replies: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const each of sent)
    void each.reply().then((reply) => {
      replies.push(reply);
      if (replies.length === sent.length - maxHeld) resolve();
    });
  await promise;
  const end = () => {
    for (const { socket } of sent) socket.destroy();
  };
  return { replies: [...replies], end };
}

describe('200 unfinished bodies of 3.9 MB', () => {
  it.each([
    ['announced', bodySize],
    ['chunked', undefined],
  ])('cost the hub at most 64 MB, and short requests still succeed: %s', async (_, announced) => {
    // Loads whatever the hub loads with the first request.
    for (const path of paths) await post(path, {});
    const before = await residentBytes();
    const { replies, end } = await sendUnfinished(announced);
    const grownMegabytes = ((await residentBytes()) - before) / megabyte;
    expect((await post('/tools/search', { query: 'zoo' })).status).toBe(200);
    end();
    expect(grownMegabytes).toBeLessThanOrEqual(64);
    for (const reply of replies) {
      expect(reply).toMatch(/^HTTP\/1\.1 503 /);
      expect(reply).toMatch(/retry-after: 1/i);
      expect(reply).toMatch(/connection: close/i);
      expect(reply).toContain('The hub is already receiving 16 MB of other requests');
    }
  });
});

describe('callers without a valid credential', () => {
  const wrong = { authorization: 'Bearer wrong' };
  const cases: [path: string, headers: Record<string, string>, status: number, error: RegExp][] = [
    ['/mcp', {}, 401, /"id":null,"error":.*has no key/],
    ['/mcp', wrong, 403, /"id":null,"error":/],
    ['/mcp/execute', {}, 403, /"success":false,"error":\{"code":"PERMISSION_DENIED".*has no key/],
    ['/mcp/execute', wrong, 403, /"success":false,"error":\{"code":"PERMISSION_DENIED"/],
    ['/api/session', {}, 413, /larger than 4096 bytes/],
  ];

  it('cannot hold the budget or the slot for large bodies, and their calls are logged', async () => {
    const zoo = await serveTestHub({ anonymous: 'none' });
    const sent: RawPost[] = [];
    for (const announced of [bodySize, 5 * megabyte, undefined])
      for (const [path, headers, status, error] of cases) {
        const each = await startPost(zoo.server.url, path, {
          headers,
          ...(announced !== undefined && { announced }),
        });
        sent.push(each);
        void each.send(Buffer.alloc(20 * 1024, 'x'));
        const reply = await each.reply(error);
        expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(reply).toMatch(error);
      }
    const { entries } = await zoo.hub.decisions.page({ limit: 100 });
    expect(entries.filter(({ tool }) => tool === 'unknown')).toHaveLength(3 * 4);
    for (const { socket } of sent) socket.destroy();
    await zoo.end();
  });

  it('get the same errors for short calls as ever, with the name of the tool in the log', async () => {
    const zoo = await serveTestHub({ anonymous: 'none' });
    const call = { agentId: 'worker', toolName: 'mcp__mail__inbox', input: {} };
    const { status, body } = await zoo.call('POST', '/mcp/execute', { body: call, headers: wrong });
    expect([status, body.error.code]).toEqual([403, 'PERMISSION_DENIED']);
    const { entries } = await zoo.hub.decisions.page({ limit: 100 });
    expect(entries.map(({ tool }) => tool)).toEqual(['mcp__mail__inbox']);
    await zoo.end();
  });
});

it('a large import is read', async () => {
  const agents = Array.from({ length: 60 }, (_, index) => ({
    id: `imported-${index}`,
    name: `Imported ${index}`,
    systemPrompt: 'x'.repeat(300_000),
  }));
  const { stdout: key } = await runZoo(['key'], { cwd: folder.dir });
  const reply = await post('/api/import', agents, { authorization: `Bearer ${key.trim()}` });
  expect([reply.status, (await reply.json()).created.length]).toEqual([201, 60]);
});
