import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScannedItem } from '../../knowledge/connector.ts';
import { type GitSettings, gitConnector } from './git.ts';

let folder: string;
let work: string;
let bare: string;
let clock: number;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'zoo-git-')));
  work = join(folder, 'work');
  bare = join(folder, 'remote.git');
  clock = Date.UTC(2026, 0, 1) / 1000;
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  git(folder, 'init', '--quiet', '--initial-branch=main', work);
  git(work, 'remote', 'add', 'origin', bare);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each(['a path', 'an address'])('a bare repository by %s', (kind) => {
  it('lists its files with their blobs, and fetches new commits the next time', async () => {
    await commit({ 'README.md': 'one', 'docs/a b.md': 'two', 'x.bin': 'no', '.hidden.md': 'no' });
    using server = await serveRepositories();
    const url = kind === 'a path' ? bare : `${server.origin}/remote.git`;
    const where = { url, allow_hosts: ['127.0.0.1'] };
    const first = await scan(where);
    expect(first.names).toEqual(['README.md', 'docs/a b.md']);
    expect(first.items[0]).toMatchObject({ url: null, updatedAt: Date.UTC(2026, 0, 1), tags: ['team'] });
    expect(first.items[0]?.version).toBe(git(work, 'rev-parse', 'HEAD:README.md'));
    expect(await text(first.items[0])).toBe('one');

    await commit({ 'README.md': 'three', 'docs/c.md': 'four' }, ['docs/a b.md']);
    const second = await scan(where);
    expect(second.names).toEqual(['README.md', 'docs/c.md']);
    expect(await Promise.all(second.items.map(text))).toEqual(['three', 'four']);
    const copies = await readdir(join(folder, 'cache'));
    expect(copies).toHaveLength(1);
    expect(git(join(folder, 'cache', copies[0] ?? ''), 'rev-list', '--count', 'refs/zoo/tip')).toBe('1');
  });
});

it('globs and times are relative to a root folder in the repository', async () => {
  await commit({ 'docs/a.md': 'one', 'docs/deep/b.md': 'two', 'docs/node_modules/c.md': 'no', 'other.md': 'no' });
  await commit({ 'docs/deep/b.md': 'changed' });
  await commit({ 'other.md': 'changed' });
  const { items, names } = await scan({ root: './docs/', shallow: false });
  expect(names).toEqual(['a.md', 'deep/b.md']);
  const times = items.map((item) => item.updatedAt);
  expect(times).toEqual([Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]);
  expect((await scan({ root: 'docs', include_globs: ['deep/*.md'] })).names).toEqual(['deep/b.md']);
  await expect(scan({ root: 'nowhere' })).rejects.toThrow(
    `The repository ${bare} has no folder "nowhere" on main. Set root to an existing folder.`,
  );
});

it('the ignore files of the commit apply, also those above the root, and secrets are skipped', async () => {
  await commit({
    '.gitignore': '*.tmp.md\n/docs/drafts/\n',
    'docs/.zooignore': '!kept.tmp.md\nold.md\n',
    'docs/a.md': '',
    'docs/b.tmp.md': '',
    'docs/kept.tmp.md': '',
    'docs/old.md': '',
    'docs/drafts/c.md': '',
    'docs/drafts/d.md': '',
    'docs/.env': 'TOKEN=1',
    'docs/node_modules/e.md': '',
  });
  const { names, skipped } = await scan({ root: 'docs' });
  expect(names).toEqual(['a.md', 'kept.tmp.md']);
  expect(skipped).toEqual([
    '.env secret',
    '.zooignore hidden',
    'b.tmp.md ignored',
    'drafts/ ignored',
    'node_modules/ generated',
    'old.md ignored',
  ]);
  expect((await scan({ root: 'docs', ignore_files: false })).names).toContain('drafts/c.md');
  const explain = (path: string) => gitConnector(settings({})).explain?.(path, AbortSignal.timeout(20_000));
  expect(await explain('docs/drafts/c.md')).toMatchObject({
    reason: 'ignored',
    message: expect.stringContaining('its folder docs/drafts matches the rule "/docs/drafts/" in .gitignore, line 2'),
  });
  expect(await explain('./docs/a.md')).toMatchObject({ path: 'docs/a.md', isTaken: true });
  await expect(explain('docs/none.md')).rejects.toThrow(/There is no file docs\/none.md in the repository/);
});

it('a folder with an unusable ignore file is reported, and everything else is read', async () => {
  await commit({
    'a.md': '',
    'large/.gitignore': '#'.repeat(1_000_001),
    'large/a.md': '',
    'large/deep/b.md': '',
    'long/.zooignore': 'x'.repeat(5_000),
    'long/a.md': '',
  });
  await mkdir(join(work, 'linked'));
  await symlink('../a.md', join(work, 'linked/.zooignore'));
  await mkdir(join(work, 'plain'));
  await symlink('../a.md', join(work, 'plain/.gitignore'));
  await commit({ 'linked/a.md': '', 'plain/a.md': '' });
  const { names, failedFolders } = await scan({});
  expect(names).toEqual(['a.md', 'plain/a.md']);
  expect(failedFolders).toEqual([
    ['large', 'Its .gitignore has more than 1000000 bytes. Shorten it.'],
    ['linked', 'Its .zooignore is a link. Replace it with a file.'],
    ['long', 'Its .zooignore has a rule of more than 4,096 bytes in line 1. Shorten it.'],
  ]);
  const explain = (path: string) => gitConnector(settings({})).explain?.(path, AbortSignal.timeout(20_000));
  await expect(explain('long/a.md')).rejects.toThrow('The folder long cannot be checked: Its .zooignore has a rule of');
});

it.each([
  ['has too many bytes', { 'docs/.gitignore': '#'.repeat(1_000_001) }, 'Its .gitignore has more than 1000000 bytes'],
  ['has a rule that is too long', { 'docs/.ignore': 'x'.repeat(5_000) }, 'Its .ignore has a rule of more than 4,096'],
])('an ignore file above the root that %s fails the source, which keeps what it has', async (_what, files, message) => {
  await commit({ ...files, 'docs/in/a.md': '' });
  await expect(scan({ root: 'docs/in' })).rejects.toThrow(
    `The folder docs of the repository cannot be read: ${message}`,
  );
  expect((await scan({ root: 'docs/in', ignore_files: false })).names).toEqual(['a.md']);
});

it('a clone that lacks a file or an ignore file reports it, removes nothing, and is cloned again', async () => {
  await commit({ 'docs/.gitignore': 'hidden.md', 'docs/hidden.md': 'no', 'docs/in/a.md': 'one', 'b.md': 'two' });
  await scan({});
  const copy = join(folder, 'cache', (await readdir(join(folder, 'cache')))[0] ?? '');
  await lose(copy, 'docs/.gitignore', 'b.md');
  const { names, failed, failedFolders } = await scan({});
  expect(names).toEqual([]);
  const missingBlob = expect.stringMatching(/The local copy of the repository has no content for blob/);
  expect(failed).toEqual([['b.md', missingBlob]]);
  expect(failedFolders).toEqual([
    ['docs', expect.stringMatching(/^Its \.gitignore cannot be read: The local copy of/)],
  ]);
  expect((await scan({})).names).toEqual(['b.md', 'docs/in/a.md']);

  await lose(copy, 'docs/.gitignore');
  await expect(scan({ root: 'docs/in' })).rejects.toThrow(
    'Its .gitignore cannot be read: The local copy of the repository',
  );
  expect((await scan({ root: 'docs/in' })).names).toEqual(['a.md']);
});

it('reads names with newlines, quotes and any letters, and files with equal content', async () => {
  const files = { 'a\nb.md': 'one', 'ü "q".md': 'two', 'same.md': 'two', '1767225600.md': '', 'z/1767225600.md': 'x' };
  await commit(files);
  const { items } = await scan({ shallow: false });
  const contents = await Promise.all(items.map(async (item) => [item.sourceId, await text(item)] as const));
  expect(Object.fromEntries(contents)).toEqual(files);
  expect(new Set(items.map((item) => item.updatedAt))).toEqual(new Set([Date.UTC(2026, 0, 1)]));
});

it('large binary files are read unchanged, in any order', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`${index}.md`, `${index}\n`.repeat(1 + index * 3_000)]),
  );
  await commit(files);
  const { items } = await scan({});
  const contents = await Promise.all(items.map(async (item) => [item.sourceId, await text(item)] as const));
  expect(Object.fromEntries(contents)).toEqual(files);
});

it('links, submodules, LFS pointers and files over the limit are not documents', async () => {
  await commit({
    'a.md': 'one',
    'big.pdf': 'x'.repeat(3_001),
    'lfs.md': 'version https://git-lfs.github.com/spec/v1\n',
  });
  await symlink('a.md', join(work, 'link.md'));
  git(work, 'update-index', '--add', '--cacheinfo', `160000,${git(work, 'rev-parse', 'HEAD')},module.md`);
  await commit({});
  const { items, names, failed } = await scan({ max_extract_bytes: 3_000, include_globs: ['*.md', '*.pdf'] });
  expect(names).toEqual(['a.md', 'lfs.md']);
  expect(failed).toEqual([['big.pdf', 'It has 3001 bytes, but max_extract_bytes allows 3000.']]);
  await expect(text(items[1])).rejects.toThrow('It is stored in Git LFS');
});

it('reads another branch or a tag, and lists the available ones when it is missing', async () => {
  await commit({ 'a.md': 'main' });
  git(work, 'tag', '-a', 'v1', '-m', 'first');
  git(work, 'checkout', '--quiet', '-b', 'next/one');
  await commit({ 'b.md': 'next' });
  git(work, 'push', '--quiet', '--tags', 'origin');
  expect((await scan({ branch: 'next/one' })).names).toEqual(['a.md', 'b.md']);
  expect((await scan({ branch: 'v1' })).names).toEqual(['a.md']);
  await expect(scan({ branch: 'lost' })).rejects.toThrow(
    `The repository ${bare} has no branch "lost". Available: main, next/one.`,
  );
});

it('follows rewritten history', async () => {
  await commit({ 'a.md': 'one' });
  await commit({ 'b.md': 'two' });
  expect((await scan({})).names).toEqual(['a.md', 'b.md']);
  git(work, 'reset', '--quiet', '--hard', 'HEAD~1');
  await commit({ 'c.md': 'three' });
  expect((await scan({})).names).toEqual(['a.md', 'c.md']);
  expect((await scan({ shallow: false })).names).toEqual(['a.md', 'c.md']);
});

it('a damaged clone is replaced', async () => {
  await commit({ 'a.md': 'one', 'b.md': 'two' });
  await scan({});
  const copy = join(folder, 'cache', (await readdir(join(folder, 'cache')))[0] ?? '');

  await writeFile(join(copy, 'HEAD'), 'nonsense');
  expect((await scan({})).names).toEqual(['a.md', 'b.md']);

  await writeFile(join(copy, 'shallow.lock'), '');
  await commit({ 'c.md': 'three' });
  expect((await scan({})).names).toEqual(['a.md', 'b.md', 'c.md']);

  for (const file of await readdir(join(copy, 'objects'), { recursive: true, withFileTypes: true })) {
    if (file.isFile()) await rm(join(file.parentPath, file.name));
  }
  const { items, names } = await scan({});
  expect(names).toEqual(['a.md', 'b.md', 'c.md']);

  await rm(join(copy, 'objects'), { recursive: true, force: true });
  await expect(text(items[0])).rejects.toThrow('The local copy of the repository has no content for blob');
  expect(await text((await scan({})).items[0])).toBe('one');
});

it('a missing repository is an error, not an empty source', async () => {
  await commit({ 'a.md': 'one' });
  await scan({});
  await rm(bare, { recursive: true });
  await expect(scan({})).rejects.toThrow(
    new RegExp(`^The repository ${bare} cannot be read: .*does not appear to be a git repository`),
  );
});

it('a repository with no commit is an error', async () => {
  await expect(scan({})).rejects.toThrow(`The repository ${bare} has no commits yet.`);
});

it('the credentials of the url are never shown', async () => {
  const url = 'http://some-user:s3cr3t-t0ken@127.0.0.1:1/team/docs.git';
  const connector = gitConnector(settings({ url }));
  expect(connector.location).toBe('http://127.0.0.1:1/team/docs.git');
  const error = await scan({ url, allow_hosts: ['127.0.0.1'] }).catch((problem: unknown) => problem);
  expect(String(error)).toMatch(/^HubError: The repository http:\/\/127\.0\.0\.1:1\/team\/docs\.git cannot be read: /);
  expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toMatch(/s3cr3t|some-user/);
  expect(JSON.stringify(await readdir(folder, { recursive: true }))).not.toMatch(/s3cr3t|some-user/);
});

it('a clone does not contain the credentials of the url', async () => {
  await commit({ 'a.md': 'one' });
  using server = await serveRepositories();
  const url = `${server.origin.replace('http://', 'http://user:s3cr3t-t0ken@')}/remote.git`;
  expect((await scan({ url, allow_hosts: ['127.0.0.1'] })).names).toEqual(['a.md']);
  expect(() => execFileSync('grep', ['-r', 's3cr3t', join(folder, 'cache')])).toThrow();
});

describe('the host of a repository', () => {
  it('is not contacted if it is private, unless allow_hosts names it', async () => {
    await commit({ 'a.md': 'one' });
    using server = await serveRepositories();
    const url = `${server.origin}/remote.git`;
    await expect(scan({ url })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: `"127.0.0.1" is a private or reserved address, which the repository ${url} may not use. To allow it, add allow_hosts = ["127.0.0.1"] to the section of the source.`,
    });
    expect(server.requests).toEqual([]);
    expect((await scan({ url, allow_hosts: [`127.0.0.1:${server.port}`] })).names).toEqual(['a.md']);
  });

  it.each([
    'http://localhost:PORT/remote.git',
    'http://2130706433:PORT/remote.git',
    'http://[::1]:PORT/remote.git',
    'ssh://git@127.0.0.1:PORT/remote.git',
    'ssh://git@2130706433:PORT/remote.git',
    'git@localhost:remote.git',
    'git@127.1:remote.git',
    'http://169.254.169.254/latest/remote.git',
    'git@one@127.0.0.1:remote.git',
  ])('is refused however it is written: %s', async (url) => {
    using server = await serveRepositories();
    await expect(scan({ url: url.replace('PORT', String(server.port)) })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(server.requests).toEqual([]);
  });

  it('is resolved once, and git connects to the checked address', async () => {
    await commit({ 'a.md': 'one' });
    using server = await serveRepositories();
    const looked: string[] = [];
    const lookup = async (host: string) => {
      looked.push(host);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const url = `http://git.example:${server.port}/remote.git`;
    await expect(scan({ url, lookup })).rejects.toThrow('"git.example" resolves to 127.0.0.1, a private');
    expect(server.requests).toEqual([]);
    expect((await scan({ url, lookup, allow_hosts: ['git.example'] })).names).toEqual(['a.md']);
    expect(looked).toEqual(['git.example', 'git.example']);
  });

  it('is the one that was checked, also where git reads a url differently', async () => {
    using server = await serveRepositories();
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const url = `http://git.example\\@127.0.0.1:${server.port}/remote.git`;
    await expect(scan({ url, lookup, allow_hosts: ['git.example'] })).rejects.toThrow('cannot be read');
    expect(server.requests).toEqual([]);
  });

  it('may move the repository, but not to a private address', async () => {
    await commit({ 'a.md': 'one' });
    using other = await serveRepositories();
    const moved = {
      '/renamed.git': '/remote.git',
      '/elsewhere.git': `${other.origin}/remote.git`,
      '/page.git': '/login?from=',
    };
    using server = await serveRepositories({ moved, isLocked: true });
    const allow_hosts = [`127.0.0.1:${server.port}`];
    const at = (name: string) => `${server.origin.replace('http://', 'http://me:s3cr3t-t0ken@')}/${name}.git`;
    expect((await scan({ url: at('renamed'), allow_hosts })).names).toEqual(['a.md']);
    expect(server.requests.at(-1)?.authorization).toMatch(/^Basic /);
    await expect(scan({ url: at('elsewhere'), allow_hosts })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(other.requests).toEqual([]);
    await expect(scan({ url: at('page'), allow_hosts })).rejects.toThrow('which is not a repository. Set url');

    await scan({ url: at('elsewhere'), allow_hosts: ['127.0.0.1'] });
    expect(other.requests.length).toBeGreaterThan(0);
    expect(other.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });
});

it.each([
  ['an option', { url: '--upload-pack=touch x' }],
  ['a file address', { url: 'file:///srv/docs.git' }],
  ['a command', { url: 'ext::sh -c "touch x"' }],
  ['nothing', { url: ' ' }],
  ['a branch that is a refspec', { branch: 'main:refs/heads/x' }],
  ['a branch that is an option', { branch: '--all' }],
  ['a root outside', { root: '../other' }],
])('%s is refused as a setting', (_, changes) => {
  expect(() => gitConnector(settings(changes))).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }));
});

it('git and its helpers get none of the secrets of the hub', async () => {
  const seen = join(folder, 'environment');
  vi.stubEnv('GIT_SSH_COMMAND', `env > ${seen}; false`);
  for (const name of ['OPENAI_API_KEY', 'AGENT_ZOO_SECRET', 'DATABASE_URL']) vi.stubEnv(name, 'secret-of-the-hub');
  const lookup = async () => [{ address: '93.184.215.14', family: 4 }];
  await expect(scan({ url: 'git@git.example:docs.git', lookup })).rejects.toThrow('cannot be read');
  vi.unstubAllEnvs();
  const environment = await readFile(seen, 'utf8');
  expect(environment).toContain('PATH=');
  expect(environment).not.toContain('secret-of-the-hub');
});

it('an aborted scan leaves no process', async () => {
  await commit({ 'a.md': 'one' });
  const controller = new AbortController();
  const connector = gitConnector(settings({}));
  for await (const item of connector.scan({ ...quiet, signal: controller.signal })) {
    controller.abort(new Error('enough'));
    await expect(item.read(controller.signal)).rejects.toThrow('enough');
  }
  const scanning = connector
    .scan({ ...quiet, signal: controller.signal })
    [Symbol.asyncIterator]()
    .next();
  await expect(scanning).rejects.toThrow('enough');
});

interface ServeOptions {
  moved?: Record<string, string>;
  /** Requires any password. */
  isLocked?: boolean;
}

/** Serves the folder with git's own web server, and redirects paths that begin like a key of `moved`. */
async function serveRepositories({ moved = {}, isLocked = false }: ServeOptions = {}) {
  const requests: { url: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { url = '', method = '', headers } = request;
    requests.push({ url, authorization: headers.authorization });
    if (isLocked && headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="zoo"' }).end();
      return;
    }
    const [from, to] = Object.entries(moved).find(([path]) => url.startsWith(path)) ?? [];
    if (from !== undefined && to !== undefined) {
      response.writeHead(301, { location: url.replace(from, to) }).end();
      return;
    }
    const { pathname, search } = new URL(url, 'http://x');
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: method,
        CONTENT_TYPE: headers['content-type'] ?? '',
        GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(backend.stdin);
    void buffer(backend.stdout).then((output) => {
      const end = output.indexOf('\r\n\r\n');
      const lines = output.subarray(0, end).toString().split('\r\n');
      const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s)));
      response.writeHead(Number.parseInt(fields.Status ?? '200', 10), fields).end(output.subarray(end + 4));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Each commit is one day after the one before. */
async function commit(files: Record<string, string>, removed: readonly string[] = []): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(work, name)), { recursive: true });
    await writeFile(join(work, name), content);
  }
  for (const name of removed) await unlink(join(work, name));
  git(work, 'add', '--force', '--', '.');
  git(work, 'commit', '--quiet', '--allow-empty', '-m', 'change');
  git(work, 'push', '--quiet', '--force', 'origin', 'HEAD');
  clock += 86_400;
}

/** Takes the content of files out of a copy, as a disk does. */
async function lose(copy: string, ...files: string[]): Promise<void> {
  for (const file of files) {
    const id = git(copy, 'rev-parse', `refs/zoo/tip:${file}`);
    await rm(join(copy, 'objects', id.slice(0, 2), id.slice(2)));
  }
}

function git(cwd: string, ...args: string[]): string {
  const date = `${clock} +0000`;
  const identity = { name: 'Tester', email: 'tester@example.org' };
  return execFileSync('git', ['-c', `user.name=${identity.name}`, '-c', `user.email=${identity.email}`, ...args], {
    cwd,
    env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

function settings(changes: Partial<GitSettings>): GitSettings {
  return {
    name: 'docs',
    url: bare,
    root: '',
    shallow: true,
    cache_dir: join(folder, 'cache'),
    max_extract_bytes: 10_000_000,
    tags: ['team'],
    takes: (name) => name.endsWith('.md'),
    ...changes,
  };
}

const quiet = { fail: () => {}, failFolder: () => {}, skip: () => {} };

async function scan(changes: Partial<GitSettings>) {
  const failed: [string, string][] = [];
  const failedFolders: [string, string][] = [];
  const items: ScannedItem[] = [];
  const skipped: string[] = [];
  const scanning = gitConnector(settings(changes)).scan({
    signal: new AbortController().signal,
    fail: (sourceId, message) => failed.push([sourceId, message]),
    failFolder: (path, message) => failedFolders.push([path, message]),
    skip: (path, reason, options) => skipped.push(`${path}${options?.isFolder ? '/' : ''} ${reason}`),
  });
  for await (const item of scanning) items.push(item);
  return { items, failed, failedFolders, skipped: skipped.sort(), names: items.map((item) => item.sourceId) };
}

async function text(item: ScannedItem | undefined): Promise<string | undefined> {
  const content = await item?.read(new AbortController().signal);
  return content === undefined ? undefined : Buffer.from(content).toString();
}
