import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load-config.ts';
import { contextReader, maxContextBytes } from './context-reader.ts';

let base: string;
let server: Server;
let url: string;
const never = new AbortController().signal;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'zoo-context-'));
  for (const folder of ['home/.agent-zoo', 'home/work/docs', 'home/work/.hidden', 'home/notes', 'other'])
    await mkdir(join(base, folder), { recursive: true });
  const files = {
    'home/work/docs/style.md': '# Style\nShort sentences.',
    'home/work/.env': 'KEY=1',
    'home/work/credentials.json': '{"key":"s3cret"}',
    'home/work/.hidden/a.md': 'x',
    'home/work/large.txt': 'x'.repeat(maxContextBytes + 1),
    'home/work/picture.png': '\x89PNG\r\n\x1a\n\0\0\0',
    'home/notes/n.md': 'A note.',
    'home/.agent-zoo/key': 'secret',
    'other/o.md': 'Outside.',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(base, name), text, 'latin1');
  await symlink(join(base, 'other', 'o.md'), join(base, 'home', 'work', 'escape.md'));
  await symlink(join(base, 'home', 'work', 'credentials.json'), join(base, 'home', 'work', 'notes.md'));
  server = createServer((request, response) => {
    if (request.url === '/gone') response.writeHead(404).end();
    else response.setHeader('content-type', 'text/html').end('<h1>Guide</h1><p>Use <b>tabs</b>.</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(base, { recursive: true });
});

async function reader(toml: string, folder = 'work') {
  const home = join(base, 'home');
  const cwd = join(home, folder);
  const explicitFile = join(cwd, 'test.toml');
  await writeFile(explicitFile, toml);
  return contextReader(await loadConfig({ explicitFile, cwd, env: {}, home }));
}

const read = async (ref: string, toml = '', folder?: string) =>
  (await (await reader(toml, folder)).find(ref)).read(never);

describe('a context reference', () => {
  it('names a file in the folder of the config, by path or address', async () => {
    const style = { text: '# Style\nShort sentences.', tokens: expect.any(Number) };
    expect(await read('docs/style.md')).toEqual(style);
    expect(await read(join(base, 'home/work/docs/style.md'))).toEqual(style);
    expect(await read(pathToFileURL(join(base, 'home/work/docs/style.md')).href)).toEqual(style);
  });

  it.each([
    ['a file outside', '../notes/n.md', /outside the allowed folders .*Add its folder to \[context\] folders/],
    ['a link that leads outside', 'escape.md', /outside the allowed folders/],
    ['a hidden file', '.env', /hidden/],
    ['a file in a hidden folder', '.hidden/a.md', /hidden/],
    ['a file with keys', 'credentials.json', /looks like a file with secrets/],
    ['a link to a file with keys', 'notes.md', /looks like a file with secrets/],
    ['a missing file', 'gone.md', /no such file/],
    ['a folder', 'docs', /not a file/],
    ['a file that is too large', 'large.txt', /larger than 1 MB/],
    ['a picture', 'picture.png', /picture\.png/],
    ['another scheme', 'ftp://example.com/x', /neither a file nor an http address/],
  ])('is refused for %s', async (_name, ref, message) => {
    await expect(read(ref)).rejects.toThrow(message);
  });

  it('may name more folders, but never the data of the hub', async () => {
    const toml = '[context]\nfolders = ["~"]\n';
    expect(await read('~/notes/n.md', toml)).toMatchObject({ text: 'A note.' });
    await expect(read('~/.agent-zoo/key', toml)).rejects.toThrow(/data folder/);
  });

  it('finds nothing in a home folder that nobody allowed', async () => {
    await expect(read('notes/n.md', '', '.')).rejects.toThrow('no folder is allowed yet');
  });

  it('names a public page; a private one must be allowed', async () => {
    await expect(read(`${url}/guide`)).rejects.toThrow('Allow it with [context] allow_hosts = ["127.0.0.1"]');
    const toml = '[context]\nallow_hosts = ["127.0.0.1"]\n';
    const { text } = await read(`${url}/guide`, toml);
    expect(text).toBe('# Guide\n\nUse tabs.\n');
    await expect(read(`${url}/gone`, toml)).rejects.toThrow('status 404');
  });
});
