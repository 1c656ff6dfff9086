import { expect, it } from 'vitest';
import { ServerDefinition } from '../servers/server-definition.ts';
import type { ServerInfo, ServerState, ServerTool } from '../servers/servers.ts';
import { describeBudget, describeServer } from './describe-items.ts';

const tool = (number: number, version = 'a'): ServerTool => ({
  remoteName: `tool-${number}`,
  localName: `tool-${number}`,
  status: 'new',
  note: null,
  accepted: null,
  proposed: { name: `tool-${number}` },
  proposedHash: `sha256:${`${version}${number}`.padEnd(64, '0')}`,
  versions: [],
  setting: { tool: `tool-${number}`, enabled: true, alias: null, description: null, requiresApproval: null },
  requiresApproval: false,
  closeTo: [],
});

const server = (state: ServerState, tools: readonly ServerTool[] = []): ServerInfo => ({
  name: 'files',
  origin: 'store',
  place: 'the store',
  definition: ServerDefinition.parse({ transport: 'stdio', command: 'files' }),
  revision: 1,
  state,
  tools: [...tools],
  versions: [],
  elsewhere: [],
  listedAt: 1,
  instructions: null,
  running: 0,
  stats: { calls: 0, errors: 0, reconnects: 0 },
});

const ids = (info: ServerInfo) => describeServer(info).map(({ id }) => id);

it('the item of a sign-in is a new one when it is needed again', () => {
  const needed = (since: number) => server({ kind: 'sign-in', reason: 'Sign in first.', since });
  expect(ids(needed(1))).toEqual(ids(needed(1)));
  expect(ids(needed(1))).not.toEqual(ids(needed(2)));
});

it('a sign-in is asked for where one is possible, in words that fit its button; rejected credentials are a failure', () => {
  const state = { kind: 'sign-in', reason: 'Sign in on some other screen.', since: 1 } as const;
  const of = (auth: object | null, headers = {}) => {
    const definition = ServerDefinition.parse({ transport: 'sse', url: 'https://files.example', auth, headers });
    return describeServer({ ...server(state), definition }).map(({ kind, title, why }) => [kind, title, why]);
  };
  const asked = ['sign-in', 'Sign in to files', 'Its tools cannot be called until you sign in.'];
  expect(of(null)).toEqual([asked]);
  expect(of({ type: 'oauth' })).toEqual([asked]);
  expect(of(null, { 'X-Tenant': 'x' })).toEqual([asked]);
  const rejected = ['failure', 'The server files rejects its credentials', state.reason];
  expect(of({ type: 'bearer', token: 'x' })).toEqual([rejected]);
  for (const name of ['authorization', 'X-Api-Key', 'PRIVATE-TOKEN'])
    expect(of(null, { [name]: 'x' })).toEqual([rejected]);
  expect(of({ type: 'oauth' }, { 'X-Api-Key': 'x' })).toEqual([asked]);
});

it('a server that is down and one that rejects its credentials are different items', () => {
  const since = 1;
  const down = server({ kind: 'failed', reason: 'x', since, attempts: 1, retryAt: null });
  expect(ids(down)).not.toEqual(ids(server({ kind: 'sign-in', reason: 'x', since })));
});

it('only a server that rejects its credentials needs other ones', () => {
  const definition = ServerDefinition.parse({
    transport: 'sse',
    url: 'https://files.example',
    auth: { type: 'bearer', token: 'x' },
  });
  const settle = (state: ServerState) => describeServer({ ...server(state), definition })[0]?.settle;
  const failed = { kind: 'failed', reason: 'Down.', since: 1, attempts: 1, retryAt: null } as const;
  expect(settle(failed)).toEqual({ what: 'server', server: 'files', hasBadCredentials: false });
  expect(settle({ kind: 'sign-in', reason: '401', since: 1 })).toMatchObject({ hasBadCredentials: true });
});

it('the item of tools is a new one when any of them changes, however many there are', () => {
  const tools = Array.from({ length: 100 }, (_, number) => tool(number));
  const of = (list: readonly ServerTool[]) => ids(server({ kind: 'idle' }, list));
  expect(of(tools)).toEqual(of(tools.toReversed()));
  expect(of(tools)[0]?.length).toBeLessThan(100);
  for (const number of [0, 50, 99]) expect(of(tools)).not.toEqual(of(tools.with(number, tool(number, 'b'))));
  expect(of(tools)).not.toEqual(of([...tools, tool(999)]));
});

it.each([
  [['new'], '1 new tool from files'],
  [['new', 'new'], '2 new tools from files'],
  [['changed', 'new'], '1 changed and 1 new tool from files'],
  [['changed', 'new', 'new'], '1 changed and 2 new tools from files'],
  [['changed', 'changed', 'new'], '2 changed and 1 new tool from files'],
] as const)('%j tools are called "%s"', (statuses, title) => {
  const tools = statuses.map((status, number) => ({ ...tool(number), status }));
  expect(describeServer(server({ kind: 'disabled' }, tools)).map((item) => item.title)).toEqual([title]);
});

it('the item of a budget has no time, because when it was used up is not recorded', () => {
  const budget = {
    id: 'month',
    version: 1,
    scope: { kind: 'hub' },
    period: 'month',
    unit: 'tokens',
    limit: 100,
    action: 'warn',
    used: 90,
    unpriced: 0,
    since: '2026-11-01T00:00:00.000Z',
    resetsAt: '2026-12-01T00:00:00.000Z',
  } as const;
  expect(describeBudget(budget)).toMatchObject({ since: 0, id: 'budget:month:near:2026-11-01T00:00:00.000Z' });
});
