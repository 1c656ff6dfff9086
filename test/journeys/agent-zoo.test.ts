import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { AgentZooOffer } from '../../src/agents/agents.contract.ts';
import type { ContextPreview } from '../../src/agents/context.contract.ts';
import { createAgent } from '../../src/agents/edit-agents.ts';
import type { AgentExport, ImportReport } from '../../src/agents/transfer-agents.ts';
import type { BrainEntry } from '../../src/brain/brain.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createHub } from '../../src/hub.ts';
import { runZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { LineClient, listOf } from '../support/hubs/mcp-hub.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

/** A store as AgentZoo writes it: its newest agents, and one of its first versions, which it converts on reading. */
const agentsJson = {
  agents: [
    {
      id: 'sage',
      name: 'Sage',
      description: 'Thoughtful\nmentor.',
      systemPrompt: 'You are Sage, a patient mentor.',
      skillCategories: [{ id: 'talk', name: 'Talking', color: '#7BA35C' }],
      skills: [
        { id: 'mentor', name: 'Mentoring', description: 'Give feedback.', categoryId: 'talk', enabled: true },
        { id: 'plan', name: 'Planning', description: 'Plan in steps.', categoryId: 'gone', enabled: false },
      ],
      contextRefs: ['Memory garden'],
      appearanceSeed: 'willow',
      brainEntries: [
        {
          id: '0b0a5a3e-6a2c-4f6e-9d5e-6d8f2f5f0a01',
          agentId: 'sage',
          type: 'decision',
          content: 'We use SQLite.',
          timestamp: '2026-01-05T09:30:00.000Z',
          pinned: true,
          tags: ['storage'],
          metadata: { source: 'mcp', sessionId: 's1' },
        },
        {
          id: '0b0a5a3e-6a2c-4f6e-9d5e-6d8f2f5f0a02',
          agentId: 'sage',
          type: 'note',
          content: 'Likes short answers.',
          timestamp: '2026-01-06T09:30:00.000Z',
          pinned: false,
        },
      ],
    },
    { id: 'dr.-no', name: 'Dr. No', personality: 'You say no.', skills: { 'hard-talk': true, small_talk: false } },
  ],
  currentAgentId: 'sage',
};

describe("somebody who brings AgentZoo's store", () => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await serveTestHub();
  });
  afterEach(() => hub.end());

  it('gets agents, skills, memories and pictures over HTTP', async () => {
    const { status, body } = await hub.call<ImportReport>('POST', '/api/import', { body: agentsJson });
    expect([status, body]).toEqual([
      201,
      {
        created: ['sage', 'dr-no'],
        renamed: [],
        replaced: [],
        skipped: [],
        brainEntries: 2,
        versions: 0,
        notes: [
          'sage: The description was put on one line or shortened.',
          'sage: The context reference "Memory garden" names no file or page, so it is left out of prompts.',
          'dr-no: The id "dr.-no" became "dr-no".',
        ],
      },
    ]);
    const { agent } = await hub.hub.agents.get('sage');
    expect(agent).toMatchObject({
      name: 'Sage',
      description: 'Thoughtful mentor.',
      systemPrompt: 'You are Sage, a patient mentor.',
      skillCategories: [{ id: 'talk', name: 'Talking', color: '#7BA35C' }],
      skills: [
        { id: 'mentor', categoryId: 'talk', enabled: true },
        // AgentZoo moves skills of unknown categories into the first one.
        { id: 'plan', categoryId: 'talk', enabled: false },
      ],
      contextRefs: ['Memory garden'],
      appearanceSeed: 'willow',
      tools: ['agent_zoo_*'],
    });
    expect(await hub.hub.brain.query('sage', {})).toEqual([
      expect.objectContaining({ content: 'Likes short answers.', tags: [], metadata: {} }),
      {
        ...agentsJson.agents[0]?.brainEntries?.[0],
        metadata: { source: 'mcp', sessionId: 's1' },
      },
    ]);
  });

  it('gets the old skill map as skills, and the personality as the system prompt', async () => {
    await hub.call('POST', '/api/import', { body: agentsJson });
    const { agent } = await hub.hub.agents.get('dr-no');
    expect(agent.systemPrompt).toBe('You say no.');
    expect(agent.skillCategories).toEqual([{ id: 'general', name: 'General', color: '#61988E' }]);
    expect(agent.skills).toEqual([
      { id: 'hard-talk', name: 'Hard Talk', description: '', categoryId: 'general', enabled: true },
      { id: 'small_talk', name: 'Small Talk', description: '', categoryId: 'general', enabled: false },
    ]);
  });

  it('calls tools as before, also with spaces around an id', async () => {
    await hub.call('POST', '/api/import', { body: agentsJson });
    const call = async (tool: string, body: object) =>
      (await hub.call<{ result: object }>('POST', `/tools/${tool}`, { body })).body.result;
    expect(await call('agent_zoo_inject', { agentId: ' sage ' })).toMatchObject({
      agentId: 'sage',
      agentName: 'Sage',
      prompt: [
        'You are now Sage. Use agentId=sage for all agent_zoo tool usage.',
        'You are Sage, a patient mentor.',
        '---',
        '## Active Skills',
        '### Mentoring\nGive feedback.',
      ].join('\n\n'),
    });
    expect(await call('agent_zoo_query_brain_entries', { agentId: ' sage', tags: ['storage'] })).toMatchObject({
      agentId: 'sage',
      entries: [{ id: '0b0a5a3e-6a2c-4f6e-9d5e-6d8f2f5f0a01' }],
    });
  });

  it('changes nothing with a file in which one entry is broken', async () => {
    const [sage] = agentsJson.agents;
    const broken = { agents: [{ ...sage, brainEntries: [{ type: 'dream', content: 'x' }] }] };
    const { status, body } = await hub.call('POST', '/api/import', { body: broken });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('agents[0]: brain[0].type')]);
    expect(hub.hub.agents.size).toBe(0);
  });

  it('is offered the file in the data folder until it is imported', async () => {
    const offered = async () =>
      (await hub.call<{ offer: AgentZooOffer | null }>('GET', '/api/import/offer')).body.offer;
    expect(await offered()).toBeNull();
    await writeFile(join(hub.folder, 'agents.json'), JSON.stringify(agentsJson));
    expect(await offered()).toEqual({
      file: join(hub.folder, 'agents.json'),
      agents: [
        { id: 'sage', name: 'Sage' },
        { id: 'dr-no', name: 'Dr. No' },
      ],
      brainEntries: 2,
    });
    expect(hub.hub.agents.size).toBe(0);
    const accepted = await hub.call<ImportReport>('POST', '/api/import/offer');
    expect([accepted.status, accepted.body.created]).toEqual([201, ['sage', 'dr-no']]);
    expect(await offered()).toBeNull();
    expect((await hub.call('POST', '/api/import/offer')).status).toBe(404);
    // An agent that was deleted is not offered again.
    await hub.call('DELETE', '/api/agents/sage');
    expect(await offered()).toBeNull();
    expect(JSON.parse(await readFile(join(hub.folder, 'agents.json'), 'utf8'))).toEqual(agentsJson);
  });

  it('is not asked again after declining', async () => {
    await writeFile(join(hub.folder, 'agents.json'), JSON.stringify(agentsJson));
    expect((await hub.call('DELETE', '/api/import/offer')).status).toBe(204);
    expect((await hub.call<{ offer: unknown }>('GET', '/api/import/offer')).body.offer).toBeNull();
    expect(hub.hub.agents.size).toBe(0);
  });
});

describe('an export', () => {
  let first: TestHub;
  let second: TestHub;
  beforeEach(async () => {
    [first, second] = [await serveTestHub(), await serveTestHub()];
  });
  afterEach(() => Promise.all([first.end(), second.end()]));

  it('carries skills, brain and versions to another hub', async () => {
    const { body: made } = await first.call('POST', '/api/agents', {
      body: { name: 'Traveller', systemPrompt: 'One.', skills: [{ id: 'pack', name: 'Pack', description: 'Light.' }] },
    });
    await first.call('PUT', '/api/agents/traveller', { body: { ...made, systemPrompt: 'Two.' } });
    const entry = { type: 'note', content: 'Been to Rome.', tags: ['trip'], pinned: true };
    await first.call('POST', '/api/agents/traveller/brain', { body: entry });
    const exported = await first.call<AgentExport>('GET', '/api/export?ids=traveller');
    const imported = await second.call<ImportReport>('POST', '/api/import', { body: exported.body });
    expect(imported.body).toMatchObject({ created: ['traveller'], brainEntries: 1, versions: 2, notes: [] });

    const [before, after] = [first, second].map(({ hub }) => hub.agents.get('traveller'));
    expect((await after)?.agent).toEqual((await before)?.agent);
    const [brain] = (await second.call<{ entries: BrainEntry[] }>('GET', '/api/agents/traveller/brain')).body.entries;
    expect(brain).toEqual((await first.hub.brain.query('traveller', {}))[0]);
    const history = await second.hub.agentStore.versions('traveller');
    expect(history.map(({ revision, action, agent }) => [revision, action, agent.systemPrompt])).toEqual([
      [3, 'import', 'Two.'],
      [2, 'update', 'Two.'],
      [1, 'create', 'One.'],
    ]);
    const original = await first.hub.agentStore.versions('traveller');
    expect(history.slice(1).map(({ at }) => at)).toEqual(original.map(({ at }) => at));
    const restored = await second.call('POST', '/api/agents/traveller/versions/1/restore', {
      headers: { 'if-match': '"3"' },
    });
    expect(restored.body.systemPrompt).toBe('One.');
  });

  it('leaves out memory and versions for a file that others will read', async () => {
    await first.call('POST', '/api/import', { body: agentsJson });
    const query = 'ids=sage&withoutBrain=true&withoutVersions=true';
    const { body } = await first.call<AgentExport>('GET', `/api/export?${query}`);
    expect(JSON.stringify(body)).not.toContain('SQLite');
    expect(Object.keys(body.agents[0] ?? {})).not.toContain('versions');
  });

  it('imported twice, keeps one copy of each memory when it replaces, and gives a renamed agent its own', async () => {
    await first.call('POST', '/api/import', { body: agentsJson });
    const { body } = await first.call<AgentExport>('GET', '/api/export?ids=sage');
    await first.call('POST', '/api/agents/sage/brain', { body: { type: 'note', content: 'Later.' } });
    await first.call('POST', '/api/import?onTakenId=replace', { body });
    expect(await first.hub.brain.query('sage', {})).toHaveLength(3);
    await first.call('POST', '/api/import', { body });
    const copies = await first.hub.brain.query('sage-2', {});
    expect(copies.map(({ content }) => content)).toEqual(['Likes short answers.', 'We use SQLite.']);
    expect(await first.hub.brain.query('sage', {})).toHaveLength(3);
  });
});

describe('at the command line', () => {
  let folder: ZooFolder;
  beforeEach(async () => {
    folder = await zooFolder();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  test('"zoo agent import" reads the store of AgentZoo, and says what it changed', async () => {
    await writeFile(join(folder.dir, 'agents.json'), JSON.stringify(agentsJson));
    const { code, stdout } = await runZoo(['agent', 'import', 'agents.json'], { cwd: folder.dir });
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        'Created: sage',
        'Created: dr-no',
        'Brain entries: 2',
        'sage: The description was put on one line or shortened.',
        'sage: The context reference "Memory garden" names no file or page, so it is left out of prompts.',
        'dr-no: The id "dr.-no" became "dr-no".',
        '',
      ],
    ]);
  });

  test('"zoo serve" offers the store it finds in its own folder, in one sentence', async () => {
    const file = join(folder.dir, 'home', 'agents.json');
    await writeFile(file, JSON.stringify(agentsJson));
    await using zoo = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
    const [sentence] = await zoo.says(/.*from AgentZoo.*/);
    expect(sentence).toBe(`${file} has 2 agents and 2 brain entries from AgentZoo. Import: zoo agent import ${file}`);
  });
});

describe('somebody who names files as context', () => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await serveTestHub({
      toml: '[agents.writer]\nsystem_prompt = "Write."\ncontext_refs = ["../work/x"]\n',
    });
  });
  afterEach(() => hub.end());

  it('gets them embedded or as links with the injection, over MCP and HTTP', async () => {
    const work = await mkdtemp(join(tmpdir(), 'zoo-context-'));
    await writeFile(join(work, 'style.md'), 'Be brief.');
    await writeFile(join(work, 'spec.md'), 'Every word counts. '.repeat(500));
    await writeFile(join(work, 'zoo.toml'), '[context]\nfolders = ["."]\n');
    const config = await loadConfig({
      explicitFile: join(work, 'zoo.toml'),
      cwd: work,
      env: { AGENT_ZOO_HOME: hub.folder },
      home: hub.folder,
    });
    const other = await createHub({ config, db: { path: ':memory:' }, watch: false });
    const contextRefs = ['style.md', 'spec.md', 'gone.md'];
    await createAgent(other, { name: 'Writer', systemPrompt: 'Write.', contextRefs, contextBudget: 50 });
    const client = new LineClient(other);
    await client.initialize('2025-11-25');
    const inject = async (format: string) =>
      (await client.request('tools/call', { name: 'agent_zoo_inject', arguments: { agentId: 'writer', format } }))
        .result;
    const compiled = await inject('compiled');
    expect(compiled?.structuredContent).toMatchObject({
      prompt: [
        'You are now Writer. Use agentId=writer for all agent_zoo tool usage.',
        'Write.',
        '---',
        '## Context',
        '### style.md',
        'Be brief.',
        'Not included here; read them when you need them:\n- spec.md: agent-zoo://agents/writer/context/spec.md',
      ].join('\n\n'),
      context: [
        { ref: 'style.md', delivery: 'embedded' },
        { ref: 'spec.md', delivery: 'link' },
        { ref: 'gone.md', delivery: 'missing' },
      ],
      warnings: ['The context reference "gone.md" was left out. There is no such file.'],
    });
    expect(compiled?.content).toEqual([
      { type: 'text', text: expect.any(String) },
      {
        type: 'resource_link',
        uri: 'agent-zoo://agents/writer/context/spec.md',
        name: 'spec.md',
        title: 'spec.md',
        mimeType: 'text/markdown',
      },
    ]);
    expect((await inject('structured'))?.structuredContent).toMatchObject({
      systemPrompt: 'Write.',
      skills: [],
      context: [{ ref: 'style.md', text: 'Be brief.' }, { delivery: 'link' }, { delivery: 'missing' }],
    });
    const opened = await client.request('resources/read', { uri: 'agent-zoo://agents/writer/context/spec.md' });
    expect(listOf(opened, 'contents')[0]?.text).toContain('Every word counts.');
    const foreign = await client.request('resources/read', { uri: 'agent-zoo://agents/writer/context/zoo.toml' });
    expect(foreign.error?.message).toContain('has no context reference "zoo.toml"');
    const prompt = await client.request('prompts/get', { name: 'writer' });
    expect(listOf<{ content: { type: string } }>(prompt, 'messages').map(({ content }) => content.type)).toEqual([
      'text',
      'resource_link',
    ]);
    client.input.end();
    await client.done;
    await other.close();
    await rm(work, { recursive: true });
  });

  it('sees in the preview what becomes of each, without an entry in the log', async () => {
    const acts = async () => (await hub.call<{ decisions: unknown[] }>('GET', '/api/decisions?kind=act')).body;
    await hub.call('POST', '/api/agents', { body: { name: 'Draft' } });
    const before = await acts();
    expect(JSON.stringify(before)).toContain('Create an agent');
    const body = { id: 'draft', contextRefs: ['notes.md'], contextBudget: 100 };
    const preview = await hub.call<ContextPreview>('POST', '/api/agents/context', { body });
    expect(preview.body).toMatchObject({ items: [{ ref: 'notes.md', delivery: 'missing' }], text: '', used: 0 });
    expect(await acts()).toEqual(before);
    const refused = await hub.call('POST', '/api/agents/context', { body, isAnonymous: true });
    expect(refused.status).toBe(401);
  });
});

describe('the default agent of a folder', () => {
  let folder: ZooFolder;
  beforeEach(async () => {
    folder = await zooFolder();
  });
  afterEach(() => folder[Symbol.asyncDispose]());
  const zoo = (...args: string[]) => runZoo(['agent', 'default', ...args], { cwd: folder.dir });

  test('is set, shown and removed at the command line', async () => {
    await writeFile(join(folder.dir, 'zoo.toml'), '[workspace]\nagent = "a"\n[agents.a]\n[agents.b]\n');
    expect((await zoo()).stdout).toMatch(/: a \(zoo\.toml\)\n$/);
    expect((await zoo('b')).stdout).toMatch(/^Default agent of .*: b\n$/);
    expect(JSON.parse((await zoo('--json')).stdout)).toEqual({ agentId: 'b', from: 'remembered' });
    expect((await zoo('nobody')).stderr).toContain('nobody');
    expect((await zoo('--clear')).stdout).toMatch(/^Removed the default agent of /);
    expect((await zoo('--clear')).stderr).toContain('has no default agent');
  });

  test('is kept over HTTP', async () => {
    const hub = await serveTestHub({ toml: '[agents.a]\n' });
    const body = { folder: hub.folder, agentId: 'a' };
    expect((await hub.call<object>('PUT', '/api/workspaces', { body })).status).toBe(200);
    const list = await hub.call<object>('GET', '/api/workspaces');
    expect(list.body).toMatchObject({ workspaces: [{ agentId: 'a' }], configured: null });
    const missing = await hub.call('PUT', '/api/workspaces', { body: { ...body, folder: join(hub.folder, 'gone') } });
    expect([missing.status, missing.body.error.message]).toEqual([400, expect.stringContaining('there is no folder')]);
    expect((await hub.call('PUT', '/api/workspaces', { body: { ...body, agentId: 'nobody' } })).status).toBe(404);
    const address = `/api/workspaces?folder=${encodeURIComponent(hub.folder)}`;
    expect((await hub.call('DELETE', address)).status).toBe(204);
    expect((await hub.call('DELETE', address)).status).toBe(404);
    await hub.end();
  });
});

test('"zoo agent test" says which context is missing, on stderr', async () => {
  await using folder = await zooFolder();
  await writeFile(join(folder.dir, 'zoo.toml'), '[agents.a]\nsystem_prompt = "Hi."\ncontext_refs = ["gone.md"]\n');
  const { stdout, stderr } = await runZoo(['agent', 'test', 'a'], { cwd: folder.dir });
  expect(stdout).toContain('Hi.');
  expect(stderr).toContain('The context reference "gone.md" was left out.');
});
