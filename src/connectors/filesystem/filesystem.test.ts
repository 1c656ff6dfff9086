import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ScanContext, ScannedItem } from '../../knowledge/connector.ts';
import { chooseFiles } from '../choose-files.ts';
import { readIgnoreFilesNow } from '../read-ignore-files.ts';
import { type FilesystemSettings, filesystemConnector } from './filesystem.ts';
import { watchFilter } from './judge-path.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'zoo-files-')));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

it('every included file has its path below the root and a version', async () => {
  await write({ 'a.md': 'one', 'docs/deep/b c.md': 'two', 'docs/x.bin': 'no' });
  await utimes(join(root, 'a.md'), 100, 200);
  const { items, failed } = await scan({ include_globs: ['**/*.md'], tags: ['team'] });
  expect(items.map((item) => item.sourceId).sort()).toEqual(['a.md', 'docs/deep/b c.md']);
  const [first] = items.filter((item) => item.sourceId === 'a.md');
  expect(first).toMatchObject({
    updatedAt: 200_000,
    url: pathToFileURL(join(root, 'a.md')).href,
    tags: ['team'],
  });
  expect(first?.version).toMatch(/^3-200000000000-\d+-\d+/);
  expect(await text(first)).toBe('one');
  expect(failed).toEqual([]);
});

it('the version changes exactly when the file changes', async () => {
  await write({ 'a.md': 'one', 'b.md': 'same' });
  const soon = { now: () => Date.now() + 60_000 };
  const versions = async () =>
    new Map((await scan({}, soon)).items.map((item) => [item.sourceId, item.version] as const));
  const before = await versions();
  expect(await versions()).toEqual(before);
  await writeFile(join(root, 'a.md'), 'two');
  const after = await versions();
  expect(after.get('a.md')).not.toBe(before.get('a.md'));
  expect(after.get('b.md')).toBe(before.get('b.md'));
});

it('a file that changed a moment ago gets a temporary version', async () => {
  await write({ 'a.md': 'one' });
  const at = async (later: number) => (await scan({}, { now: () => Date.now() + later })).items[0]?.version;
  expect(await at(-1_000)).toMatch(/-fresh$/);
  expect(await at(60_000)).toMatch(/-\d+$/);
});

it('only the document over the limit fails, even if it grew after the scan; the limit is not for plain text', async () => {
  await write({ 'big.pdf': 'x'.repeat(101), 'grows.pdf': 'x', 'big.md': 'x'.repeat(101) });
  const { items, failed } = await scan({ max_extract_bytes: 100, include_globs: ['*'] });
  expect(items.map((item) => item.sourceId).sort()).toEqual(['big.md', 'grows.pdf']);
  expect(failed).toEqual([['big.pdf', 'It has 101 bytes, but max_extract_bytes allows 100.']]);
  const grows = items.find(({ sourceId }) => sourceId === 'grows.pdf');
  await writeFile(join(root, 'grows.pdf'), 'x'.repeat(102));
  await expect(text(grows)).rejects.toThrow('It has 102 bytes, but max_extract_bytes allows 100.');
  await rm(join(root, 'grows.pdf'));
  await expect(text(grows)).rejects.toThrow('It does not exist.');
});

it('links are followed only on request, and never in circles', async () => {
  const outside = await realpath(await mkdtemp(join(tmpdir(), 'zoo-outside-')));
  try {
    await write({ 'docs/a.md': 'one' });
    await writeFile(join(outside, 'far.md'), 'far');
    await symlink('.', join(root, 'circle'));
    await symlink('..', join(root, 'docs/up'));
    await symlink('/', join(root, 'everything'));
    await symlink(outside, join(root, 'linked'));
    await symlink(outside, join(root, 'linked-again'));
    await symlink('a.md', join(root, 'docs/b.md'));
    await symlink('nowhere.md', join(root, 'docs/broken.md'));
    await symlink('self.md', join(root, 'self.md'));
    expect((await scan({})).items.map((item) => item.sourceId)).toEqual(['docs/a.md']);
    const { items, failedFolders } = await scan({ follow_symlinks: true });
    const names = items.map((item) => item.sourceId).sort();
    expect(names.filter((name) => !name.startsWith('linked'))).toEqual(['docs/a.md', 'docs/b.md']);
    expect(names.filter((name) => name.startsWith('linked')).map((name) => name.split('/')[1])).toEqual(['far.md']);
    expect(failedFolders).toEqual([['self.md', 'It is a link that points back to itself.']]);
  } finally {
    await rm(outside, { recursive: true, force: true });
  }
});

it('a link cannot expose a skipped file under another name', async () => {
  await write({
    '.git/notes.md': '',
    '.gitignore': 'private/\n*.draft.md\n',
    '.env': 'TOKEN=1',
    '.hidden/a.md': '',
    'docs/a.md': '',
    'docs/page.txt': '',
    'docs/old.md': '',
    'node_modules/a.md': '',
    'private/a.md': '',
    'a.draft.md': '',
  });
  const targets: [link: string, target: string, told: string | undefined][] = [
    ['taken.md', 'docs/a.md', undefined],
    ['another-type.md', 'docs/page.txt', undefined],
    [
      'secret.md',
      '.env',
      '.env, which has a name typical of secrets. To index it anyway, name the target of the link in include_globs.',
    ],
    ['git.md', '.git/notes.md', '.git/notes.md, which is generated by tools'],
    ['hidden.md', '.hidden/a.md', '.hidden/a.md, which has a name that begins with a dot'],
    ['generated.md', 'node_modules/a.md', 'node_modules/a.md, which is generated by tools'],
    ['ignored.md', 'a.draft.md', 'a.draft.md, which matches the rule "*.draft.md" in .gitignore, line 2'],
    ['in-ignored.md', 'private/a.md', 'private/a.md, which matches the rule "private/" in .gitignore, line 1'],
    ['excluded.md', 'docs/old.md', 'docs/old.md, which matches exclude_globs'],
    ['folder', 'docs', 'docs, which is indexed under its own path'],
    ['git-folder', '.git', '.git, which is indexed under its own path'],
  ];
  for (const [link, target] of targets) await symlink(target, join(root, link));
  await symlink('secret.md', join(root, 'twice.md'));
  const chosen = { follow_symlinks: true, exclude_globs: ['docs/old.md'] };
  const { items, skipped } = await scan(chosen);
  expect(items.map((item) => item.sourceId).sort()).toEqual(['another-type.md', 'docs/a.md', 'taken.md']);
  expect(skipped).toEqual(expect.arrayContaining(['secret.md secret', 'twice.md secret', 'in-ignored.md ignored']));
  const connector = filesystemConnector(settings(chosen));
  for (const [link, , told] of targets) {
    const explained = await connector.explain?.(link, AbortSignal.timeout(10_000));
    const message = told === undefined ? `${link} is indexed.` : `${link} is skipped: it links to ${told}`;
    expect(explained?.message).toContain(message);
  }
  // Named, a secret is read, also through a link; naming the link is not enough.
  const names = async (include_globs: string[]) =>
    (await scan({ follow_symlinks: true, include_globs })).items.map((item) => item.sourceId);
  expect(await names(['secret.md'])).toEqual([]);
  expect((await names(['secret.md', '.env'])).sort()).toEqual(['.env', 'secret.md']);
});

it('a link out of the source is judged by the names and ignore files at its target', async () => {
  const outside = await realpath(await mkdtemp(join(tmpdir(), 'zoo-outside-')));
  try {
    await write({ 'a.md': '' });
    await write(
      {
        '.git/HEAD': '',
        '.gitignore': 'plans/\n*.tmp.md\n',
        '.ssh/config.md': '',
        'build/made.md': '',
        'docs/a.md': '',
        'docs/a.tmp.md': '',
        'docs/credentials.json': '{}',
        'docs/deep/b.md': '',
        'docs/deep/b.tmp.md': '',
        'plans/a.md': '',
        'broken/.gitignore': 'x'.repeat(5_000),
        'broken/a.md': '',
      },
      outside,
    );
    for (const [link, target] of Object.entries({
      'one.md': 'docs/a.md',
      'two.md': 'docs/a.tmp.md',
      'three.md': 'docs/credentials.json',
      'four.md': '.ssh/config.md',
      'five.md': 'plans/a.md',
      'six.md': 'broken/a.md',
      linked: 'docs',
      plans: 'plans',
      ssh: '.ssh',
      made: 'build',
      broken: 'broken',
    }))
      await symlink(join(outside, target), join(root, link));
    const { items, skipped, failed, failedFolders } = await scan({ follow_symlinks: true });
    const names = items.map((item) => item.sourceId).sort();
    expect(names).toEqual(['a.md', 'linked/a.md', 'linked/deep/b.md', 'made/made.md', 'one.md']);
    expect(items.find((item) => item.sourceId === 'linked/deep/b.md')?.url).toBe(
      pathToFileURL(join(root, 'linked/deep/b.md')).href,
    );
    expect(skipped.sort()).toEqual([
      'five.md ignored',
      'four.md hidden',
      'linked/a.tmp.md ignored',
      'linked/credentials.json secret',
      'linked/deep/b.tmp.md ignored',
      'plans/ ignored',
      'ssh/ hidden',
      'three.md secret',
      'two.md ignored',
    ]);
    const why = /^It links to .*broken.*, where ignore files cannot be read: Its .gitignore has a rule of more than/;
    expect(failed).toEqual([['six.md', expect.stringMatching(why)]]);
    expect(failedFolders).toEqual([['broken', expect.stringMatching(why)]]);
    const connector = filesystemConnector(settings({ follow_symlinks: true }));
    for (const path of [
      'one.md',
      'two.md',
      'three.md',
      'four.md',
      'plans/a.md',
      'linked/a.md',
      'linked/deep/b.tmp.md',
    ]) {
      const explained = await connector.explain?.(path, AbortSignal.timeout(10_000));
      expect(explained).toMatchObject({ path, isTaken: names.includes(path) });
    }
  } finally {
    await rm(outside, { recursive: true, force: true });
  }
});

it('an unreadable link keeps its indexed files and folders', async () => {
  const closed = await realpath(await mkdtemp(join(tmpdir(), 'zoo-closed-')));
  await write({ 'docs/a.md': '' }, closed);
  await symlink(join(closed, 'docs'), join(root, 'linked'));
  await chmod(root, 0o755);
  await chmod(closed, 0o000);
  const isRoot = process.geteuid?.() === 0;
  try {
    if (isRoot) process.seteuid?.(65_534);
    const { failedFolders } = await scan({ follow_symlinks: true });
    expect(failedFolders).toEqual([['linked', 'It is not readable by this user.']]);
  } finally {
    if (isRoot) process.seteuid?.(0);
    await chmod(closed, 0o755);
    await rm(closed, { recursive: true, force: true });
  }
});

it('a folder with an oversized ignore file fails, and so does a file that takes too long to judge', async () => {
  const hard = `${'a'.repeat(100).split('').join('*')}*b*\n`.repeat(4_900);
  await write({ 'long/.gitignore': 'x'.repeat(5_000), 'long/a.md': '', 'b.md': '' });
  await write({ 'hard/.gitignore': hard, [`hard/${'a'.repeat(250)}.md`]: '', 'hard/b.md': '' });
  const { items, failed, failedFolders } = await scan({});
  expect(items.map((item) => item.sourceId).sort()).toEqual(['b.md', 'hard/b.md']);
  expect(failed).toEqual([
    [
      `hard/${'a'.repeat(250)}.md`,
      expect.stringMatching(/^Checking whether it is ignored takes too long.*hard\/\.git/),
    ],
  ]);
  expect(failedFolders).toEqual([
    ['long', 'Its .gitignore has a rule of more than 4,096 bytes in line 1. Shorten it.'],
  ]);
  await expect(scan({ root: join(root, 'long') })).rejects.toThrow(
    /long cannot be read: Its \.gitignore has a rule of/,
  );
  const isIgnored = await watchFilter({ root, choice: chooseFiles({}), ignoreFiles: true });
  expect(isIgnored(join(root, 'long/a.md'), true)).toBe(false);
});

it('only the file whose name is not UTF-8 fails', async () => {
  await write({ 'a.md': 'one' });
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xe9, 0x2e, 0x6d, 0x64])]), 'latin');
  await mkdir(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xfc, 0x62])]));
  const { items, failed } = await scan({});
  expect(items.map((item) => item.sourceId)).toEqual(['a.md']);
  expect(failed.sort()).toEqual([
    ['\uFFFD.md', 'Its name is not UTF-8. Rename it.'],
    ['\uFFFDb', 'Its name is not UTF-8. Rename it.'],
  ]);
});

it('a root that is missing or a file is an error, not an empty folder', async () => {
  await write({ 'a.md': 'one' });
  const gone = join(root, 'gone');
  await expect(scan({ root: gone })).rejects.toThrow(`The folder ${gone} does not exist.`);
  const file = join(root, 'a.md');
  await expect(scan({ root: file })).rejects.toThrow(`The folder ${file} is not a folder.`);
});

it('an unreadable folder is reported, and everything else is scanned', async () => {
  await write({ 'closed/a.md': 'one', 'open/b.md': 'two', 'c.md': 'three' });
  await chmod(root, 0o755);
  await chmod(join(root, 'closed'), 0o000);
  const isRoot = process.geteuid?.() === 0;
  try {
    if (isRoot) process.seteuid?.(65_534);
    const { items, failedFolders } = await scan({});
    expect(items.map((item) => item.sourceId).sort()).toEqual(['c.md', 'open/b.md']);
    expect(failedFolders).toEqual([['closed', 'It is not readable by this user.']]);
    await expect(scan({ root: join(root, 'closed') })).rejects.toThrow(/closed is not readable by this user/);
  } finally {
    if (isRoot) process.seteuid?.(0);
    await chmod(join(root, 'closed'), 0o755);
  }
});

it('a folder with an unreadable ignore file fails, because its effect is unknown', async () => {
  await write({ 'docs/.gitignore': 'a.md', 'docs/a.md': 'one', 'b.md': 'two' });
  await chmod(root, 0o755);
  await chmod(join(root, 'docs/.gitignore'), 0o000);
  const isRoot = process.geteuid?.() === 0;
  try {
    if (isRoot) process.seteuid?.(65_534);
    const { items, failedFolders } = await scan({});
    expect(items.map((item) => item.sourceId)).toEqual(['b.md']);
    expect(failedFolders).toEqual([['docs', 'Its .gitignore is not readable by this user.']]);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

it('neither a scan nor a watcher reads an ignore file that is a link or a pipe', async () => {
  await write({ 'rules.txt': '*.md', 'zero/a.md': '', 'linked/b.md': '', 'pipe/c.md': '', 'own/d.md': '' });
  await symlink('../rules.txt', join(root, 'linked/.gitignore'));
  await symlink('../rules.txt', join(root, 'own/.zooignore'));
  await symlink('/dev/zero', join(root, 'zero/.gitignore'));
  const { items, failedFolders } = await scan({});
  // As git does it: a linked .gitignore has no rules.
  expect(items.map((item) => item.sourceId).sort()).toEqual(['linked/b.md', 'pipe/c.md', 'zero/a.md']);
  expect(failedFolders).toEqual([['own', 'Its .zooignore is a link. Replace it with a file.']]);
  execFileSync('mkfifo', [join(root, 'pipe/.gitignore')]);
  const again = await scan({});
  expect(again.items.map((item) => item.sourceId).sort()).toEqual(['linked/b.md', 'zero/a.md']);
  expect(again.failedFolders).toContainEqual(['pipe', 'Its .gitignore is not a regular file. Replace it with one.']);
  for (const folder of ['linked', 'zero', 'pipe', 'own']) {
    expect(Object.values(readIgnoreFilesNow(join(root, folder)).files).filter(Boolean)).toEqual([]);
  }
});

const everything = { takes: () => true };

it('ignore files hide files and folders, the more specific ones win, and skipped files are reported', async () => {
  await write({
    '.gitignore': '*.log\n/drafts/\nnotes.md\n',
    '.ignore': 'old.md\n!notes.md\n',
    '.zooignore': '!old.md\n',
    'a.md': '',
    'a.log': '',
    'old.md': '',
    'notes.md': '',
    'drafts/b.md': '',
    'docs/drafts/c.md': '',
    'docs/.gitignore': '!keep.log\nd.md\n',
    'docs/keep.log': '',
    'docs/d.md': '',
    'credentials.json': '{}',
    'node_modules/x.md': '',
    'x.bin': '',
  });
  const { items, skipped } = await scan({ takes: (name) => !name.endsWith('.bin') });
  expect(items.map((item) => item.sourceId).sort()).toEqual([
    'a.md',
    'docs/drafts/c.md',
    'docs/keep.log',
    'notes.md',
    'old.md',
  ]);
  expect(skipped.sort()).toEqual([
    '.gitignore hidden',
    '.ignore hidden',
    '.zooignore hidden',
    'a.log ignored',
    'credentials.json secret',
    'docs/.gitignore hidden',
    'docs/d.md ignored',
    'drafts/ ignored',
    'node_modules/ generated',
    'x.bin type',
  ]);
  const unruly = await scan({ ...everything, ignore_files: false });
  expect(unruly.items.map((item) => item.sourceId)).toEqual(
    expect.arrayContaining(['a.log', 'docs/d.md', 'drafts/b.md']),
  );
});

it('rules apply from the root of a repository, and a nested repository has its own', async () => {
  await write({
    '.git/info/exclude': 'private.md\n',
    '.gitignore': '*.tmp.md\n/docs/out.md\n',
    'docs/a.tmp.md': '',
    'docs/out.md': '',
    'docs/private.md': '',
    'docs/in.md': '',
    'docs/inner/.git/info/exclude': 'own.md\n',
    'docs/inner/b.tmp.md': '',
    'docs/inner/own.md': '',
  });
  const { items } = await scan({ ...everything, root: join(root, 'docs') });
  expect(items.map((item) => item.sourceId).sort()).toEqual(['in.md', 'inner/b.tmp.md']);
  const linked = join(root, 'docs/linked');
  await mkdir(linked);
  await writeFile(join(linked, '.git'), 'gitdir: ../../.git/worktrees/linked\n');
  await write({ '.git/worktrees/linked/commondir': '../..\n', 'docs/linked/private.md': '', 'docs/linked/c.md': '' });
  expect((await scan({ ...everything, root: linked })).items.map((item) => item.sourceId)).toEqual(['c.md']);
});

it('explains every file like a scan, and names the rule that skips it', async () => {
  await write({
    '.gitignore': '# rules\n*.tmp.md\ndrafts/\n',
    'a.md': '',
    'a.tmp.md': '',
    'drafts/b.md': '',
    'docs/.env': '',
    'docs/c.bin': '',
    'node_modules/x.md': '',
  });
  const connector = filesystemConnector(settings({}));
  const explain = (path: string) => connector.explain?.(path, AbortSignal.timeout(10_000));
  expect(await explain('a.md')).toEqual({ path: 'a.md', isTaken: true, reason: null, message: 'a.md is indexed.' });
  expect(await explain(join(root, 'a.tmp.md'))).toMatchObject({
    path: 'a.tmp.md',
    isTaken: false,
    reason: 'ignored',
    message: expect.stringContaining('it matches the rule "*.tmp.md" in .gitignore, line 2'),
  });
  expect((await explain('drafts/b.md'))?.message).toContain('its folder drafts matches the rule "drafts/"');
  expect((await explain('docs/.env'))?.reason).toBe('secret');
  expect((await explain('docs/c.bin'))?.reason).toBe('type');
  expect((await explain('node_modules/x.md'))?.message).toContain('its folder node_modules is generated by tools');
  await expect(explain('../elsewhere.md')).rejects.toThrow(/There is no file/);
  await expect(explain('nowhere.md')).rejects.toThrow(/There is no file nowhere.md/);
});

it('explains links and their targets like a scan', async () => {
  await write({ 'docs/a.md': '' });
  await symlink('docs/a.md', join(root, 'link.md'));
  await symlink('docs', join(root, 'linked'));
  const explain = (path: string, follow_symlinks: boolean) =>
    filesystemConnector(settings({ follow_symlinks })).explain?.(path, AbortSignal.timeout(10_000));
  expect(await explain('link.md', false)).toMatchObject({ isTaken: false, reason: 'link' });
  expect(await explain('linked/a.md', false)).toMatchObject({ isTaken: false, reason: 'link' });
  expect(await explain('link.md', true)).toMatchObject({ isTaken: true });
  expect(await explain('linked/a.md', true)).toMatchObject({ isTaken: false, reason: 'link' });
  expect(await explain('docs/a.md', false)).toMatchObject({ isTaken: true });
});

it('a watched folder ignores skipped files and notices changed rules', async () => {
  await write({ '.gitignore': 'drafts/\n*.tmp.md\n', 'a.md': 'one', 'drafts/b.md': 'two' });
  let changes = 0;
  const watch = filesystemConnector(settings({})).watch?.(
    () => {
      changes += 1;
    },
    (error) => expect.unreachable(String(error)),
  );
  try {
    await vi.waitFor(() => expect(changes).toBe(1), { timeout: 20_000 });
    await write({ 'drafts/b.md': 'changed', 'x.tmp.md': 'new', '.env': 'SECRET=1' });
    await write({ 'marker.md': 'seen' });
    await vi.waitFor(() => expect(changes).toBe(2), { timeout: 20_000 });
    await writeFile(join(root, '.gitignore'), '');
    await vi.waitFor(() => expect(changes).toBe(3), { timeout: 20_000 });
    await write({ 'drafts/b.md': 'changed again' });
    await vi.waitFor(() => expect(changes).toBe(4), { timeout: 20_000 });
  } finally {
    await watch?.close();
  }
});

it('a scan can be aborted', async () => {
  await write({ 'a.md': 'one' });
  const controller = new AbortController();
  controller.abort(new Error('enough'));
  const connector = filesystemConnector(settings({}));
  const scanning = allOf(connector.scan({ ...context([]), signal: controller.signal }));
  await expect(scanning).rejects.toThrow('enough');
});

it('a watched folder reports new, changed, moved and deleted files', async () => {
  await write({ 'a.md': 'one', 'docs/b.md': 'two' });
  let changes = 0;
  const failures: unknown[] = [];
  const watch = filesystemConnector(settings({})).watch?.(
    () => {
      changes += 1;
    },
    (error) => failures.push(error),
  );
  try {
    await vi.waitFor(() => expect(changes).toBe(1), { timeout: 20_000 });
    for (const change of [
      () => write({ 'docs/new/c.md': 'three' }),
      () => writeFile(join(root, 'a.md'), 'changed'),
      () => rename(join(root, 'a.md'), join(root, 'moved.md')),
      () => rm(join(root, 'docs/b.md')),
    ]) {
      const before = changes;
      await change();
      await vi.waitFor(() => expect(changes).toBeGreaterThan(before), { timeout: 20_000 });
    }
    expect(failures).toEqual([]);
  } finally {
    await watch?.close();
  }
});

async function write(files: Record<string, string>, below = root): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(below, name)), { recursive: true });
    await writeFile(join(below, name), content);
  }
}

function settings(changes: Partial<FilesystemSettings>): FilesystemSettings {
  return {
    name: 'docs',
    root,
    follow_symlinks: false,
    max_extract_bytes: 1_000_000,
    tags: [],
    takes: (name) => name.endsWith('.md'),
    ...changes,
  };
}

function context(
  failed: [string, string][],
  failedFolders: [string, string][] = [],
  skipped: string[] = [],
): ScanContext {
  return {
    signal: new AbortController().signal,
    fail: (sourceId, message) => failed.push([sourceId, message]),
    failFolder: (path, message) => failedFolders.push([path, message]),
    skip: (path, reason, options) => skipped.push(`${path}${options?.isFolder ? '/' : ''} ${reason}`),
  };
}

async function scan(changes: Partial<FilesystemSettings>, clock?: { now: () => number }) {
  const connector = filesystemConnector(settings(changes), clock && { ...clock, sleep: async () => {} });
  const failed: [string, string][] = [];
  const failedFolders: [string, string][] = [];
  const skipped: string[] = [];
  const items = await allOf(connector.scan(context(failed, failedFolders, skipped)));
  return { items, failed, failedFolders, skipped };
}

async function allOf(scanning: AsyncIterable<ScannedItem>): Promise<ScannedItem[]> {
  const items: ScannedItem[] = [];
  for await (const item of scanning) items.push(item);
  return items;
}

async function text(item: ScannedItem | undefined): Promise<string | undefined> {
  const content = await item?.read(new AbortController().signal);
  return content === undefined ? undefined : Buffer.from(content).toString();
}
