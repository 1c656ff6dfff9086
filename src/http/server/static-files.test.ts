import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { findWebRoot, staticFiles } from './static-files.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function folderWith(page: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-root-'));
  folders.push(folder);
  await mkdir(join(folder, page), { recursive: true });
  await writeFile(join(folder, page, 'index.html'), '');
  return folder;
}

describe('the web app is found', () => {
  it.each([
    ['in a checkout', 'dist/web', 'src/http/server'],
    ['in the package, next to one bundled file', 'dist/web', 'dist'],
    ['in the package, next to a folder of code', 'dist/web', 'dist/http'],
  ])('%s', async (_, page, code) => {
    const folder = await folderWith(page);
    expect(findWebRoot(join(folder, code))).toBe(join(folder, page));
  });

  it('where a build would write it, if there is none yet', () => {
    expect(findWebRoot(join(tmpdir(), 'nowhere', 'src', 'http', 'server'))).toBe(
      join(tmpdir(), 'nowhere', 'dist', 'web'),
    );
  });
});

describe('a file of the web app is sent', () => {
  const script = 'export const greeting = "hello";\n'.repeat(200);
  const plain = (body: Buffer) => body;

  async function get(headers: Record<string, string>, { name = 'app.js', text = script } = {}) {
    const folder = await folderWith('.');
    await writeFile(join(folder, name), text);
    const response = await staticFiles(folder).answer(new Request(`http://127.0.0.1/${name}`, { headers }));
    return { response, body: Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer(0)) };
  }

  it.each([
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ['gzip', 'gzip, deflate', gunzipSync],
    ['gzip', 'gzip;q=0.5, br;q=0', gunzipSync],
    [null, 'identity', plain],
    [null, 'gzip;q=0', plain],
  ])('with the encoding %s to a browser that accepts %s', async (encoding, accepted, decode) => {
    const { response, body } = await get({ 'accept-encoding': accepted });
    expect(response?.headers.get('content-encoding')).toBe(encoding);
    expect(response?.headers.get('vary')).toBe('accept-encoding');
    expect(decode(body).toString()).toBe(script);
    expect(body.length < script.length / 10).toBe(encoding !== null);
  });

  it('as it is if compressing it would gain nothing', async () => {
    const { response } = await get({ 'accept-encoding': 'br' }, { name: 'face.png' });
    expect(response?.headers.get('content-encoding')).toBeNull();
  });

  it('once per state: a replaced file is compressed again, and its tag differs by encoding', async () => {
    const folder = await folderWith('.');
    const files = staticFiles(folder);
    const ask = (headers: Record<string, string>) => files.answer(new Request('http://127.0.0.1/app.js', { headers }));
    await writeFile(join(folder, 'app.js'), script);
    const first = await ask({ 'accept-encoding': 'br' });
    const tag = first?.headers.get('etag') ?? '';
    expect((await ask({ 'accept-encoding': 'br', 'if-none-match': tag }))?.status).toBe(304);
    expect((await ask({ 'accept-encoding': 'gzip', 'if-none-match': tag }))?.status).toBe(200);
    await writeFile(join(folder, 'app.js'), 'export const greeting = "bye";');
    const second = await ask({ 'accept-encoding': 'br', 'if-none-match': tag });
    expect(brotliDecompressSync(Buffer.from((await second?.arrayBuffer()) ?? new ArrayBuffer(0))).toString()).toContain(
      'bye',
    );
  });
});
