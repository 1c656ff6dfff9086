import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReadyBody, StatusBody } from '../../src/http/hub.contract.ts';
import {
  type RunningZoo,
  runZoo,
  startCommand,
  type ZooFolder,
  zooFolder,
  zooScript,
} from '../support/command/run-zoo.ts';
import { databaseKinds, newTestDatabase } from '../support/databases/test-database.ts';
import { ownerHeader } from '../support/hubs/owner-key.ts';
import { serveTestHub } from '../support/hubs/serve-test-hub.ts';
import { freePort } from '../support/servers/free-port.ts';

describe.each(databaseKinds)('a hub on %s', (kind) => {
  it('is alive and ready', async () => {
    const database = await newTestDatabase(kind);
    const zoo = await serveTestHub({ db: database.db });
    try {
      expect(await zoo.call('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
      const { status, body } = await zoo.call<ReadyBody>('GET', '/ready');
      expect([status, body.ready]).toEqual([200, true]);
      expect(body.checks).toEqual(['database', 'migrations', 'disk'].map((name) => ({ name, ok: true, message: '' })));
    } finally {
      await zoo.end();
      await database.remove();
    }
  });
});

const patience = { timeout: 30_000, interval: 200 };

describe('a hub whose disk fails', () => {
  let folder: ZooFolder;
  let url: string;
  let file: string;
  beforeEach(async () => {
    folder = await zooFolder({ isNew: true });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    file = join(folder.dir, 'home', 'zoo.sqlite');
    await writeFile(join(folder.dir, 'zoo.toml'), `[server]\nbind = "127.0.0.1:${port}"\n`);
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  /** `maxBlocks` limits the size of files in blocks of 512 bytes; writes beyond it fail with EFBIG. */
  async function serve(maxBlocks?: number): Promise<RunningZoo> {
    const limit = maxBlocks === undefined ? '' : `ulimit -f ${maxBlocks}; `;
    const command = ['sh', '-c', `${limit}exec "$0" "$@"`, process.execPath, zooScript, 'serve'];
    const zoo = startCommand(command, { cwd: folder.dir });
    await zoo.says(/Press Ctrl-C to stop/);
    return zoo;
  }

  const owner = () => ownerHeader({ home: join(folder.dir, 'home') });

  async function post(
    name: string,
    length: number,
  ): Promise<{ status: number; body: { error: { code: string; message: string } } }> {
    const systemPrompt = 'x'.repeat(length);
    const response = await fetch(`${url}/api/agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await owner()) },
      body: JSON.stringify({ name, systemPrompt }),
    });
    return { status: response.status, body: await response.json() };
  }

  async function get<B>(path: string): Promise<{ status: number; body: B }> {
    const response = await fetch(`${url}${path}`, { headers: { ...(await owner()) } });
    return { status: response.status, body: await response.json() };
  }

  it('reports it in each reply, in /ready, in the status and in a few lines of its log', async () => {
    {
      // The database outgrows the limit that is set next, so that no checkpoint makes room for further writes.
      await using whole = await serve();
      for (let count = 0; count < 30; count += 1) await post(`Large ${count}`, 90_000);
      whole.process.kill('SIGTERM');
      await whole.ended;
    }
    await using zoo = await serve(4_000);
    const fail = () => post('Another', 90_000);
    let failed = await fail();
    for (let count = 0; failed.status === 201 && count < 200; count += 1) failed = await fail();
    expect(failed).toMatchObject({
      status: 503,
      body: {
        error: { code: 'storage_failed', message: expect.stringMatching(/the disk reported an error.*Check the disk/) },
      },
    });
    expect((await get('/health')).status).toBe(200);
    // A small write by the hub itself may still succeed; then there is no fault until the next write fails.
    await vi.waitFor(async () => {
      await fail();
      const { status, body } = await get<ReadyBody>('/ready');
      const database = body.checks.find(({ name }) => name === 'database');
      expect([status, body.ready, database?.ok]).toEqual([503, false, false]);
    }, patience);
    await vi.waitFor(async () => {
      await fail();
      const { problems } = (await get<StatusBody>('/api/status')).body;
      expect(problems.map(({ message }) => message)).toEqual([failed.body.error.message]);
    }, patience);
    await vi.waitFor(async () => {
      await fail();
      expect((await runZoo(['status'], { cwd: folder.dir })).stdout).toContain('the disk reported an error');
    }, patience);
    for (let count = 0; count < 10; count += 1) await fail();
    zoo.process.kill('SIGTERM');
    const { stderr } = await zoo.ended;
    // Not one line for each request. SQLite has two errors for this failure, and each is logged once.
    const lines = stderr.match(/ERROR[^\n]*the disk reported an error/gi) ?? [];
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length, lines.join('\n')).toBeLessThan(4);
  });

  it('notices that its database was deleted, rejects all further writes, and says what to do', async () => {
    await using zoo = await serve();
    expect((await post('Before', 10)).status).toBe(201);
    await rm(file);
    for (let count = 0; count < 5; count += 1)
      expect(await post('After', 10)).toMatchObject({
        status: 503,
        body: {
          error: { code: 'storage_failed', message: expect.stringMatching(/deleted or replaced.*restore a backup/) },
        },
      });
    expect((await get('/ready')).status).toBe(503);
    const problems = async () => (await get<StatusBody>('/api/status')).body.problems.map(({ message }) => message);
    expect(await problems()).toEqual([expect.stringContaining('deleted or replaced')]);
    const calls = await fetch(`${url}/tools/agent_zoo_list_agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(calls.status).toBe(503);
    zoo.process.kill('SIGTERM');
    await zoo.ended;
  });

  it('notices within a second, without a request, that its database was deleted', async () => {
    await using zoo = await serve();
    await rm(file);
    await zoo.says(/deleted or replaced while the hub was running/);
    expect((await get('/health')).status).toBe(200);
  });

  it('a damaged file is a problem that "zoo status" shows', async () => {
    await runZoo(['status'], { cwd: folder.dir });
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc((await stat(file)).size - 100, 0xa5), 0, undefined, 100);
    await handle.close();
    const { code, stdout } = await runZoo(['status', '--json'], { cwd: folder.dir });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      data: { kind: 'sqlite' },
      problems: [{ message: expect.stringMatching(/damaged|not a SQLite database/) }],
    });
  });

  it('after a moment without writes, the database file alone contains everything', async () => {
    await using _zoo = await serve();
    await post('Kept', 10);
    await vi.waitFor(async () => expect(String(await readFile(file))).toContain('Kept'), {
      timeout: 15_000,
      interval: 100,
    });
  });
});
