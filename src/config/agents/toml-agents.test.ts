import { mkdtemp, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentEntry, AgentSource } from '../../agents/agent-source.ts';
import type { SourceSnapshot } from '../../base/source.ts';
import { type ConfigDocument, configDocument } from '../config-document.ts';
import { loadConfig } from '../load-config.ts';
import { tomlAgentSource } from './toml-agents.ts';

let dir: string;
let file: string;
const open: ConfigDocument[] = [];

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-toml-')));
  file = join(dir, 'zoo.toml');
});
afterEach(async () => {
  for (const document of open.splice(0)) await document.close();
  await rm(dir, { recursive: true, force: true });
});

async function sourceOf(text: string, options: { watch?: boolean } = {}): Promise<AgentSource> {
  await writeFile(file, text);
  const loaded = await loadConfig({ explicitFile: 'zoo.toml', cwd: dir, env: {}, home: dir });
  const document = configDocument({ loaded, watch: options.watch ?? false });
  open.push(document);
  return tomlAgentSource(document);
}

function ids(snapshot: SourceSnapshot<AgentEntry>): string[] {
  return snapshot.entries.map((entry) => entry.agent.id);
}

function messages(snapshot: SourceSnapshot<AgentEntry>): string[] {
  return snapshot.problems.map((problem) => problem.message);
}

describe('an agent table', () => {
  test('may use both section forms, with every key in snake case', async () => {
    const source = await sourceOf(`
[agents.reviewer]
name = "Code Reviewer"
description = "Reviews"
version = "2.1.0"
tags = ["code", "care"]
mode = "autonomous"
tools = ["search", "agent_zoo_*"]
system_prompt = "Review {what}."
context_refs = ["docs/"]
context_budget = 500
appearance_seed = "willow"
icon_url = "https://review.example/icon.png"
model = "ollama/llama3.2"
model_settings = { top_p = 0.5 }
tool_permission = "never"
arguments = [{ name = "what", description = "Which part", required = true }]
skill_categories = [{ id = "care", name = "Care", color = "#112233" }]
[[agents.reviewer.skills]]
name = "Errors first"
category_id = "care"
enabled = false
description = "Look for failures."
[[agents.reviewer.skills]]
name = "Report"
requires = ["errors-first"]
[[agents.reviewer.rules]]
name = "tone"
text = "Be kind."
include = "always"

[agents.inline.architect]
systemPrompt = "Design."
`);
    const snapshot = await source.snapshot();
    expect(messages(snapshot)).toEqual([]);
    expect(snapshot.entries.map(({ definedIn }) => definedIn)).toEqual(['zoo.toml', 'zoo.toml']);
    expect(snapshot.entries[0]?.agent).toEqual({
      id: 'reviewer',
      name: 'Code Reviewer',
      description: 'Reviews',
      version: '2.1.0',
      tags: ['code', 'care'],
      mode: 'autonomous',
      tools: ['search', 'agent_zoo_*'],
      systemPrompt: 'Review {what}.',
      contextRefs: ['docs/'],
      contextBudget: 500,
      appearanceSeed: 'willow',
      model: 'ollama/llama3.2',
      modelSettings: { top_p: 0.5 },
      toolPermission: 'never',
      arguments: [{ name: 'what', description: 'Which part', required: true }],
      skillCategories: [{ id: 'care', name: 'Care', color: '#112233' }],
      skills: [
        {
          id: 'errors-first',
          name: 'Errors first',
          categoryId: 'care',
          enabled: false,
          description: 'Look for failures.',
        },
        {
          id: 'report',
          name: 'Report',
          description: '',
          categoryId: null,
          enabled: true,
          requires: ['errors-first'],
        },
      ],
      rules: [{ name: 'tone', description: '', priority: 500, text: 'Be kind.', include: 'always' }],
      references: [],
      exposes: [],
      shareContext: false,
      knowledge: [],
      provider: null,
      iconUrl: 'https://review.example/icon.png',
      documentationUrl: null,
      source: 'toml',
    });
    expect(snapshot.entries[1]?.agent).toMatchObject({ id: 'architect', name: 'architect', systemPrompt: 'Design.' });
  });

  test.each<[string, string, RegExp]>([
    ['a wrong type', 'tools = "search"', /^zoo\.toml:4: agents\.bad\.tools: .*must be a list/],
    ['a wrong word', 'mode = "sleepy"', /^zoo\.toml:4: agents\.bad\.mode: .*interactive/],
    ['an unknown key', 'promt = "x"', /^zoo\.toml:3: agents\.bad: unknown key "promt"\.$/],
    [
      'a misspelt key',
      'system_promt = "x"',
      /^zoo\.toml:3: agents\.bad: unknown key "system_promt"\. Did you mean "system_prompt"\?$/,
    ],
    ['a name of 1 MB', `name = "${'a'.repeat(1_000_000)}"`, /agents\.bad\.name: .*120/],
    ['a NUL character', 'system_prompt = "\\u0000"', /agents\.bad\.system_prompt: .*NUL/],
    ['one key in two spellings', 'system_prompt = "a"\nsystemPrompt = "b"', /is defined twice/],
    ['a skill in no category', 'skills = [{ name = "a", category = "b" }]', /unknown skill category "b"/],
    ['a path to something else', 'path = "agents/bad.py"', /agents\.bad\.path: must end in \.lua, \.ts/],
  ])('%s is a problem of that agent alone', async (_name, line, rule) => {
    const source = await sourceOf(`[agents.good]\n\n[agents.bad]\n${line}\n`);
    const snapshot = await source.snapshot();
    expect(ids(snapshot)).toEqual(['good']);
    expect(snapshot.problems).toHaveLength(1);
    expect(snapshot.problems[0]).toMatchObject({ agentId: 'bad', place: 'zoo.toml' });
    expect(messages(snapshot)[0]).toMatch(rule);
    expect(messages(snapshot)[0]?.length).toBeLessThan(500);
  });

  test.each<[string, string, RegExp]>([
    ['a name no address can hold', '[agents."a b"]', /agents\.a b: the name of an agent must be/],
    ['a name of 1 MB', `[agents.${'a'.repeat(1_000_000)}]`, /the name of an agent must be/],
    ['an agent that is a text', '[agents]\nreviewer = "x"', /agents\.reviewer: expected a table/],
    ['the word inline as a name', '[agents.inline]\nsystem_prompt = "x"', /"inline" is reserved/],
    ['the word script as a name', '[agents.script]\npath = "x.lua"', /"script" is reserved/],
    ['the word code as a name', '[agents.code]\npath = "x.ts"', /"code" is reserved/],
  ])('%s is reported', async (_name, text, rule) => {
    const snapshot = await (await sourceOf(text)).snapshot();
    expect(snapshot.entries).toEqual([]);
    expect(messages(snapshot)[0]).toMatch(rule);
    expect(messages(snapshot)[0]?.length).toBeLessThan(700);
  });

  test('with an id in both section forms keeps the first, and the problem names both', async () => {
    const source = await sourceOf('[agents.inline.a]\nsystem_prompt = "two"\n[agents.a]\nsystem_prompt = "one"');
    const snapshot = await source.snapshot();
    expect(snapshot.entries.map((entry) => entry.agent.systemPrompt)).toEqual(['one']);
    expect(messages(snapshot)[0]).toContain('in [agents.a] and [agents.inline.a]');
  });
});

describe('without watching', () => {
  test('a second snapshot is the same object, and a change of the same length is seen at once', async () => {
    const source = await sourceOf('[agents.a]\n[agents.b]\nsystem_prompt = "one"');
    const first = await source.snapshot();
    expect(await source.snapshot()).toBe(first);
    await writeFile(file, '[agents.a]\n[agents.b]\nsystem_prompt = "two"');
    const second = await source.snapshot();
    expect(second.entries[0]).toBe(first.entries[0]);
    expect(second.entries[1]?.agent.systemPrompt).toBe('two');
  });

  test('a file that is older and unchanged is not read again', async () => {
    const source = await sourceOf('[agents.a]');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(file, longAgo, longAgo);
    const first = await source.snapshot();
    // Same size and time stamp: only reading the file could tell.
    await writeFile(file, '[agents.b]');
    await utimes(file, longAgo, longAgo);
    expect(await source.snapshot()).toBe(first);
  });

  test('a file that is emptied and then written is never seen empty', async () => {
    const source = await sourceOf('[agents.a]\n');
    await source.snapshot();
    await writeFile(file, '');
    const asked = source.snapshot();
    await writeFile(file, '[agents.a]\n[agents.b]\n');
    expect(ids(await asked)).toEqual(['a', 'b']);
  });

  test('touching the file changes nothing', async () => {
    const source = await sourceOf('[agents.a]');
    const first = await source.snapshot();
    const later = new Date(Date.now() + 5_000);
    await utimes(file, later, later);
    expect(await source.snapshot()).toBe(first);
  });
});

describe('while watching', () => {
  /** Waits for the snapshot that fits, as the registry does: asking after each call back. */
  async function until(
    source: AgentSource,
    fits: (snapshot: SourceSnapshot<AgentEntry>) => boolean,
  ): Promise<SourceSnapshot<AgentEntry>> {
    return new Promise((resolve) => {
      const look = async () => {
        const snapshot = await source.snapshot();
        if (!fits(snapshot)) return;
        stop?.();
        resolve(snapshot);
      };
      const stop = source.watch?.(() => void look());
      void look();
    });
  }

  test('a broken file keeps the last valid agents and reports why, until it is repaired', async () => {
    const source = await sourceOf('[agents.a]\nsystem_prompt = "one"\n[agents.b]\n', { watch: true });
    const good = await until(source, (snapshot) => snapshot.entries.length === 2);

    await writeFile(file, '[agents.a]\nsystem_prompt = "tw');
    const broken = await until(source, (snapshot) => snapshot.problems.length > 0);
    expect(broken.entries).toEqual(good.entries);
    expect(broken.entries[0]).toBe(good.entries[0]);
    expect(messages(broken)).toEqual([expect.stringMatching(/^zoo\.toml:2: invalid TOML.*stay in use/)]);

    await writeFile(file, '[agents.a]\nsystem_prompt = "two"\n[agents.b]\n');
    const repaired = await until(source, (snapshot) => snapshot.problems.length === 0);
    expect(repaired.entries[0]?.agent.systemPrompt).toBe('two');
    expect(repaired.entries[1]).toBe(good.entries[1]);
  });

  test('one broken agent keeps its last valid version, and the others are updated', async () => {
    const source = await sourceOf('[agents.a]\nsystem_prompt = "one"\n', { watch: true });
    await until(source, (snapshot) => snapshot.entries.length === 1);
    await writeFile(file, '[agents.a]\nsystem_prompt = 5\n[agents.b]\n');
    const snapshot = await until(source, (each) => each.entries.length === 2);
    expect(snapshot.entries[0]?.agent.systemPrompt).toBe('one');
    expect(messages(snapshot)[0]).toMatch(/^zoo\.toml:2: agents\.a\.system_prompt/);
  });

  test('an editor that writes a new file and renames it is followed every time', async () => {
    const source = await sourceOf('[agents.a]\n', { watch: true });
    await until(source, (snapshot) => ids(snapshot).join() === 'a');
    for (const name of ['b', 'c', 'd']) {
      await writeFile(`${file}.new`, `[agents.${name}]\n`);
      await rename(`${file}.new`, file);
      await until(source, (snapshot) => ids(snapshot).join() === name);
    }
  });

  test('a deleted file keeps its agents and is reported; it is read again when it is back', async () => {
    const source = await sourceOf('[agents.a]\n', { watch: true });
    await until(source, (snapshot) => ids(snapshot).join() === 'a');
    await rm(file);
    const gone = await until(source, (snapshot) => snapshot.problems.length === 1);
    expect(ids(gone)).toEqual(['a']);
    expect(messages(gone)[0]).toMatch(/zoo\.toml cannot be read: there is no such file/);
    await writeFile(file, '[agents.b]\n');
    const back = await until(source, (snapshot) => ids(snapshot).join() === 'b');
    expect(back.problems).toEqual([]);
  });

  test('a snapshot comes from memory and is the same object', async () => {
    const source = await sourceOf('[agents.a]\n', { watch: true });
    await until(source, (snapshot) => !(snapshot instanceof Promise) && snapshot.entries.length === 1);
    await writeFile(file, '[agents.b]\n');
    await until(source, (snapshot) => ids(snapshot).join() === 'b');
    const answer = source.snapshot();
    expect(answer).not.toBeInstanceOf(Promise);
    expect(source.snapshot()).toBe(answer);
  });
});
