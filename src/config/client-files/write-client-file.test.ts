import { chmod, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { Entry, EntryFormat } from '../../base/entry-text.ts';
import { parseJsonText } from './edit-json.ts';
import { entryIn, readClientFile, withEntry, writeClientFile } from './write-client-file.ts';

const fields = { url: 'http://127.0.0.1:7331/mcp', headers: { Authorization: 'Bearer new' } };
const json: Entry = { section: 'mcpServers', name: 'agent-zoo', fields };
const toml: Entry = { section: 'mcp_servers', name: 'agent-zoo', fields };
const yaml: Entry = { section: 'extensions', name: 'agent-zoo', fields };

const edit = (format: EntryFormat, text: string, entry: Entry) =>
  withEntry({ path: '/x', shown: 'the file', format, text }, entry);

/** The lines that an edit removed and added. */
function difference(before: string, after: string): { removed: string[]; added: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const removed = old.filter((line) => !now.includes(line));
  return { removed, added: now.filter((line) => !old.includes(line)) };
}

describe('JSON', () => {
  const before = `\ufeff{
    // Servers that I use every day
    "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "files"], }, // keep
        /* the last one */
        "agent-zoo": {
            "url": "http://127.0.0.1:7331/mcp"
        },
    },
    "other": [1, 2.50, "\\u00e9"]
}
`;

  it('replaces an entry and keeps comments, order, numbers as written and the byte order mark', () => {
    const after = edit('json', before, json);
    const { removed, added } = difference(before, after);
    expect(removed).toEqual(['            "url": "http://127.0.0.1:7331/mcp"']);
    expect(added).toEqual([
      '            "url": "http://127.0.0.1:7331/mcp",',
      '            "headers": {',
      '                "Authorization": "Bearer new"',
      '            }',
    ]);
    expect(after.startsWith('\ufeff')).toBe(true);
  });

  it.each([
    ['an empty object', '{}\n', '{\n  "mcpServers": {'],
    ['an empty section', '{\n  "mcpServers": {}\n}\n', '{\n  "mcpServers": {\n    "agent-zoo": {'],
    [
      'a section with another server',
      '{\n\t"mcpServers": {\n\t\t"a": {"url": "x"} // mine\n\t}\n}',
      '"a": {"url": "x"}, // mine\n\t\t"agent-zoo": {',
    ],
    ['a trailing comma', '{\n  "a": 1,\n}', '{\n  "a": 1,\n  "mcpServers": {'],
    ['one line', '{"a": 1, "mcpServers": {"b": {}}}', '{"b": {}, "agent-zoo": {"url"'],
    ['one line with a trailing comma', '{"mcpServers": {"b": {}, }}', '{"b": {},"agent-zoo": {"url"'],
    ['only a comment', '{\n  // nothing yet\n}\n', '{\n  // nothing yet\n  "mcpServers": {'],
    ['a name that looks like an end', '{\n  "}": "{ // no comment",\n  "mcpServers": {}\n}', '"{ // no comment",'],
  ])('adds an entry to %s', (_, text, part) => {
    const after = edit('json', text, json);
    expect(after).toContain(part);
    expect(parseJsonText(after)).toMatchObject({ mcpServers: { 'agent-zoo': fields } });
  });

  it('keeps the line ends of Windows', () => {
    const after = edit('json', '{\r\n  "a": 1\r\n}\r\n', json);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(after).toContain('"a": 1,\r\n  "mcpServers": {\r\n');
  });

  it.each([
    ['{ "a": 1', /line 1, is not valid JSON/],
    ['{\n "a": 1,\n b: 2 }', /line 3, is not valid JSON/],
    ['{ "a": 1, "a": 2 }', /not valid JSON/],
    ['[]', /cannot be added/],
    ['{ "mcpServers": [] }', /cannot be added/],
  ])('refuses %s', (text, message) => {
    expect(() => edit('json', text, json)).toThrow(message);
  });
});

describe('TOML', () => {
  const before = `# my Codex
model = "o9"

[mcp_servers."agent-zoo"]
url = "http://127.0.0.1:7331/mcp" # old

[mcp_servers.agent-zoo.http_headers]
Authorization = "Bearer old"

# the next one
[mcp_servers.files]
command = "npx"
when = 2026-11-18T01:00:00Z
`;

  it('replaces an entry with the tables below it, and keeps everything else', () => {
    const after = edit('toml', before, toml);
    expect(after).toBe(`# my Codex
model = "o9"

[mcp_servers.agent-zoo]
url = "http://127.0.0.1:7331/mcp"
headers = { Authorization = "Bearer new" }


# the next one
[mcp_servers.files]
command = "npx"
when = 2026-11-18T01:00:00Z
`);
  });

  it.each([['a = 1'], ['a = 1\n'], ['[mcp_servers.x]\nurl = "y"\r\n'], ['text = """\n[mcp_servers.x]\n"""\n']])(
    'appends an entry to %j',
    (text) => {
      const after = edit('toml', text, toml);
      expect(after.startsWith(text)).toBe(true);
      expect(parseToml(after)).toMatchObject({ ...parseToml(text), mcp_servers: { 'agent-zoo': fields } });
    },
  );

  it.each([
    ['a = ', /line 1, is not valid TOML/],
    ['mcp_servers = { x = { url = "y" } }\n', /cannot be added/],
    ['[mcp_servers]\nagent-zoo = { url = "y" }\n', /cannot be added/],
    // The text only looks like the entry.
    ['x = """\n[mcp_servers.agent-zoo]\n"""\n[mcp_servers.agent-zoo]\nurl = "y"\n', /cannot be added/],
  ])('refuses %j', (text, message) => {
    expect(() => edit('toml', text, toml)).toThrow(message);
  });
});

describe('YAML', () => {
  it('replaces an entry and keeps comments and order', () => {
    const before = `# Goose
GOOSE_MODEL: o9
extensions:
    developer:
        enabled: true # always
    agent-zoo:
        enabled: false
        uri: old
    # the last one
    memory:
        enabled: true
other: 1
`;
    const after = edit('yaml', before, yaml);
    expect(after).toBe(`# Goose
GOOSE_MODEL: o9
extensions:
    developer:
        enabled: true # always
    agent-zoo:
      url: "http://127.0.0.1:7331/mcp"
      headers:
        Authorization: "Bearer new"
    # the last one
    memory:
        enabled: true
other: 1
`);
  });

  it.each([
    ['a: 1'],
    ['extensions:\n'],
    ['extensions: # none yet\na: 1\n'],
    ['extensions: {}\na: 1\n'],
    ['extensions: { a: { x: 1 } }\n'],
    ['extensions: { a: { x: 1 }, agent-zoo: { x: 1 } }\nb: 2\n'],
    ['extensions:\n  a:\n    x: 1\nb: 2\n'],
    ['extensions:\n  a:\n    x: 1'],
    ['extensions:\n  agent-zoo:\n    x: 1'],
    ['extensions:\n  a: 1 # one\n\n# two\nb: 2\n'],
    ['a: |\n  extensions:\n    no\n'],
  ])('adds an entry to %j', (text) => {
    const after = edit('yaml', text, yaml);
    const old = parseYaml(text);
    expect(parseYaml(after)).toEqual({ ...old, extensions: { ...old.extensions, 'agent-zoo': fields } });
    for (const comment of text.match(/#.*/g) ?? []) expect(after).toContain(comment);
  });

  it.each([
    ['a: [', /line 1, is not valid YAML/],
    ['- a\n', /cannot be added/],
    ['extensions: 1\n', /cannot be added/],
  ])('refuses %j', (text, message) => {
    expect(() => edit('yaml', text, yaml)).toThrow(message);
  });
});

describe('the file', () => {
  let folder: string;
  const file = (name: string) => ({ path: join(folder, name), shown: name, format: 'json' as const });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zoo-client-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is created for this user only, with its folder', async () => {
    await writeClientFile(await readClientFile(file('new/mcp.json')), json);
    const path = join(folder, 'new/mcp.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ mcpServers: { 'agent-zoo': fields } });
  });

  it('keeps its mode, and nothing is left beside it', async () => {
    await writeFile(join(folder, 'a.json'), '{}');
    await chmod(join(folder, 'a.json'), 0o640);
    await writeClientFile(await readClientFile(file('a.json')), json);
    expect((await stat(join(folder, 'a.json'))).mode & 0o777).toBe(0o640);
    expect(await readdir(folder)).toEqual(['a.json']);
  });

  it('stays a link, and what it points to is changed', async () => {
    await writeFile(join(folder, 'real.json'), '{}');
    await symlink('real.json', join(folder, 'link.json'));
    await writeClientFile(await readClientFile(file('link.json')), json);
    expect(await readlink(join(folder, 'link.json'))).toBe('real.json');
    expect(await readFile(join(folder, 'real.json'), 'utf8')).toContain('agent-zoo');
  });

  it('is not written over a change by another program', async () => {
    await writeFile(join(folder, 'a.json'), '{}');
    const read = await readClientFile(file('a.json'));
    await writeFile(join(folder, 'a.json'), '{ "new": 1 }');
    await expect(writeClientFile(read, json)).rejects.toThrow('Another program has just changed a.json');
    expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('{ "new": 1 }');
    expect(await readdir(folder)).toEqual(['a.json']);
  });

  it('keeps its bytes if it cannot be parsed', async () => {
    await writeFile(join(folder, 'a.json'), '{ oops');
    const read = await readClientFile(file('a.json'));
    expect(() => entryIn(read, json)).toThrow('a.json, line 1, is not valid JSON. Nothing was changed.');
    await expect(writeClientFile(read, json)).rejects.toThrow('not valid JSON');
    expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('{ oops');
    await writeFile(join(folder, 'b.json'), Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(readClientFile(file('b.json'))).rejects.toThrow('b.json cannot be read: it is not UTF-8');
  });
});
