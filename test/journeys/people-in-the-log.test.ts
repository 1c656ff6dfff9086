import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decisionsContract } from '../../src/decisions/decisions.contract.ts';
import { apiRoutes } from '../../src/http/app.ts';
import type { StoredDecision } from '../../src/tools/decision-log.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
let task: { id: string };
let other: { id: string };
let epic: { id: string };
let entry: { id: string };
let mailId: string;
beforeAll(async () => {
  zoo = await serveTestHub();
  await zoo.call('POST', '/api/agents', { body: { name: 'Keeper' } });
  await zoo.call('POST', '/api/team/members', { body: { id: 'worker-1' } });
  await zoo.call('POST', '/api/mail', { body: { toAgentId: 'worker-1', subject: 'Hi', body: 'There' } });
  task = (await zoo.call<{ id: string }>('POST', '/api/tasks', { body: { title: 'Do it' } })).body;
  other = (await zoo.call<{ id: string }>('POST', '/api/tasks', { body: { title: 'Do that too' } })).body;
  epic = (await zoo.call<{ id: string }>('POST', '/api/epics', { body: { title: 'All of it' } })).body;
  entry = (
    await zoo.call<{ id: string }>('POST', '/api/agents/keeper/brain', { body: { type: 'note', content: 'One' } })
  ).body;
  const caller = await zoo.hub.resolveCaller({ surface: 'mcp', member: 'worker-1' });
  const input = { toHuman: true, subject: 'May I?', body: 'b' };
  const sent = await zoo.hub.execute({ caller, tool: 'mcp__mail__send', input });
  mailId = sent.ok ? (sent.data as { mailId: string }).mailId : '';
});
afterAll(() => zoo.end());

/** Returns the entries that a request leaves, oldest first. */
async function entriesOf(method: string, path: string, body?: unknown): Promise<StoredDecision[]> {
  const before = (await zoo.hub.decisions.page({ limit: 1 })).entries[0]?.seq ?? 0;
  const reply = await zoo.call(method, path, body === undefined ? {} : { body });
  expect([path, reply.status < 300]).toEqual([path, true]);
  return (await zoo.hub.decisions.page({ limit: 100 })).entries.filter(({ seq }) => seq > before).reverse();
}

describe('what people write', () => {
  it.each<[what: string, tool: string, method: string, path: () => string, body?: object]>([
    ['a mail', 'mcp__mail__send', 'POST', () => '/api/mail', { toAgentId: 'worker-1', subject: 's', body: 'b' }],
    ['a reply', 'mcp__mail__reply', 'POST', () => `/api/mail/${mailId}/reply`, { body: 'yes' }],
    ['a mail marked as read', 'mcp__mail__read', 'POST', () => `/api/mail/${mailId}/read`],
    ['a thread marked as read', 'mcp__mail__read_thread', 'POST', () => `/api/mail/threads/${mailId}/read`],
    ['a task', 'mcp__task__create', 'POST', () => '/api/tasks', { title: 'Another' }],
    ['a changed task', 'mcp__task__change', 'PATCH', () => `/api/tasks/${task.id}`, { title: 'Do it well' }],
    ['an assigned task', 'mcp__task__assign', 'POST', () => `/api/tasks/${task.id}/assign`, { agentId: 'worker-1' }],
    ['a moved task', 'mcp__task__update_status', 'POST', () => `/api/tasks/${task.id}/move`, { status: 'IN_PROGRESS' }],
    ['a comment', 'mcp__task__add_comment', 'POST', () => `/api/tasks/${task.id}/comments`, { body: 'Go' }],
    ['work in review', 'mcp__task__update_status', 'POST', () => `/api/tasks/${task.id}/move`, { status: 'REVIEW' }],
    [
      'requested changes',
      'mcp__epic__request_changes',
      'POST',
      () => `/api/tasks/${task.id}/request-changes`,
      { comment: 'No' },
    ],
    ['a second review', 'mcp__task__update_status', 'POST', () => `/api/tasks/${task.id}/move`, { status: 'REVIEW' }],
    ['an approved task', 'mcp__epic__approve_task', 'POST', () => `/api/tasks/${task.id}/approve`, {}],
    ['a started task', 'mcp__task__start', 'POST', () => `/api/tasks/${other.id}/start`, { agentId: 'worker-1' }],
    ['a deleted task', 'mcp__task__delete', 'DELETE', () => `/api/tasks/${task.id}`],
    ['an epic', 'mcp__epic__create', 'POST', () => '/api/epics', { title: 'More' }],
    ['a moved epic', 'mcp__epic__update_status', 'PATCH', () => `/api/epics/${epic.id}`, { status: 'IN_PROGRESS' }],
    ['a changed epic', 'mcp__epic__change', 'PATCH', () => `/api/epics/${epic.id}`, { title: 'All' }],
    ['a deleted epic', 'mcp__epic__delete', 'DELETE', () => `/api/epics/${epic.id}`],
    [
      'a memory',
      'agent_zoo_create_brain_entry',
      'POST',
      () => '/api/agents/keeper/brain',
      { type: 'note', content: 'x' },
    ],
    [
      'a changed memory',
      'agent_zoo_update_brain_entry',
      'PATCH',
      () => `/api/agents/keeper/brain/${entry.id}/pin`,
      { pinned: true },
    ],
    ['a deleted memory', 'agent_zoo_delete_brain_entry', 'DELETE', () => `/api/agents/keeper/brain/${entry.id}`],
  ])('goes through the pipeline as HUMAN: %s', async (_what, tool, method, path, body) => {
    const expected = { tool, agentId: 'HUMAN', surface: 'web' };
    expect(await entriesOf(method, path(), body)).toMatchObject([
      { ...expected, kind: 'invocation' },
      { ...expected, kind: 'result' },
    ]);
  });

  it('is out of reach for a member, even if its rules allow all tools of that name', async () => {
    await zoo.call('POST', '/api/team/members', { body: { id: 'boss', type: 'SUPERVISOR' } });
    const caller = await zoo.hub.resolveCaller({ surface: 'mcp', member: 'boss' });
    for (const tool of ['mcp__task__delete', 'mcp__epic__delete', 'mcp__mail__read_thread']) {
      const outcome = await zoo.hub.execute({ caller, tool, input: {} });
      expect(outcome).toMatchObject({ ok: false, error: { code: 'PERMISSION_DENIED' } });
    }
  });
});

describe('what is administered', () => {
  const acts: [address: string, path: string, body: object | undefined, expected: object][] = [
    ['POST /api/agents', '/api/agents', { name: 'Second' }, { target: 'second', after: { name: 'Second' } }],
    ['DELETE /api/agents/{id}', '/api/agents/second', undefined, { target: 'second', before: { name: 'Second' } }],
    ['POST /api/agents/{id}/undelete', '/api/agents/second/undelete', undefined, { target: 'second' }],
    [
      'POST /api/servers',
      '/api/servers',
      { name: 'files', definition: { transport: 'stdio', command: 'true', env: { HIDDEN: 'not-in-the-log' } } },
      { target: 'files', after: { transport: 'stdio', command: 'true' } },
    ],
    ['DELETE /api/servers/{name}', '/api/servers/files', undefined, { target: 'files', before: { command: 'true' } }],
    [
      'PUT /api/providers/{name}/key',
      '/api/providers/openai/key',
      { key: 'not-in-the-log-either' },
      { target: 'openai' },
    ],
    ['DELETE /api/providers/{name}/key', '/api/providers/openai/key', undefined, { target: 'openai' }],
    [
      'PUT /api/providers/{name}',
      '/api/providers/lab',
      { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', key: 'not-in-the-log-at-all' },
      { target: 'lab', after: { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', alsoGiven: ['key'] } },
    ],
    [
      'PUT /api/models/default',
      '/api/models/default',
      { model: 'lab/one' },
      { target: 'lab/one', before: { model: null } },
    ],
    [
      'PUT /api/models/embeddings',
      '/api/models/embeddings',
      { model: null },
      { target: 'none', before: { model: null } },
    ],
    ['DELETE /api/providers/{name}', '/api/providers/lab', undefined, { target: 'lab' }],
    [
      'POST /api/settings',
      '/api/settings',
      { change: { kind: 'values', values: [{ key: 'chats.keep_days', value: 30 }] } },
      { target: 'chats.keep_days', before: { 'chats.keep_days': null }, after: { 'chats.keep_days': 30, in: 'hub' } },
    ],
    [
      'POST /api/settings',
      '/api/settings',
      {
        change: {
          kind: 'webhook',
          name: 'desk',
          webhook: { url: 'http://127.0.0.1:9/in', events: null, secret: 'not-in-the-log-at-all' },
        },
      },
      { target: 'events.webhooks.desk', after: { url: 'http://127.0.0.1:9/in' } },
    ],
    ['POST /api/team/members', '/api/team/members', { id: 'w9' }, { target: 'w9', after: { type: 'WORKER' } }],
    [
      'PATCH /api/team/members/{id}',
      '/api/team/members/w9',
      { type: 'ORCHESTRATOR' },
      { target: 'w9', before: { type: 'WORKER' }, after: { type: 'ORCHESTRATOR' } },
    ],
    ['POST /api/team/members/{id}/token', '/api/team/members/w9/token', undefined, { target: 'w9' }],
    ['DELETE /api/team/members/{id}/token', '/api/team/members/w9/token', undefined, { target: 'w9' }],
    ['DELETE /api/team/members/{id}', '/api/team/members/w9', undefined, { target: 'w9' }],
  ];
  it.each(acts)('%s is an entry that says who, what, and before and after', async (address, path, body, expected) => {
    const [method = ''] = address.split(' ');
    const entries = await entriesOf(method, path, body);
    expect(entries).toMatchObject([{ kind: 'act', tool: address, agentId: 'HUMAN', surface: 'web' }]);
    expect(JSON.parse(entries[0]?.context ?? '')).toMatchObject({ by: { kind: 'owner' }, act: address, ...expected });
    const { target } = expected as { target: string };
    expect(entries[0]?.decision).toContain(`(${target})`);
    expect(JSON.stringify(entries)).not.toContain('not-in-the-log');
  });

  it('is no entry if it fails', async () => {
    const before = (await zoo.hub.decisions.page({ limit: 1 })).entries[0]?.seq;
    expect((await zoo.call('DELETE', '/api/agents/nobody')).status).toBe(404);
    expect((await zoo.call('POST', '/api/agents', { body: { name: 7 } })).status).toBe(400);
    expect((await zoo.hub.decisions.page({ limit: 1 })).entries[0]?.seq).toBe(before);
  });

  it('is an entry if it is refused, with who tried', async () => {
    const { secret } = await zoo.hub.callers.createKey({ name: 'Cursor' });
    const before = (await zoo.hub.decisions.page({ limit: 1 })).entries[0]?.seq ?? 0;
    const attempts: [headers: Record<string, string>, status: number][] = [
      [{ authorization: `Bearer ${secret}` }, 403],
      [{ authorization: 'Bearer zoo_client_not-in-the-log-and-never-a-key-of-this-hub-at-all' }, 401],
      [{}, 401],
    ];
    for (const [headers, status] of attempts) {
      const reply = await zoo.call('DELETE', '/api/agents/keeper', { headers, isAnonymous: true });
      expect(reply.status).toBe(status);
    }
    const entries = (await zoo.hub.decisions.page({ limit: 10 })).entries.filter(({ seq }) => seq > before);
    expect(entries.map(({ kind, tool, context }) => [kind, tool, JSON.parse(context).by.name])).toEqual([
      ['act', 'DELETE /api/agents/{id}', null],
      ['act', 'DELETE /api/agents/{id}', null],
      ['act', 'DELETE /api/agents/{id}', 'Cursor'],
    ]);
    expect(JSON.stringify(entries)).not.toContain('not-in-the-log');
  });

  it('is found by its kind', async () => {
    const { body } = await zoo.call<{ decisions: { kind: string }[] }>('GET', '/api/decisions?kind=act&limit=200');
    expect(body.decisions.length).toBeGreaterThanOrEqual(acts.length);
    expect(new Set(body.decisions.map(({ kind }) => kind))).toEqual(new Set(['act']));
  });
});

it('reading a screen writes no entry, whatever the address', async () => {
  const parts = { url: () => zoo.server.url } as Parameters<typeof apiRoutes>[1];
  const { seq = 0 } = (await zoo.hub.decisions.page({ limit: 1 })).entries[0] ?? {};
  const values: Record<string, string> = { id: 'keeper', threadId: mailId, mailId, seq: String(seq), name: 'openai' };
  const streams = ['/api/events', '/api/chats/{id}/events'];
  const reading = apiRoutes(zoo.hub, { ...parts, events: { closing: new AbortController().signal } } as typeof parts)
    .filter(({ method, path }) => method === 'GET' && !streams.includes(path))
    .map(({ path }) => path);
  expect(reading).toEqual(
    expect.arrayContaining(Object.keys(decisionsContract.operations).map((each) => each.slice(4))),
  );
  const query = new Map([
    ['/api/decisions/counts', '?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&step=60'],
    ['/api/knowledge/explain', '?path=x'],
    ['/api/trust/folder', '?folder=/'],
    ['/api/usage', '?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&step=24'],
    ['/api/usage/export', '?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&step=24'],
  ]);
  const before = (await zoo.hub.decisions.page({ limit: 1 })).entries[0]?.seq;
  const failed: string[] = [];
  for (const path of reading) {
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x');
    const { status } = await zoo.call('GET', `${address}${query.get(path) ?? ''}`);
    if (status === 400 || status >= 500) failed.push(`${status} ${path}`);
  }
  // The test signs in nowhere, and has no key of a provider.
  expect(failed).toEqual(['400 /oauth/callback', '400 /api/providers/{name}/models']);
  expect((await zoo.hub.decisions.page({ limit: 1 })).entries[0]?.seq).toBe(before);
  expect(reading.length).toBeGreaterThan(40);
});
