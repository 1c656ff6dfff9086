import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { fetchCatalogue } from './fetch-catalogue.ts';
import { type Catalogue, openCatalogue } from './open-catalogue.ts';

const entry = (word: string, title: string) => ({
  name: `io.github.ada/${word}`,
  title,
  description: `Tells the ${word}.`,
  version: '1.0.0',
  packages: [{ registryType: 'npm', identifier: `@ada/${word}`, version: '1.0.0', transport: { type: 'stdio' } }],
});
const weather = entry('weather', 'Weather');
const tides = entry('tides', 'Tides');
const status = (given: object) => ({ 'io.modelcontextprotocol.registry/official': given });

let dataDir: string;
let catalogue: Catalogue;
let server: Server | undefined;
const file = () => join(dataDir, 'catalogue.json');
const signal = new AbortController().signal;
const names = async (query: string) => (await catalogue.search(query, 50)).entries.map((each) => each.server.name);

/** Serves lists on loopback, and returns the address. */
async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v0.1/servers?limit=1`;
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'zoo-catalogue-'));
  catalogue = openCatalogue({ dataDir, clock: systemClock });
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

describe('searching', () => {
  it('finds titles before names and descriptions, and every word must match', async () => {
    expect((await names('git'))[0]).toBe('io.github.modelcontextprotocol/server-git');
    expect(await names('browser controls')).toEqual(['io.github.microsoft/playwright-mcp']);
    expect(await names('no-such-thing')).toEqual([]);
  });

  it('lists everything without a query, up to the limit', async () => {
    const page = await catalogue.search('', 3);
    expect(page).toMatchObject({ entries: { length: 3 }, updated: null });
    expect(page.matches).toBe(page.size);
    expect(page.entries.every(({ isBundled }) => isBundled)).toBe(true);
  });
});

describe('an update', () => {
  it('fetches all pages, leaves out what cannot be added, and keeps the list in a private file', async () => {
    const asked: string[] = [];
    const url = await serve((request, reply) => {
      asked.push(request.url ?? '');
      const isFirst = !request.url?.includes('cursor');
      const page = isFirst
        ? {
            servers: [{ server: weather, _meta: status({ status: 'active', isLatest: true }) }],
            metadata: { nextCursor: 'a b' },
          }
        : {
            servers: [
              { server: tides },
              { server: { ...weather, name: 'a/old' }, _meta: status({ status: 'active', isLatest: false }) },
              { server: { ...weather, name: 'a/withdrawn' }, _meta: status({ status: 'deleted' }) },
              { server: { ...weather, name: 'a/odd', packages: [] } },
            ],
          };
      reply.end(JSON.stringify(page));
    });
    const report = await catalogue.updateFromUrl(url, signal);
    expect(report).toMatchObject({ from: url, servers: 2, leftOut: 3 });
    expect(asked).toEqual(['/v0.1/servers?limit=1', '/v0.1/servers?limit=1&cursor=a+b']);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await names('tells')).toEqual(expect.arrayContaining([weather.name, tides.name]));
    // Another process sees it, too.
    const other = openCatalogue({ dataDir, clock: systemClock });
    expect(await other.search('weather', 5)).toMatchObject({ matches: 1, updated: { from: url } });
  });

  it('never replaces a server of the product', async () => {
    const memory = { ...tides, name: 'io.github.modelcontextprotocol/server-memory', title: 'Memory, newer' };
    catalogue.updateFromText(JSON.stringify([memory, tides]), 'list.json');
    expect(await names('memory, newer')).toEqual([]);
    const { entries } = await catalogue.search('server-memory', 5);
    expect(entries).toMatchObject([{ isBundled: true, server: { title: 'Memory' } }]);
  });

  it('replaces the last update', async () => {
    catalogue.updateFromText(JSON.stringify([weather]), 'one.json');
    catalogue.updateFromText(JSON.stringify({ servers: [tides] }), 'two.json');
    expect([await names('weather'), await names('tides')]).toEqual([[], [tides.name]]);
  });

  it('leaves out malformed servers and counts them', async () => {
    const huge = { ...tides, name: 'a/huge', extra: 'x'.repeat(300_000) };
    const list = [{ ...weather, name: 'no-namespace' }, 1, huge, tides];
    expect(catalogue.updateFromText(JSON.stringify(list), 'list.json')).toMatchObject({ servers: 1, leftOut: 3 });
    expect(await names('tides')).toEqual([tides.name]);
  });

  it.each(['characters', 'pages', 'servers'] as const)('that has too many %s is refused', async (what) => {
    let page = 0;
    const url = await serve((_, reply) => {
      page += 1;
      reply.end(JSON.stringify({ servers: [weather], metadata: { nextCursor: String(page) } }));
    });
    const limits = { servers: 100, pages: 100, characters: 100_000, [what]: what === 'characters' ? 1_000 : 5 };
    const refused = { code: 'TOO_LARGE', message: expect.stringContaining(`${limits[what]} ${what}`) };
    await expect(fetchCatalogue(url, signal, limits)).rejects.toMatchObject(refused);
    expect(page).toBeLessThan(10);
  });

  it('accepts a single server.json', () => {
    expect(catalogue.updateFromText(JSON.stringify(weather), 'server.json')).toMatchObject({ servers: 1, leftOut: 0 });
  });

  it.each([
    ['not JSON', '{', /not in the format of the MCP registry: The text is not valid JSON/],
    ['no list', '{"items": []}', /servers: is required/],
    ['no server', '{"servers": [1]}', /servers\[0\]: must be a server\.json/],
    ['a wrong field', JSON.stringify([{ ...weather, version: 1 }]), /servers\[0\]: server\.version: /],
    ['a name without a namespace', JSON.stringify([{ ...weather, name: 'x' }]), /server\.name: must be a namespace/],
    ['nothing to add', JSON.stringify([{ ...weather, packages: [] }]), /no server that the hub can run or reach/],
  ])('with %s changes nothing and says what is wrong', async (_, text, message) => {
    catalogue.updateFromText(JSON.stringify([weather]), 'good.json');
    const before = await readFile(file(), 'utf8');
    expect(() => catalogue.updateFromText(text, 'bad.json')).toThrow(message);
    expect(await readFile(file(), 'utf8')).toBe(before);
  });

  it.each<[string, RequestListener, RegExp]>([
    ['an error', (_, reply) => void reply.writeHead(500).end(), /replied with status 500/],
    [
      'the same page for ever',
      (_, reply) => void reply.end(JSON.stringify({ servers: [weather], metadata: { nextCursor: 'x' } })),
      /repeats its pages/,
    ],
    [
      'a redirect to another private address',
      (_, reply) => void reply.writeHead(302, { location: 'http://127.0.0.2:1/' }).end(),
      /private or reserved address/,
    ],
  ])('from a server with %s changes nothing', async (_, listener, message) => {
    await expect(catalogue.updateFromUrl(await serve(listener), signal)).rejects.toThrow(message);
    await expect(stat(file())).rejects.toThrow('ENOENT');
  });

  it('does not keep a secret of the address', async () => {
    const url = await serve((_, reply) => void reply.end(JSON.stringify([weather])));
    await catalogue.updateFromUrl(`${url}&api_key=abcdefgh`, signal);
    expect(await readFile(file(), 'utf8')).not.toContain('abcdefgh');
  });

  it('that was damaged is named, with what to do', async () => {
    await writeFile(file(), '{');
    await expect(catalogue.search('', 5)).rejects.toThrow(
      /catalogue\.json cannot be read: .* Update the catalogue again/,
    );
  });
});
