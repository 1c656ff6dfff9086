import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectorSections } from './connector-sections.ts';
import { loadConfig } from './load-config.ts';

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-connectors-')));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function read(text: string, env: Record<string, string> = {}) {
  await writeFile(join(dir, 'ctx.toml'), text);
  return connectorSections(await loadConfig({ explicitFile: 'ctx.toml', cwd: dir, env, home: join(dir, 'home') }));
}

test('every type, with absolute paths and the defaults', async () => {
  const { sections, problems } = await read(`
[connectors.filesystem.notes]
root = "~/notes"
include_globs = ["**/*.md"]
[connectors.git.platform]
url = "https://github.com/acme/platform.git"
branch = "main"
root = "docs/"
globs = ["*.md"]
[connectors.git.near]
url = "./repositories/near"
cache_dir = "cache"
[connectors.script.tickets]
path = "connectors/tickets.lua"
project = "ZOO"
`);
  expect(problems).toEqual([]);
  expect(sections).toMatchObject([
    {
      type: 'filesystem',
      name: 'notes',
      settings: { root: join(dir, 'home/notes'), include_globs: ['**/*.md'], follow_symlinks: false },
    },
    {
      type: 'git',
      name: 'platform',
      settings: { url: 'https://github.com/acme/platform.git', root: 'docs/', include_globs: ['*.md'], shallow: true },
    },
    {
      type: 'git',
      name: 'near',
      settings: { url: join(dir, 'repositories/near'), cache_dir: join(dir, 'cache') },
    },
    {
      type: 'script',
      name: 'tickets',
      script: { path: join(dir, 'connectors/tickets.lua'), config: { project: 'ZOO' }, timeoutMs: 300_000 },
    },
  ]);
});

test('a section without a name is called default, next to named ones', async () => {
  const { sections, problems } = await read(
    '[connectors.filesystem]\nroot = "docs"\n[connectors.filesystem.b]\nroot = "b"',
  );
  expect(problems).toEqual([]);
  expect(sections.map(({ name }) => name)).toEqual(['default', 'b']);
  expect(sections[0]).toMatchObject({ settings: { root: join(dir, 'docs') } });
});

test.each<[string, string, RegExp]>([
  ['no root', '[connectors.filesystem.bad]\nfollow_symlinks = true', /^ctx\.toml:3: connectors\.filesystem\.bad\.root/],
  [
    'a wrong type',
    '[connectors.git.bad]\nurl = "x"\nshallow = 1',
    /^ctx\.toml:5: connectors\.git\.bad\.shallow: .*must be true or false/,
  ],
  ['a name with a colon', '[connectors.git."a:b"]\nurl = "x"', /a source name must have/],
  [
    'a type mistyped',
    '[connectors.filesytem.bad]\nroot = "x"',
    /is not a connector type; did you mean \[connectors\.filesystem\]\?/,
  ],
  ['a type not known', '[connectors.wiki.bad]\nurl = "x"', /available: filesystem, git, s3, script/],
  ['a text for a table', '[connectors.script]\nbad = "x.lua"', /connectors\.script\.bad\.path/],
])('%s is a problem of that section alone', async (_name, text, rule) => {
  const { sections, problems } = await read(`connectors.git.good = { url = "x" }\n\n${text}\n`);
  expect(sections.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toEqual([{ place: 'ctx.toml', message: expect.stringMatching(rule) }]);
});

test('an unknown key is reported with a suggestion, and the section is used', async () => {
  const { sections, problems } = await read('[connectors.filesystem.a]\nroot = "a"\nexlude_globs = ["x"]');
  expect(sections).toHaveLength(1);
  expect(problems[0]?.message).toBe(
    'ctx.toml:3: connectors.filesystem.a.exlude_globs: is unknown and was ignored. Did you mean "exclude_globs"?',
  );
});

test('the secret in an address appears in no message', async () => {
  const { problems } = await read(`[connectors.git.a]\nurl = "https://\${TOKEN}@host/x"\nshallow = "\${TOKEN}"`, {
    TOKEN: 'hunter2',
  });
  expect(problems).toHaveLength(1);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});
