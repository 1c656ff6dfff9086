import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Right } from '../../src/base/rights.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { envelope, listOf, type RpcAnswer } from '../support/hubs/mcp-hub.ts';
import { serveTestHub, type TestHub, type TestHubOptions } from '../support/hubs/serve-test-hub.ts';
import { makeCertificate, writeCertificate } from '../support/servers/make-certificate.ts';
import { startPlainProxy } from '../support/servers/plain-proxy.ts';

/**
 * What every operation needs, written down here a second time on purpose: a new route, or a changed declaration, fails until somebody
 * has decided about it. A key for one agent may use only what is marked.
 */
const needed: Record<Right, readonly string[]> = {
  none: [
    'GET /health',
    'GET /ready',
    'GET /oauth/callback',
    'GET /api/session',
    'POST /api/session',
    'DELETE /api/session',
  ],
  use: [
    'GET /agents',
    'GET /agents/list',
    'GET /agents/{id}/.well-known/agent-card.json',
    'POST /agents/{name}/prompt',
    'GET /tools/list',
    'POST /mcp',
    'GET /mcp',
    'DELETE /mcp',
    'GET /metrics',
    'POST /api/knowledge/search',
    'POST /api/knowledge/prime',
  ],
  work: [
    'POST /agents/{id}/a2a',
    'GET /api/chats',
    'POST /api/chats',
    'GET /api/chats/{id}',
    'PATCH /api/chats/{id}',
    'POST /api/chats/{id}/messages',
    'POST /api/chats/{id}/retry',
    'PUT /api/chats/{id}/branch',
    'POST /api/chats/{id}/stop',
    'GET /api/chats/{id}/events',
    'GET /api/chats/{id}/attachments/{hash}',
    'GET /api/chats/{id}/context',
    'GET /api/chats/{id}/export',
    'GET /api/runs',
    'POST /api/runs',
    'GET /api/runs/totals',
    'GET /api/runs/{id}',
    'GET /api/runs/{id}/steps/{step}',
    'POST /api/runs/{id}/fork',
  ],
  administer: [
    'DELETE /api/agents/{id}/approvals/{tool}',
    'GET /api/agents/{id}/approvals',
    'GET /api/decisions/verify',
    'GET /api/agents',
    'POST /api/agents',
    'GET /api/agents/{id}',
    'PUT /api/agents/{id}',
    'PATCH /api/agents/{id}',
    'DELETE /api/agents/{id}',
    'POST /api/agents/{id}/undelete',
    'GET /api/deleted-agents',
    'POST /api/agents/{id}/clone',
    'GET /api/agents/{id}/compiled',
    'POST /api/agents/context',
    'GET /api/agents/{id}/versions',
    'GET /api/agents/{id}/versions/{revision}',
    'POST /api/agents/{id}/versions/{revision}/restore',
    'GET /api/agents/{id}/brain',
    'POST /api/agents/{id}/brain',
    'GET /api/agents/{id}/brain/{entryId}',
    'PUT /api/agents/{id}/brain/{entryId}',
    'DELETE /api/agents/{id}/brain/{entryId}',
    'PATCH /api/agents/{id}/brain/{entryId}/pin',
    'GET /api/templates',
    'GET /api/export',
    'POST /api/import',
    'GET /api/import/offer',
    'GET /api/workspaces',
    'PUT /api/workspaces',
    'DELETE /api/workspaces',
    'POST /api/import/offer',
    'DELETE /api/import/offer',
    'GET /api/knowledge',
    'GET /api/knowledge/documents',
    'GET /api/knowledge/documents/{id}',
    'GET /api/knowledge/explain',
    'POST /api/knowledge/sources',
    'DELETE /api/knowledge/sources/{source}',
    'POST /api/knowledge/sync',
    'POST /api/knowledge/sync/cancel',
    'POST /api/knowledge/embed',
    'GET /api/team/members',
    'POST /api/team/members',
    'GET /api/team/members/{id}',
    'PATCH /api/team/members/{id}',
    'DELETE /api/team/members/{id}',
    'POST /api/team/members/{id}/token',
    'DELETE /api/team/members/{id}/token',
    'GET /api/team/permissions',
    'GET /api/team/health',
    'GET /api/team/deliveries',
    'POST /api/team/deliveries/{id}/retry',
    'GET /api/mail',
    'POST /api/mail',
    'GET /api/mail/threads/{threadId}',
    'GET /api/mail/{mailId}',
    'POST /api/mail/threads/{threadId}/read',
    'POST /api/mail/{mailId}/read',
    'POST /api/mail/{mailId}/reply',
    'GET /api/task-labels',
    'GET /api/tasks',
    'POST /api/tasks',
    'GET /api/tasks/{id}',
    'PATCH /api/tasks/{id}',
    'DELETE /api/tasks/{id}',
    'POST /api/tasks/{id}/move',
    'POST /api/tasks/{id}/assign',
    'POST /api/tasks/{id}/start',
    'POST /api/tasks/{id}/comments',
    'GET /api/epics',
    'POST /api/epics',
    'GET /api/epics/{id}',
    'PATCH /api/epics/{id}',
    'DELETE /api/epics/{id}',
    'POST /api/tasks/{id}/approve',
    'POST /api/tasks/{id}/request-changes',
    'GET /api/decisions',
    'GET /api/usage',
    'GET /api/usage/export',
    'GET /api/budgets',
    'PUT /api/budgets/{id}',
    'DELETE /api/budgets/{id}',
    'GET /api/decisions/counts',
    'GET /api/decisions/tools',
    'GET /api/decisions/{seq}',
    'GET /api/tools',
    'POST /api/tools/{name}/call',
    'GET /api/servers',
    'POST /api/servers',
    'POST /api/servers/test',
    'POST /api/servers/import',
    'GET /api/servers/{name}',
    'PUT /api/servers/{name}',
    'DELETE /api/servers/{name}',
    'POST /api/servers/{name}/connect',
    'POST /api/servers/{name}/disconnect',
    'POST /api/servers/{name}/reconnect',
    'GET /api/servers/{name}/log',
    'POST /api/servers/{name}/accept',
    'PATCH /api/servers/{name}/tools/{tool}',
    'POST /api/servers/{name}/sign-in',
    'POST /api/servers/{name}/sign-out',
    'GET /api/inbox',
    'POST /api/inbox/dismissed',
    'DELETE /api/inbox/dismissed/{id}',
    'GET /api/first-steps',
    'GET /api/catalogue',
    'POST /api/catalogue/update',
    'POST /api/catalogue/file',
    'GET /api/providers',
    'PUT /api/providers/{name}',
    'DELETE /api/providers/{name}',
    'POST /api/providers/{name}/connect',
    'POST /api/providers/{name}/test',
    'PUT /api/providers/{name}/key',
    'DELETE /api/providers/{name}/key',
    'GET /api/providers/{name}/models',
    'GET /api/models/facts',
    'GET /api/models/default',
    'PUT /api/models/default',
    'POST /api/models',
    'POST /api/models/preview',
    'GET /api/models/embeddings',
    'PUT /api/models/embeddings',
    'GET /api/settings',
    'POST /api/settings',
    'POST /api/settings/preview',
    'POST /api/settings/webhooks/{name}/test',
    'POST /api/settings/peers/{name}/test',
    'GET /api/folders',
    'GET /api/trust',
    'GET /api/trust/folder',
    'POST /api/trust',
    'DELETE /api/trust',
    'GET /api/knowledge/sync/requests/{id}',
    'DELETE /api/chats/{id}',
    'DELETE /api/chats/{id}/approved-tools/{tool}',
    'GET /api/chats/{id}/approved-tools',
    'POST /api/chats/{id}/approvals/{toolUseId}',
    'GET /api/sessions',
    'DELETE /api/sessions',
    'DELETE /api/sessions/{id}',
    'GET /api/keys',
    'POST /api/keys',
    'DELETE /api/keys/{id}',
    'GET /api/status',
    'GET /api/connect',
    'GET /api/events',
  ],
};

/** Operations that a key for the agent `mine` may use, with the parameter that names the agent, if there is one. */
const scoped: Record<string, string | undefined> = {
  'GET /agents': undefined,
  'GET /agents/list': undefined,
  'GET /agents/{id}/.well-known/agent-card.json': '{id}',
  'POST /agents/{name}/prompt': '{name}',
  'POST /agents/{id}/a2a': '{id}',
  'GET /tools/list': undefined,
  'POST /mcp': undefined,
  'GET /mcp': undefined,
  'DELETE /mcp': undefined,
};

/** Judged by the tool that is called, and tested below. */
const judgedByTool = ['POST /mcp/execute', 'POST /tools/{name}'];

const callers = {
  none: 'none',
  'a wrong key': 'wrong',
  'a revoked key': 'wrong',
  "a revoked member's token": 'wrong',
  'another scheme': 'wrong',
  'a revoked cookie': 'wrong',
  client: 'work',
  'scoped client': 'scoped',
  worker: 'use',
  orchestrator: 'use',
  supervisor: 'use',
  owner: 'administer',
  'signed-in browser': 'administer',
} as const satisfies Record<string, Right | 'wrong' | 'scoped'>;
type CallerName = keyof typeof callers;
const callerNames = Object.keys(callers) as CallerName[];
const rank: readonly Right[] = ['none', 'use', 'work', 'administer'];

/** The ways to reach a hub. Beyond loopback, a caller without a credential has no rights. */
const doors: readonly { where: string; anonymous: Right; open(options?: TestHubOptions): Promise<TestHub> }[] = [
  { where: 'on loopback', anonymous: 'use', open: serveTestHub },
  { where: 'beyond loopback, with TLS', anonymous: 'none', open: openWithTls },
  { where: 'behind a proxy', anonymous: 'none', open: openBehindProxy },
];

/** Wrong keys by the hundred are what this test sends. */
const unlimited = { caller_limit: 0, address_limit: 0, failure_limit: 0 };

/** The address that other machines would use, if there is one. */
const outside =
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
const certificate = makeCertificate([outside]);

async function openWithTls(options: TestHubOptions = {}): Promise<TestHub> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-tls-'));
  const server = { ...unlimited, ...(await writeCertificate(folder, certificate)) };
  const hub = await serveTestHub({ ...options, server, serve: { host: '0.0.0.0' } });
  const end = async () => {
    await hub.end();
    await rm(folder, { recursive: true });
  };
  return { ...hub, end };
}

async function openBehindProxy(options: TestHubOptions = {}): Promise<TestHub> {
  const proxy = await startPlainProxy();
  const server = { ...unlimited, public_url: proxy.url, trusted_proxies: ['127.0.0.1'] };
  const hub = await serveTestHub({ ...options, server });
  proxy.port = hub.server.port;
  const end = async () => {
    await proxy.close();
    await hub.end();
  };
  return { ...hub, end };
}

beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), certificate.cert]));

/** Signs a browser in over HTTP. Returns its cookie. */
async function signIn({ hub, server }: TestHub): Promise<{ cookie: string }> {
  const response = await fetch(`${server.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: await hub.callers.createCode() }),
  });
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

describe.each(doors)('$where', ({ anonymous, open }) => {
  let zoo: TestHub;
  const headers = {} as Record<CallerName, Record<string, string>>;
  let operations: string[] = [];

  beforeAll(async () => {
    const far = defineTool({
      name: 'reach_out',
      description: 'Reaches another system.',
      input: z.object({}),
      run: () => ({ reached: true }),
    });
    const toml = `
[agents.mine]
tools = ["agent_zoo_get_agent", "reach_out"]
[agents.other]
`;
    zoo = await open({ toml, tools: [far] });
    const { callers: access, team } = zoo.hub;
    const bearer = (secret: string | null) => ({ authorization: `Bearer ${secret}` });
    const revoked = await access.createKey({ name: 'Gone' });
    await access.removeKey(revoked.key.id);
    const old = await team.members.add({ id: 'old', type: 'WORKER' }, { withToken: true });
    await team.members.makeToken('old');
    const member = async (id: string, type: 'WORKER' | 'ORCHESTRATOR' | 'SUPERVISOR') =>
      bearer((await team.members.add({ id, type }, { withToken: true })).token);
    const gone = await signIn(zoo);
    await access.signOut('everywhere');
    Object.assign(headers, {
      none: {},
      'a wrong key': bearer(`zoo_client_${'x'.repeat(43)}`),
      'a revoked key': bearer(revoked.secret),
      "a revoked member's token": bearer(old.token),
      'another scheme': { authorization: 'Basic dXNlcjpwYXNz' },
      'a revoked cookie': gone,
      client: bearer((await access.createKey({ name: 'Client' })).secret),
      'scoped client': bearer((await access.createKey({ name: 'Scoped', agent: 'mine' })).secret),
      worker: await member('w', 'WORKER'),
      orchestrator: await member('o', 'ORCHESTRATOR'),
      supervisor: await member('s', 'SUPERVISOR'),
      owner: bearer(await access.ownerKey()),
      'signed-in browser': await signIn(zoo),
    } satisfies Record<CallerName, Record<string, string>>);
    const { paths } = (await (await fetch(`${zoo.server.url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  });
  afterAll(() => zoo?.end());

  function rightOf(operation: string): Right {
    return rank.find((right) => needed[right].includes(operation)) ?? 'administer';
  }

  async function isRefused(operation: string, caller: CallerName, param = 'mine'): Promise<boolean> {
    const [method = '', path = ''] = operation.split(' ');
    const leaving = new AbortController();
    const response = await fetch(`${zoo.server.url}${path.replace(/\{\w+\}/g, param)}`, {
      method,
      headers: { ...headers[caller], ...(method !== 'GET' && { 'content-type': 'application/json' }) },
      ...(method !== 'GET' && { body: '{}' }),
      signal: leaving.signal,
    });
    if (response.status !== 401 && response.status !== 403) {
      leaving.abort();
      return false;
    }
    // An agent of the config is read-only for everyone, which is also a 403.
    return !(await response.text()).includes('"read_only"');
  }

  function mayUse(operation: string, caller: CallerName): boolean {
    const right = rightOf(operation);
    const held = caller === 'none' ? anonymous : callers[caller];
    if (right === 'none') return true;
    if (held === 'wrong') return false;
    if (held === 'scoped') return operation in scoped;
    return rank.indexOf(held) >= rank.indexOf(right);
  }

  describe('every route', () => {
    it('is in the table, and the table names no other', () => {
      const listed = [...Object.values(needed).flat(), ...judgedByTool];
      expect(listed.toSorted()).toEqual(operations.toSorted());
    });

    it.each(callerNames)('is refused to %s exactly as the table says', async (caller) => {
      const surprises: string[] = [];
      for (const operation of operations) {
        // Signing out ends the session under test; it is tried last, elsewhere.
        if (judgedByTool.includes(operation) || /^DELETE \/api\/sessions?$/.test(operation)) continue;
        const refused = await isRefused(operation, caller);
        if (refused === mayUse(operation, caller)) surprises.push(`${operation}: ${refused ? 'refused' : 'allowed'}`);
      }
      expect(surprises).toEqual([]);
    });

    it('is refused to a key for another agent', async () => {
      const inPath = Object.keys(scoped).filter((operation) => scoped[operation] !== undefined);
      for (const operation of inPath)
        expect(await isRefused(operation, 'scoped client', 'other'), operation).toBe(true);
      const listed = await zoo.call<{ agents: { name: string }[] }>('GET', '/agents/list', {
        headers: headers['scoped client'],
      });
      expect(listed.body.agents.map(({ name }) => name)).toEqual(['mine']);
    });
  });

  describe('every MCP method', () => {
    const methods: Record<string, object> = {
      'server/discover': {},
      'tools/list': {},
      'tools/call': { name: 'agent_zoo_get_agent', arguments: { agentId: 'mine' } },
      'prompts/list': {},
      'prompts/get': { name: 'mine' },
      'resources/list': {},
      'resources/templates/list': {},
      'resources/read': { uri: 'zoo://agents/mine' },
      'completion/complete': { ref: { type: 'ref/prompt', name: 'mine' }, argument: { name: 'x', value: '' } },
    };

    async function rpc(path: string, caller: CallerName, method: string, params: object = methods[method] ?? {}) {
      const named = 'name' in params ? params.name : 'uri' in params ? params.uri : undefined;
      const response = await fetch(`${zoo.server.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(named !== undefined && { 'mcp-name': String(named) }),
          ...headers[caller],
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, ...envelope() } }),
      });
      return { status: response.status, answer: (await response.json()) as RpcAnswer };
    }

    it.each(callerNames)('of /mcp, for %s', async (caller) => {
      const isWrong = callers[caller] === 'wrong' || (caller === 'none' && anonymous === 'none');
      for (const method of Object.keys(methods)) {
        const { status } = await rpc('/mcp', caller, method);
        expect(status === 401 || status === 403, `${method}: ${status}`).toBe(isWrong);
      }
    });

    it.each(callerNames)('a tool that reaches other systems, for %s', async (caller) => {
      // The rules of a supervisor allow every tool.
      const mayReach = ['client', 'scoped client', 'supervisor', 'owner', 'signed-in browser'].includes(caller);
      const { answer } = await rpc('/mcp', caller, 'tools/call', { name: 'reach_out', arguments: {} });
      expect(JSON.stringify(answer).includes('reached')).toBe(mayReach);
      const { answer: listed } = await rpc('/mcp', caller, 'tools/list');
      expect(JSON.stringify(listed).includes('reach_out')).toBe(mayReach);
      const overHttp = await zoo.call('POST', '/tools/reach_out', {
        isAnonymous: true,
        headers: headers[caller],
        body: {},
      });
      expect(overHttp.status === 200).toBe(mayReach);
    });

    it('a client has its name in the log', async () => {
      await rpc('/mcp', 'client', 'tools/call', { name: 'reach_out', arguments: {} });
      const { entries } = await zoo.hub.decisions.page({ tool: 'reach_out', kind: 'result' });
      expect(entries[0]?.client).toBe('Client');
      expect((await zoo.hub.decisions.verify()).problems).toEqual([]);
    });

    it('a Tools-mode agent and A2A need the right to work', async () => {
      for (const caller of callerNames) {
        const mayWork = ['client', 'owner', 'signed-in browser'].includes(caller);
        const { status } = await rpc('/agents/other/mcp', caller, 'tools/list');
        expect(status === 401 || status === 403, `${caller}: ${status}`).toBe(!mayWork);
      }
    });

    it('a key for one agent sees only this agent', async () => {
      const { answer } = await rpc('/mcp', 'scoped client', 'prompts/list');
      expect(listOf(answer, 'prompts').map(({ name }) => name)).toEqual(['mine']);
      expect((await rpc('/mcp?agent=other', 'scoped client', 'tools/list')).status).toBe(403);
      expect((await rpc('/mcp?agent=mine', 'scoped client', 'tools/list')).status).toBe(200);
      expect((await rpc('/mcp', 'scoped client', 'prompts/get', { name: 'other' })).answer.error).toBeDefined();
      expect(
        (await rpc('/mcp', 'scoped client', 'resources/read', { uri: 'zoo://agents/other' })).answer.error,
      ).toBeDefined();
    });
  });

  describe('POST /mcp/execute', () => {
    const call = (caller: CallerName, agentId?: string) =>
      zoo.call('POST', '/mcp/execute', {
        isAnonymous: true,
        headers: headers[caller],
        body: { ...(agentId !== undefined && { agentId }), toolName: 'mcp__agent__whoami', input: {} },
      });

    it('believes no name without a token once a token was made, even after all tokens are revoked', async () => {
      expect((await call('none', 'w')).status).toBe(403);
      const fresh = await open();
      const { members } = fresh.hub.team;
      await members.add({ id: 'only', type: 'WORKER' }, { withToken: false });
      const asOnly = () =>
        fresh.call('POST', '/mcp/execute', {
          isAnonymous: true,
          body: { agentId: 'only', toolName: 'mcp__mail__inbox', input: {} },
        });
      expect((await asOnly()).status === 403).toBe(anonymous === 'none');
      await members.makeToken('only');
      expect((await asOnly()).status).toBe(403);
      await members.revokeToken('only');
      expect((await asOnly()).status).toBe(403);
      await fresh.end();
    });

    it('a client key is nobody in the team, and a member cannot be another one', async () => {
      expect((await call('client', 'w')).status).toBe(403);
      expect((await call('worker', 'o')).status).toBe(403);
    });
  });

  describe('an open stream', () => {
    it('ends when its key is revoked or its browser is signed out, and others stay', async () => {
      const fresh = await open();
      const { callers: access } = fresh.hub;
      const listen = async (credential: Record<string, string>) => {
        const response = await fetch(`${fresh.server.url}/api/events`, { headers: credential });
        expect(response.status).toBe(200);
        const stream = { isOpen: true };
        const ended = async () => {
          for await (const _ of response.body ?? []);
        };
        ended().then(
          () => (stream.isOpen = false),
          () => (stream.isOpen = false),
        );
        return stream;
      };
      const browser = await listen(await signIn(fresh));
      const byKey = await listen({ ...fresh.owner });
      await access.signOut('everywhere');
      await expect.poll(() => browser.isOpen).toBe(false);
      expect(byKey.isOpen).toBe(true);

      const { key, secret } = await access.createKey({ name: 'Listener' });
      const stream = await fetch(`${fresh.server.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
          authorization: `Bearer ${secret}`,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'subscriptions/listen',
          params: { notifications: { toolsListChanged: true }, ...envelope() },
        }),
      });
      expect(stream.headers.get('content-type')).toContain('text/event-stream');
      const ended = stream.text().catch(() => 'ended');
      await access.removeKey(key.id);
      await ended;
      await fresh.end();
    });
  });
});
