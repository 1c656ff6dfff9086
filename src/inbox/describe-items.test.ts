import { expect, it } from 'vitest';
import { ServerDefinition } from '../servers/server-definition.ts';
import type { ServerInfo, ServerState, ServerTool } from '../servers/servers.ts';
import { describeServer } from './describe-items.ts';

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

it('the item of tools is a new one when any of them changes, however many there are', () => {
  const tools = Array.from({ length: 100 }, (_, number) => tool(number));
  const of = (list: readonly ServerTool[]) => ids(server({ kind: 'idle' }, list));
  expect(of(tools)).toEqual(of(tools.toReversed()));
  expect(of(tools)[0]?.length).toBeLessThan(100);
  for (const number of [0, 50, 99]) expect(of(tools)).not.toEqual(of(tools.with(number, tool(number, 'b'))));
  expect(of(tools)).not.toEqual(of([...tools, tool(999)]));
});
