import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { luaHost, resolveJob, type SilentServer, startSilentServer } from '../../../test/support/lua/lua-jobs.ts';
import { silentLogger } from '../../base/logger.ts';
import { hostileCases } from './hostile-cases.ts';
import type { LuaSandbox } from './lua-job.ts';
import { createLuaSandbox } from './sandbox.ts';

let sandbox: LuaSandbox;
let silent: SilentServer;

beforeAll(async () => {
  sandbox = createLuaSandbox({ threads: 2 });
  silent = await startSilentServer();
});
afterAll(async () => {
  silent.close();
  await sandbox.close();
});

const answer = (word: string) => ({ system: `Restart for ${word}`, clean: true });

describe('a hostile script is stopped and leaves the others in peace', () => {
  it.each(hostileCases)('$script: $code', async ({ script, code, message, isMetadata }) => {
    const { call, ...metadata } = resolveJob(`hostile/${script}`, {
      timeoutMs: code === 'TIMEOUT' ? 100 : 30_000,
      host: luaHost({ allowedHosts: [silent.host] }),
      args: { silent: silent.url },
    });
    // From here on one thread is warm: the deadline does not pass while one starts.
    await sandbox.run(resolveJob('hostile/well-behaved', { args: { word: 'warm' } }));
    const hostile = sandbox.run(isMetadata || !call ? metadata : { ...metadata, call });
    const other = sandbox.run(resolveJob('hostile/well-behaved', { args: { word: script } }));
    await expect(hostile).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(other).resolves.toEqual(answer(script));
  });

  it('all of them at once, and every well-behaved prompt between them is answered', async () => {
    const outcomes = hostileCases
      .filter(({ isMetadata }) => !isMetadata)
      .slice(0, 30)
      .map(async ({ script, code }, index) => {
        const host = luaHost({ allowedHosts: [silent.host] });
        const job = resolveJob(`hostile/${script}`, { timeoutMs: 150, host, args: { silent: silent.url } });
        const other = resolveJob('hostile/well-behaved', { args: { word: String(index) } });
        const [hostile, good] = await Promise.allSettled([sandbox.run(job), sandbox.run(other)]);
        expect(good).toEqual({ status: 'fulfilled', value: answer(String(index)) });
        // Time may run out before memory does, or before a thread is free.
        expect(hostile).toMatchObject({ status: 'rejected' });
        const codes = code === 'TIMEOUT' ? ['TIMEOUT'] : ['TIMEOUT', code];
        expect(codes).toContain(hostile.status === 'rejected' && hostile.reason.code);
      });
    expect(outcomes.length).toBe(30);
    await Promise.all(outcomes);
  });

  it('a flood of log lines is cut', async () => {
    const lines: string[] = [];
    const enough = new AbortController();
    const keep = (_fields: object, message: string) => void lines.push(message);
    const logger = {
      ...silentLogger,
      info: keep,
      warn(fields: object, message: string) {
        keep(fields, message);
        enough.abort();
      },
    };
    const job = resolveJob('hostile/log-flood', { host: luaHost({ logger }), signal: enough.signal });
    await expect(sandbox.run(job)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(lines.length).toBe(1001);
    expect(lines.at(-1)).toBe('This run logged more than 1000 lines. The rest is omitted.');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(10_000);
  });
});

describe('nothing goes from one run to the next', () => {
  it('neither globals nor changed libraries, on any thread', async () => {
    for (let round = 0; round < 10; round += 1) {
      const poison = sandbox.run(resolveJob('hostile/poisons-the-state'));
      await expect(poison).resolves.toEqual({ system: 'done' });
      const words = ['first', 'second', 'third'];
      const results = words.map((word) => sandbox.run(resolveJob('hostile/well-behaved', { args: { word } })));
      expect(await Promise.all(results)).toEqual(words.map(answer));
    }
  });
});

describe('a script does not get out', () => {
  it('by any name of Lua, Node or JavaScript', async () => {
    await expect(sandbox.run(resolveJob('hostile/escapes'))).resolves.toEqual({ found: '' });
  });

  it('to environment variables that the config does not list', async () => {
    const host = luaHost({ env: (name) => (name === 'LISTED' ? 'yes' : undefined) });
    const job = resolveJob('hostile/unlisted-environment', { host });
    await expect(sandbox.run(job)).resolves.toEqual({ listed: 'yes', home: 'none', proto: 'none' });
  });

  it('to files beyond its folder, by dots, absolute paths or links', async () => {
    const root = mkdtempSync(join(tmpdir(), 'zoo-lua-'));
    const folder = join(root, 'scripts');
    mkdirSync(join(folder, 'data'), { recursive: true });
    writeFileSync(join(root, 'secret.txt'), 'secret');
    writeFileSync(join(folder, 'data/known.txt'), 'known');
    symlinkSync(join(root, 'secret.txt'), join(folder, 'link.txt'));
    symlinkSync(root, join(folder, 'up'));
    copyFileSync(resolveJob('hostile/leaves-its-folder').file, join(folder, 'script.lua'));
    const paths = [
      '../secret.txt',
      'data/../../secret.txt',
      join(root, 'secret.txt'),
      '/etc/passwd',
      'link.txt',
      'up/secret.txt',
      'up',
      '..',
      'data\\..\\..\\secret.txt',
      'data/known.txt\0/../../secret.txt',
      'nothing.txt',
    ];
    const job = resolveJob('hostile/leaves-its-folder', { args: { paths }, file: join(folder, 'script.lua') });
    const results = (await sandbox.run(job)) as string[];
    expect(results.length).toBe(2 * paths.length);
    for (const result of results) {
      expect(result).toMatch(/outside the script's folder|leads out of the script's folder|there is no such file/);
    }
    rmSync(root, { recursive: true });
  });

  it('to private addresses, in whatever form they are written', async () => {
    const urls = [
      'http://127.0.0.1/',
      'http://localhost/',
      'http://localhost./',
      'http://127.1/',
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0x7f.0.0.1/',
      'http://0177.0.0.1/',
      'http://①②⑦.0.0.1/',
      'http://0.0.0.0/',
      'http://0/',
      'http://10.1.2.3/',
      'http://172.16.0.1/',
      'http://192.168.1.1/',
      'http://100.64.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://224.0.0.1/',
      'http://255.255.255.255/',
      'http://[::]/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:a9fe:a9fe]/',
      'http://[64:ff9b::7f00:1]/',
      'http://[2002:7f00:1::]/',
      'http://[fc00::1]/',
      'http://[fe80::1]/',
      'http://[ff02::1]/',
      'https://127.0.0.1/',
    ];
    const results = (await sandbox.run(resolveJob('hostile/private-addresses', { args: { urls } }))) as string[];
    expect(results.length).toBe(urls.length);
    for (const [index, result] of results.entries()) {
      expect(`${urls[index]} ${result}`).toMatch(/a private or reserved address, which scripts may not reach/);
    }
  });

  it('to other schemes, or with a password in the address', async () => {
    const urls = [
      'file:///etc/passwd',
      'ftp://example.com/',
      'gopher://127.0.0.1/',
      'not a url',
      'http://u:p@example.com/',
    ];
    const results = (await sandbox.run(resolveJob('hostile/private-addresses', { args: { urls } }))) as string[];
    expect(results).toEqual([
      expect.stringContaining('is not an http or https address'),
      expect.stringContaining('is not an http or https address'),
      expect.stringContaining('is not an http or https address'),
      expect.stringContaining('is not a URL'),
      expect.stringContaining('A URL must not contain a user name'),
    ]);
  });

  it('to a private address behind a redirect of an allowed host', async () => {
    const seen: string[] = [];
    const inner = await listen((url) => void seen.push(url));
    const outer = await listen(() => undefined, `http://127.0.0.1:${inner.port}/secret`);
    const host = luaHost({ allowedHosts: [`127.0.0.1:${outer.port}`] });
    const urls = [`http://127.0.0.1:${outer.port}/start`];
    const job = resolveJob('hostile/private-addresses', { args: { urls }, host });
    expect(await sandbox.run(job)).toEqual([expect.stringContaining('"127.0.0.1" is a private or reserved address')]);
    expect(seen).toEqual([]);
    inner.server.close();
    outer.server.close();
  });
});

async function listen(onRequest: (url: string) => void, location?: string): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    onRequest(request.url ?? '');
    response.writeHead(location ? 302 : 200, location ? { location } : {}).end('inner');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
