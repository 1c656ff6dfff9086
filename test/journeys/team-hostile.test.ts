import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { serveTestHub, type TestHub } from '../support/serve-test-hub.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/test-database.ts';

interface Answer {
  success: boolean;
  data: Record<string, unknown>;
  error: { code: string; message: string };
}

/** What a member, or somebody who would like to be one, may try. */
describe.each(databaseKinds)('a team on %s with a hostile member', (kind) => {
  let database: TestDatabase;
  let served: TestHub;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    database = await newTestDatabase(kind);
    served = await serveTestHub({ db: database.db, agents: [defineAgent({ name: 'helper', tools: ['search'] })] });
    await add({ id: 'lead', type: 'SUPERVISOR' });
    await add({ id: 'worker', supervisorId: 'lead', agent: 'helper' });
    await add({ id: 'other', supervisorId: 'lead' });
  });
  afterAll(async () => {
    await served.end();
    await database.remove();
  });

  async function add(member: { id: string; type?: string; supervisorId?: string; agent?: string }): Promise<void> {
    const { body } = await served.call<{ token: string }>('POST', '/api/team/members', { body: member });
    tokens.set(member.id, body.token);
  }

  function execute(agentId: string, toolName: string, input: object = {}, more: object = {}) {
    const headers = { authorization: `Bearer ${tokens.get(agentId)}` };
    return served.call<Answer>('POST', '/mcp/execute', { body: { agentId, toolName, input, ...more }, headers });
  }

  async function newestRow() {
    const { entries } = await served.hub.decisions.page({ limit: 1 });
    return entries[0];
  }

  test.each([
    ['NUL', 'a\0b'],
    ['half a pair of surrogates', 'a\ud800b'],
  ])('a taskId with %s neither stops the log nor breaks its chain', async (_, taskId) => {
    const { status, body } = await execute('worker', 'mcp__task__add_comment', { taskId, body: 'x' });
    expect([status, body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect(await newestRow()).toMatchObject({ kind: 'error', agentId: 'worker', tool: 'mcp__task__add_comment' });
    expect((await served.hub.decisions.verify()).problems).toEqual([]);
  });
});
