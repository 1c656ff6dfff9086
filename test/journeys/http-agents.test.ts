import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentPrompt } from '../../src/agents/agent-prompt.ts';
import type { AgentListBody, AgentVersionSummary } from '../../src/agents/agents.contract.ts';
import { compilePrompt } from '../../src/agents/compile-prompt.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { AgentExport, ImportReport } from '../../src/agents/transfer-agents.ts';
import { HubError } from '../../src/base/hub-error.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

interface Versions {
  versions: AgentVersionSummary[];
}

let zoo: TestHub;
beforeAll(async () => {
  zoo = await serveTestHub({
    toml: `
[agents.reviewer]
description = "Reviews code"
system_prompt = "You review {language} code."
tools = ["agent_zoo_list_agents"]
`,
    agents: [
      defineAgent({
        name: 'greeter',
        description: 'Greets',
        arguments: [{ name: 'who', required: true }],
        resolve: (args) => ({
          system: `Hello ${args.who}, ${args.times}`,
          messages: [{ role: 'user', content: 'Hi' }],
        }),
      }),
      defineAgent({
        name: 'slow',
        resolve: () => {
          throw new HubError('TIMEOUT', 'The script took longer than 30 s.');
        },
      }),
      defineAgent({
        name: 'broken',
        resolve: () => {
          throw new Error('secret stack');
        },
      }),
    ],
  });
});
afterAll(() => zoo.end());

async function make(name: string): Promise<void> {
  const { status } = await zoo.call('POST', '/api/agents', { body: { name, systemPrompt: 'One.' } });
  expect(status).toBe(201);
}

describe('an agent over HTTP', () => {
  it('is created, read, replaced, deleted and restored', async () => {
    const created = await zoo.call('POST', '/api/agents', { body: { name: 'Code Wizard' } });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe('/api/agents/code-wizard');
    expect(created.headers.get('etag')).toBe('"1"');
    expect(created.body).toMatchObject({ id: 'code-wizard', editable: true, revision: 1, source: 'store' });

    const read = await zoo.call('GET', '/api/agents/code-wizard');
    expect(read.body).toEqual(created.body);

    const changed = { ...read.body, systemPrompt: 'You are brief.' };
    const put = await zoo.call('PUT', '/api/agents/code-wizard', { body: changed, headers: { 'if-match': '"1"' } });
    expect(put.status).toBe(200);
    expect(put.headers.get('etag')).toBe('"2"');
    expect(put.body).toMatchObject({ systemPrompt: 'You are brief.', revision: 2, createdAt: read.body.createdAt });

    expect((await zoo.call('DELETE', '/api/agents/code-wizard')).body).toEqual({ success: true, id: 'code-wizard' });
    expect((await zoo.call('GET', '/api/agents/code-wizard')).status).toBe(404);
    const back = await zoo.call('POST', '/api/agents/code-wizard/undelete');
    expect(back.status).toBe(200);
    expect(back.body.systemPrompt).toBe('You are brief.');
  });

  it('is not sent again to a client that already has it', async () => {
    await make('Cached');
    const again = await zoo.call('GET', '/api/agents/cached', { headers: { 'if-none-match': 'W/"7", "1"' } });
    expect([again.status, again.text]).toEqual([304, '']);
    const other = await zoo.call('GET', '/api/agents/cached', { headers: { 'if-none-match': '"7"' } });
    expect(other.status).toBe(200);
  });

  it('gives the second of two writers both versions, and overwrites nothing', async () => {
    await make('Contested');
    const write = (systemPrompt: string) =>
      zoo.call('PUT', '/api/agents/contested', {
        body: { name: 'Contested', systemPrompt },
        headers: { 'if-match': '"1"' },
      });
    const answers = await Promise.all([write('mine'), write('yours')]);
    const winner = answers.find((each) => each.status === 200);
    const loser = answers.find((each) => each.status === 409);
    expect(loser?.body.error.code).toBe('conflict');
    expect(loser?.body.error.details.current).toEqual(winner?.body);
    expect(loser?.body.error.details.submitted.systemPrompt).not.toBe(winner?.body.systemPrompt);
    expect((await zoo.call('GET', '/api/agents/contested')).body).toEqual(winner?.body);
  });

  it('gets a new description from a PATCH with one field, and keeps the rest', async () => {
    const skills = [{ id: 's', name: 'Tests', description: 'First.', categoryId: null, enabled: true }];
    await zoo.call('POST', '/api/agents', { body: { name: 'Patched', systemPrompt: 'One.', skills } });
    const patch = (body: unknown, headers = {}) => zoo.call('PATCH', '/api/agents/patched', { body, headers });
    const changed = await patch({ description: 'Patches', revision: 1, source: 'toml' });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).toBe('"2"');
    expect(changed.body).toMatchObject({ description: 'Patches', systemPrompt: 'One.', skills, source: 'store' });
    const stale = await patch({ description: 'Late' }, { 'if-match': '"1"' });
    expect(stale.status).toBe(409);
    expect(stale.body.error.details).toMatchObject({ current: { revision: 2 }, submitted: { description: 'Late' } });
    for (const [body, why] of [
      [{}, 'at least one field'],
      [{ nmae: 'x' }, 'nmae'],
      [{ skills: 'none' }, 'skills'],
      [{ id: 'other' }, 'Clone the agent'],
      [{ skills: [{ id: 's', name: 'A', categoryId: 'nowhere' }] }, 'nowhere'],
    ] as const) {
      const refused = await patch(body);
      expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(why)]);
    }
    const read = await zoo.call('GET', '/api/agents/patched');
    expect(read.body).toMatchObject({ revision: 2, description: 'Patches' });
    expect((await zoo.call('PATCH', '/api/agents/nobody', { body: { name: 'x' } })).status).toBe(404);
    expect((await zoo.call('PATCH', '/api/agents/reviewer', { body: { name: 'x' } })).body.error.code).toBe(
      'read_only',
    );
  });

  it('keeps all fields that several clients patch at the same time', async () => {
    await make('Crowded');
    const fields = { description: 'Full', systemPrompt: 'Two.', version: '2.0.0', tools: ['search'] };
    const patches = Object.entries(fields).map(([name, value]) =>
      zoo.call('PATCH', '/api/agents/crowded', { body: { [name]: value } }),
    );
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await zoo.call('GET', '/api/agents/crowded')).body).toMatchObject({ ...fields, revision: 5 });
  });

  it('is not replaced by a writer that names no revision', async () => {
    await make('Careful');
    const body = { name: 'Careful' };
    const without = await zoo.call('PUT', '/api/agents/careful', { body });
    expect([without.status, without.body.error.code]).toEqual([428, 'precondition_required']);
    expect((await zoo.call('PUT', '/api/agents/careful', { body: { ...body, revision: 1 } })).status).toBe(200);
    expect((await zoo.call('PUT', '/api/agents/careful', { body: { ...body, revision: 1 } })).status).toBe(409);
    const anyway = await zoo.call('PUT', '/api/agents/careful', { body, headers: { 'if-match': '*' } });
    expect([anyway.status, anyway.body.revision]).toEqual([200, 3]);
  });

  it('is not deleted by a client with an old version', async () => {
    await make('Kept');
    await zoo.call('PUT', '/api/agents/kept', { body: { name: 'Kept' }, headers: { 'if-match': '"1"' } });
    const refused = await zoo.call('DELETE', '/api/agents/kept', { headers: { 'if-match': '"1"' } });
    expect([refused.status, refused.body.error.details.current.revision]).toEqual([409, 2]);
    expect((await zoo.call('GET', '/api/agents/kept')).status).toBe(200);
  });

  it('keeps every version and restores one', async () => {
    await make('Historic');
    await zoo.call('PUT', '/api/agents/historic', {
      body: { name: 'Historic', systemPrompt: 'Two.' },
      headers: { 'if-match': '"1"' },
    });
    const { body } = await zoo.call<Versions>('GET', '/api/agents/historic/versions');
    expect(body.versions.map((each) => [each.revision, each.action])).toEqual([
      [2, 'update'],
      [1, 'create'],
    ]);
    expect((await zoo.call<Versions>('GET', '/api/agents/historic/versions?limit=1')).body.versions).toHaveLength(1);
    expect((await zoo.call<Versions>('GET', '/api/agents/historic/versions?before=2')).body.versions).toHaveLength(1);
    const first = await zoo.call('GET', '/api/agents/historic/versions/1');
    expect(first.body).toMatchObject({ revision: 1, name: 'Historic', agent: { systemPrompt: 'One.' } });

    const path = '/api/agents/historic/versions/1/restore';
    expect((await zoo.call('POST', path)).status).toBe(428);
    const stale = await zoo.call('POST', path, { headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(409);
    expect(stale.body.error.details).toMatchObject({ current: { revision: 2 }, submitted: { systemPrompt: 'One.' } });
    const restored = await zoo.call('POST', path, { headers: { 'if-match': '"2"' } });
    expect(restored.body).toMatchObject({ revision: 3, systemPrompt: 'One.' });

    await zoo.call('DELETE', '/api/agents/historic');
    const { versions } = (await zoo.call<Versions>('GET', '/api/agents/historic/versions')).body;
    expect(versions[0]?.action).toBe('delete');
    expect((await zoo.call('GET', '/api/agents/historic/versions/77')).status).toBe(404);
    expect((await zoo.call('GET', '/api/agents/historic/versions/x')).status).toBe(404);
    expect((await zoo.call('GET', '/api/agents/nobody/versions')).status).toBe(404);
  });

  it('shows its compiled prompt', async () => {
    const made = await zoo.call('POST', '/api/agents', {
      body: { name: 'Compiled', systemPrompt: 'Be kind.', skills: [{ id: 's', name: 'Tests', description: 'First.' }] },
    });
    const { body } = await zoo.call('GET', '/api/agents/compiled/compiled');
    expect(body).toEqual({ agentId: 'compiled', ...compilePrompt(made.body) });
  });

  it('from a file can be read and copied, but not changed', async () => {
    const read = await zoo.call('GET', '/api/agents/reviewer');
    expect(read.body).toMatchObject({ source: 'toml', editable: false, revision: null, createdAt: null });
    expect(read.headers.get('etag')).toBeNull();
    const put = await zoo.call('PUT', '/api/agents/reviewer', { body: read.body });
    expect([put.status, put.body.error.code]).toEqual([403, 'read_only']);
    expect(put.body.error.message).toMatch(/zoo\.toml.*Clone it/);
    expect((await zoo.call('DELETE', '/api/agents/reviewer')).body.error.code).toBe('read_only');
    expect((await zoo.call('GET', '/api/agents/reviewer/versions')).body).toEqual({ versions: [] });

    const clone = await zoo.call('POST', '/api/agents/reviewer/clone', { body: { name: 'My reviewer' } });
    expect(clone.status).toBe(201);
    expect(clone.body).toMatchObject({ id: 'my-reviewer', editable: true, description: 'Reviews code' });
    expect((await zoo.call('POST', '/api/agents/reviewer/clone')).body.id).toBe('reviewer-copy');
  });

  it('is listed with the fields of the gallery', async () => {
    const { body } = await zoo.call<AgentListBody>('GET', '/api/agents');
    const reviewer = body.agents.find((agent) => agent.id === 'reviewer');
    expect(reviewer).toMatchObject({ editable: false, skills: { total: 0, enabled: 0 }, argumentCount: 0 });
    expect(body.problems).toEqual([]);
  });
});

describe('export and import', () => {
  it('carry agents from one hub to another', async () => {
    await make('Traveller');
    await zoo.call('PATCH', '/api/agents/traveller', { body: { tags: ['abroad'] } });
    const out = await zoo.call<AgentExport>('GET', '/api/export?ids=traveller,reviewer');
    expect(out.headers.get('content-disposition')).toMatch(/^attachment; filename="agent-zoo-agents-\d{4}/);
    const other = await serveTestHub();
    try {
      const report = await other.call<ImportReport>('POST', '/api/import', { body: out.body });
      expect([report.status, report.body.created]).toEqual([201, ['traveller', 'reviewer']]);
      const again = await other.call<ImportReport>('POST', '/api/import?onTakenId=skip', { body: out.body });
      expect(again.body.skipped).toEqual(['traveller', 'reviewer']);
      const renamed = await other.call<ImportReport>('POST', '/api/import', { body: out.body.agents[0] });
      expect(renamed.body.renamed).toEqual([{ from: 'traveller', to: 'traveller-2' }]);
      const { agents } = (await other.call<AgentListBody>('GET', '/api/agents')).body;
      expect(agents.map(({ id, tags }) => [id, tags]).sort()).toEqual([
        ['reviewer', []],
        ['traveller', ['abroad']],
        ['traveller-2', ['abroad']],
      ]);
    } finally {
      await other.end();
    }
    const refused = await zoo.call('POST', '/api/import?onTakenId=replace', { body: out.body });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'read_only']);
  });

  it('carry more agents than the usual body limit allows', async () => {
    const skills = Array.from({ length: 20 }, (_, id) => ({ id: `s${id}`, name: `Skill ${id}`, description: 'Do.' }));
    const agents = Array.from({ length: 1_100 }, (_, number) => ({ id: `many-${number}`, name: 'Many', skills }));
    agents[0] = { ...agents[0], id: 'many-0', name: '', skills };
    const document = { format: 'agent-zoo/agents', version: 1, agents };
    const { status, body } = await zoo.call('POST', '/api/import', { body: document });
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/agents\[0\]: name: must not be empty/)]);
  });

  it('include an agent once if it is requested twice', async () => {
    const { body } = await zoo.call<AgentExport>('GET', '/api/export?ids=reviewer,reviewer');
    expect(body.agents).toHaveLength(1);
  });

  it('reject an unknown agent', async () => {
    expect((await zoo.call('GET', '/api/export?ids=nobody')).status).toBe(404);
  });
});

describe('prompts over HTTP', () => {
  it('list agents by id', async () => {
    const { body } = await zoo.call<{ agents: object[] }>('GET', '/agents/list');
    expect(body.agents).toContainEqual({
      name: 'reviewer',
      description: 'Reviews code',
      tools: ['agent_zoo_list_agents'],
      source: 'toml',
      arguments: [],
    });
  });

  it.each([
    ['under "arguments"', { arguments: { who: 'Ada', times: 3 } }],
    ['flat', { who: 'Ada', times: 3 }],
  ])('take arguments %s', async (_, body) => {
    const answer = await zoo.call('POST', '/agents/greeter/prompt', { body });
    expect(answer.body).toEqual({
      result: { system: 'Hello Ada, 3', tools: [], messages: [{ role: 'user', content: 'Hi' }] },
    });
  });

  it('accept a missing body', async () => {
    const { body } = await zoo.call<{ result: AgentPrompt }>('POST', '/agents/reviewer/prompt');
    expect(body.result.system).toContain('You review {language} code.');
  });

  it.each([
    ['an unknown agent', 'nobody', {}, 404, 'not_found', /nobody/],
    ['a missing argument', 'greeter', {}, 400, 'bad_request', /"who"/],
    ['an argument that is a list', 'greeter', { who: ['x'] }, 400, 'bad_request', /"who" must be a string/],
    ['a null argument', 'greeter', { arguments: { who: null } }, 400, 'bad_request', /"who" must be a string/],
    ['more than arguments', 'greeter', { arguments: { who: 'x' }, whom: 'y' }, 400, 'bad_request', /"whom"/],
    ['no arguments', 'greeter', { arguments: null }, 400, 'bad_request', /"who"/],
    ['a list for arguments', 'greeter', { arguments: [] }, 400, 'bad_request', /must be a JSON object/],
    ['a body that is a list', 'greeter', [], 400, 'bad_request', /must be a JSON object/],
    ['a script that is too slow', 'slow', {}, 408, 'timeout', /30 s/],
    ['a script that fails', 'broken', {}, 500, 'agent_error', /failed to build/],
  ])('answer %s', async (_, name, body, status, code, message) => {
    const answer = await zoo.call('POST', `/agents/${name}/prompt`, { body });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.body.error.message).toMatch(message);
    expect(answer.text).not.toContain('secret stack');
  });
});
