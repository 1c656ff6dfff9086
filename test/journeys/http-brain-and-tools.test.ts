import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BrainBody } from '../../src/brain/brain.contract.ts';
import type { BrainEntry } from '../../src/brain/brain.ts';
import { ToolContent } from '../../src/tools/content.ts';
import { defineTool } from '../../src/tools/tool.ts';
import type { ToolBody } from '../../src/tools/tools.contract.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
beforeAll(async () => {
  zoo = await serveTestHub({
    tools: [
      defineTool({
        name: 'draw',
        description: 'Draws.',
        input: z.strictObject({ fails: z.boolean().optional() }),
        run: ({ fails }) =>
          new ToolContent([{ type: 'text', text: fails ? 'No ink.' : 'A cat.' }], {
            ...(fails ? { isError: true } : { structuredContent: { cats: 1 } }),
          }),
      }),
      defineTool({
        name: 'explode',
        description: 'Fails.',
        input: z.strictObject({}),
        run: () => {
          throw new Error('the inner secret');
        },
      }),
    ],
  });
  await zoo.call('POST', '/api/agents', { body: { name: 'Keeper', tools: ['agent_zoo_get_*', 'draw'] } });
});
afterAll(() => zoo.end());

const brain = '/api/agents/keeper/brain';

describe('the brain over HTTP', () => {
  it('entries are written, read, filtered, pinned and deleted, and every write is in the decision log', async () => {
    const first = await zoo.call<BrainEntry>('POST', brain, { body: { type: 'note', content: 'One', tags: ['a'] } });
    const second = await zoo.call<BrainEntry>('POST', brain, {
      body: { type: 'decision', content: 'Two', tags: ['b'], pinned: true },
    });
    expect([first.status, first.body.agentId, first.body.pinned]).toEqual([201, 'keeper', false]);

    const ids = async (query: string) =>
      (await zoo.call<z.output<typeof BrainBody>>('GET', `${brain}${query}`)).body.entries.map((entry) => entry.id);
    expect(await ids('')).toEqual([second.body.id, first.body.id]);
    expect(await ids('?type=note')).toEqual([first.body.id]);
    expect(await ids('?tags=b,c')).toEqual([second.body.id]);
    expect(await ids('?pinned=true')).toEqual([second.body.id]);
    expect(await ids('?pinned=false')).toEqual([first.body.id]);
    expect(await ids('?dateTo=2020-01-01')).toEqual([]);
    expect(await ids('?dateFrom=2020-01-01')).toHaveLength(2);

    const path = `${brain}/${first.body.id}`;
    expect((await zoo.call('GET', path)).body).toEqual(first.body);
    const changed = await zoo.call<BrainEntry>('PUT', path, { body: { ...first.body, content: 'One!' } });
    expect(changed.body).toEqual({ ...first.body, content: 'One!' });
    expect((await zoo.call<BrainEntry>('PATCH', `${path}/pin`)).body.pinned).toBe(true);
    expect((await zoo.call<BrainEntry>('PATCH', `${path}/pin`)).body.pinned).toBe(false);
    const pinned = await zoo.call<BrainEntry>('PATCH', `${path}/pin`, { body: { pinned: true } });
    expect(pinned.body.pinned).toBe(true);
    expect((await zoo.call('DELETE', path)).body).toEqual({ success: true, entryId: first.body.id });
    expect((await zoo.call('GET', path)).status).toBe(404);

    const { entries: log } = await zoo.hub.decisions.page({ limit: 100 });
    const kinds = (tool: string) =>
      log.filter((row) => row.tool === tool && row.surface === 'web').map((row) => row.kind);
    expect(kinds('agent_zoo_create_brain_entry')).toEqual(['result', 'invocation', 'result', 'invocation']);
    expect(kinds('agent_zoo_update_brain_entry')).toHaveLength(8);
    expect(kinds('agent_zoo_delete_brain_entry')).toEqual(['result', 'invocation']);
  });

  it('the body cannot name the brain of another agent', async () => {
    await zoo.call('POST', '/api/agents', { body: { name: 'Other' } });
    await zoo.call('POST', brain, { body: { agentId: 'other', type: 'note', content: 'Mine' } });
    expect((await zoo.call<z.output<typeof BrainBody>>('GET', '/api/agents/other/brain')).body.entries).toEqual([]);
  });

  it('a rejected write is logged as an error', async () => {
    await zoo.call('POST', brain, { body: { type: 'dream', content: 'x' } });
    const [row] = (await zoo.hub.decisions.page({ limit: 1 })).entries;
    expect(row).toMatchObject({ kind: 'error', tool: 'agent_zoo_create_brain_entry', surface: 'web' });
  });
});

describe('tools over HTTP', () => {
  it('are listed, optionally by scope', async () => {
    const names = async (query: string) =>
      (await zoo.call<{ tools: ToolBody[] }>('GET', `/tools/list${query}`)).body.tools.map((tool) => tool.name);
    expect(await names('')).toEqual(expect.arrayContaining(['agent_zoo_inject', 'draw', 'explode']));
    expect(await names('?agent=keeper')).toEqual(['agent_zoo_get_agent', 'draw']);
    const { body } = await zoo.call<{ tools: ToolBody[] }>('GET', '/tools/list?agent=keeper');
    expect(body.tools[0]).toMatchObject({ origin: 'built-in', inputSchema: { type: 'object' } });
    expect(body.tools[1]).toMatchObject({ outputSchema: null });
  });

  it.each(['?Agent=keeper', '?agent[]=keeper'])('never show more for a misspelt key: %s', async (query) => {
    expect((await zoo.call('GET', `/tools/list${query}`)).status).toBe(400);
    expect((await zoo.call('POST', `/tools/draw${query}`, { body: {} })).status).toBe(400);
  });

  it('run and are logged', async () => {
    const { body } = await zoo.call('POST', '/tools/agent_zoo_inject', { body: { agentId: 'keeper' } });
    expect(body).toMatchObject({
      result: { agentId: 'keeper', prompt: expect.stringContaining('You are now Keeper') },
    });
    const [row] = (await zoo.hub.decisions.page({ limit: 1 })).entries;
    expect(row).toMatchObject({ kind: 'result', surface: 'http', tool: 'agent_zoo_inject' });
    expect((await zoo.call('POST', '/tools/agent_zoo_list_agents')).status).toBe(200);
  });

  it('return content if they have more than data', async () => {
    expect((await zoo.call('POST', '/tools/draw')).body).toEqual({
      result: { cats: 1 },
      content: [{ type: 'text', text: 'A cat.' }],
    });
  });

  it.each([
    ['outside the scope', 'explode?agent=keeper', {}, 403, 'permission_denied', /not in the scope of agent "keeper"/],
    ['that do not exist', 'nothing', {}, 404, 'not_found', /Available: .*draw/],
    ['that report an error', 'draw', { fails: true }, 500, 'tool_error', /^No ink\.$/],
    ['that break', 'explode', {}, 500, 'internal_error', /^Internal error$/],
    ['with a wrong format', 'agent_zoo_inject', { agentId: 'keeper', format: 'x' }, 400, 'bad_request', /format/],
  ])('%s are reported', async (_, name, body, status, code, message) => {
    const answer = await zoo.call('POST', `/tools/${name}`, { body });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.body.error.message).toMatch(message);
    expect(answer.text).not.toContain('inner secret');
  });
});
