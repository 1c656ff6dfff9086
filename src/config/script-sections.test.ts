import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configDocument } from './config-document.ts';
import { loadConfig } from './load-config.ts';
import { scriptSections } from './script-sections.ts';

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-sections-')));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const write = (text: string) => writeFile(join(dir, 'zoo.toml'), text);

async function sectionsOf(text: string, env: Record<string, string> = {}) {
  await write(text);
  const loaded = await loadConfig({ explicitFile: 'zoo.toml', cwd: dir, env, home: join(dir, 'home') });
  return scriptSections(configDocument({ loaded, watch: false }));
}

test('a section has the absolute path, the limits and all other keys', async () => {
  const { agents } = await sectionsOf(`
[agents.script.responder]
path = "agents/responder.lua"
timeout = 1.5
allow_env = ["REGION"]
allow_hosts = ["localhost"]
search_limit = 5
nested = { deep = ["x"] }
`);
  expect(await agents.current()).toEqual({
    sections: [
      {
        name: 'responder',
        section: 'agents.script.responder',
        path: join(dir, 'agents/responder.lua'),
        shown: 'agents/responder.lua',
        timeoutMs: 1_500,
        config: { search_limit: 5, nested: { deep: ['x'] } },
        allowEnv: ['REGION'],
        allowHosts: ['localhost'],
      },
    ],
    problems: [],
  });
});

test('the path of a section determines its kind, and ~ is the home folder', async () => {
  const { agents, code, tools } = await sectionsOf(`
[agents.short]
path = "short.lua"
[agents.inline-one]
system_prompt = "x"
[agents.typed]
path = "typed.ts"
[agents.code.mine]
path = "~/mine.mjs"
[tools.script.jira]
path = "jira.lua"
`);
  const names = async (list: typeof agents) => (await list.current()).sections.map(({ name, path }) => [name, path]);
  expect(await names(agents)).toEqual([['short', join(dir, 'short.lua')]]);
  expect(await names(code)).toEqual([
    ['typed', join(dir, 'typed.ts')],
    ['mine', join(dir, 'home/mine.mjs')],
  ]);
  expect(await names(tools)).toEqual([['jira', join(dir, 'jira.lua')]]);
});

test.each<[string, 'agents' | 'code' | 'tools', string, RegExp]>([
  ['no path', 'agents', '[agents.script.bad]', /^zoo\.toml:3: agents\.script\.bad\.path: is required/],
  [
    'a wrong type',
    'agents',
    '[agents.script.bad]\npath = "x.lua"\ntimeout = "long"',
    /^zoo\.toml:5: agents\.script\.bad\.timeout: .*number/,
  ],
  ['no time', 'code', '[agents.code.bad]\npath = "x.ts"\ntimeout = 0', /^zoo\.toml:5: agents\.code\.bad\.timeout/],
  ['a tool with no path', 'tools', '[tools.script.bad]\nurl = "x"', /^zoo\.toml:3: tools\.script\.bad\.path/],
  [
    'a tool of no kind',
    'tools',
    '[tools.bad]\npath = "x.lua"',
    /^zoo\.toml:3: tools\.bad: is unknown.*\[tools\.script\.NAME\]/,
  ],
  [
    'a tool that is a text',
    'tools',
    'tools.script.bad = "x.lua"',
    /^zoo\.toml:3: tools\.script\.bad: expected a table/,
  ],
])('%s is a problem of that section alone', async (_name, kind, text, rule) => {
  const word = kind === 'tools' ? 'tools.script' : kind === 'code' ? 'agents.code' : 'agents.script';
  const sections = await sectionsOf(`${word}.good = { path = "good" }\n\n${text}\n`);
  const { sections: found, problems } = await sections[kind].current();
  expect(found.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toEqual([expect.objectContaining({ place: 'zoo.toml', message: expect.stringMatching(rule) })]);
});

test('the value of an environment variable reaches the script and no message', async () => {
  const token = 'hunter2hunter2';
  const { tools, agents } = await sectionsOf(
    `[tools.script.jira]\npath = "jira.lua"\napi_token = "\${TOKEN}"\n[agents.script.a]\npath = "a.lua"\ntimeout = "\${TOKEN}"`,
    { TOKEN: token },
  );
  expect((await tools.current()).sections[0]?.config).toEqual({ api_token: token });
  const { problems } = await agents.current();
  expect(problems).toHaveLength(1);
  expect(JSON.stringify(problems)).not.toContain(token);
});

test('an unchanged section stays the same object; a broken one keeps its last state', async () => {
  const { agents } = await sectionsOf('[agents.script.a]\npath = "a.lua"\n[agents.script.b]\npath = "b.lua"');
  const first = await agents.current();
  expect(await agents.current()).toBe(first);
  await write('[agents.script.a]\npath = "a.lua"\n[agents.script.b]\npath = 3');
  const broken = await agents.current();
  expect(broken.sections[0]).toBe(first.sections[0]);
  expect(broken.sections[1]).toBe(first.sections[1]);
  expect(broken.problems[0]).toMatchObject({ agentId: 'b' });
  await write('[agents.script.a]\npath = "a.lua"\n[agents.script.b]\npath = "c.lua"');
  const repaired = await agents.current();
  expect(repaired.problems).toEqual([]);
  expect(repaired.sections[1]?.path).toBe(join(dir, 'c.lua'));
});

test('a timeout beyond the maximum is shortened, with a warning', async () => {
  const { tools } = await sectionsOf('[tools.script.slow]\npath = "slow.lua"\ntimeout = 7200\n');
  const { sections, problems } = await tools.current();
  expect(sections).toMatchObject([{ name: 'slow', timeoutMs: 3_600_000 }]);
  expect(problems.map(({ message }) => message)).toEqual([
    'zoo.toml:3: tools.script.slow.timeout: 7200 is outside the range; the maximum, 3600, is used.',
  ]);
});
