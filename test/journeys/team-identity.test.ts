import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

interface Answer {
  success: boolean;
  error: { code: string; message: string };
}

let served: TestHub;
const tokens = new Map<string, string>();
beforeAll(async () => {
  served = await serveTestHub({ agents: [defineAgent({ name: 'helper', tools: ['search'] })] });
  for (const member of [
    { id: 'lead', type: 'SUPERVISOR' },
    { id: 'planner', type: 'ORCHESTRATOR', supervisorId: 'lead' },
    { id: 'worker', type: 'WORKER', supervisorId: 'lead', agent: 'helper' },
  ]) {
    const { body } = await served.call<{ token: string }>('POST', '/api/team/members', { body: member });
    tokens.set(member.id, body.token);
  }
});
afterAll(() => served.end());

function execute(body: object, token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return served.call<Answer>('POST', '/mcp/execute', { body, headers, isAnonymous: true });
}

/** Returns everything the team stores, except the log. */
async function everything(): Promise<unknown> {
  const { team } = served.hub;
  const { items: threads } = await team.mail.threads({ all: true, limit: 500 });
  return {
    threads,
    members: (await team.members.list()).map(({ lastActiveAt: _, ...rest }) => rest),
    tasks: await team.tasks.list({ limit: 500 }),
    epics: await team.epics.list({ limit: 500 }),
  };
}

describe('a call in the name of another member', () => {
  test('is rejected, logged and without effect, for every tool and every pair of members', async () => {
    const tools = await served.hub.allTools();
    expect(tools.length).toBeGreaterThan(30);
    const before = await everything();
    for (const { name } of tools) {
      for (const [from, to] of [
        ['worker', 'lead'],
        ['planner', 'worker'],
        ['lead', 'planner'],
      ] as const) {
        const input = { toHuman: true, subject: 'a', body: 'b', title: 'a', taskId: 'a', agentId: 'worker' };
        const { status, body } = await execute({ agentId: to, toolName: name, input }, tokens.get(from));
        expect([name, status, body.success, body.error.code]).toEqual([name, 403, false, 'PERMISSION_DENIED']);
        const { entries } = await served.hub.decisions.page({ agentId: from, tool: name, limit: 1 });
        expect(entries).toMatchObject([{ kind: 'error', decision: `Tool error: ${name}` }]);
        expect(entries[0]?.context).toContain('PERMISSION_DENIED');
      }
    }
    expect(await everything()).toEqual(before);
  });

  test.each([
    ['an unknown token', 'zoo_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a token cut short', 'zoo_'],
    ['no token', undefined],
  ])('with %s is rejected and logged', async (_, token) => {
    const { status, body } = await execute({ agentId: 'worker', toolName: 'mcp__mail__list_inbox' }, token);
    expect([status, body.error.code]).toEqual([403, 'PERMISSION_DENIED']);
    const { entries } = await served.hub.decisions.page({ tool: 'mcp__mail__list_inbox', kind: 'error', limit: 1 });
    expect(entries).toMatchObject([{ agentId: null, decision: 'Tool error: mcp__mail__list_inbox' }]);
  });

  test('the token alone identifies the caller', async () => {
    const { status } = await execute({ toolName: 'mcp__agent__get_status' }, tokens.get('worker'));
    expect(status).toBe(200);
  });

  test('a new token replaces the old one at once, and a removed member has none', async () => {
    const made = await served.call<{ token: string }>('POST', '/api/team/members', { body: { id: 'guest' } });
    const call = (token: string) => execute({ agentId: 'guest', toolName: 'mcp__agent__get_status' }, token);
    expect((await call(made.body.token)).status).toBe(200);
    const next = await served.call<{ token: string }>('POST', '/api/team/members/guest/token');
    expect((await call(made.body.token)).status).toBe(403);
    expect((await call(next.body.token)).status).toBe(200);
    await served.call('DELETE', '/api/team/members/guest');
    expect((await call(next.body.token)).status).toBe(403);
  });

  test('tokens are nowhere in the database or the log', async () => {
    const { readFile, readdir } = await import('node:fs/promises');
    const files = (await readdir(served.folder)).filter((name) => name.startsWith('zoo.sqlite'));
    const bytes = await Promise.all(files.map((name) => readFile(`${served.folder}/${name}`, 'latin1')));
    expect(bytes.join('').length).toBeGreaterThan(10_000);
    for (const token of tokens.values()) expect(bytes.join('')).not.toContain(token);
  });
});
