import { expect, it } from 'vitest';
import { remoteTool } from '../../test/support/servers/test-servers.ts';
import { ownerCaller } from '../callers/callers.ts';
import { ToolContent } from '../tools/content.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { silentToolClient } from '../tools/tool-client.ts';
import { externalTool, needsApproval } from './external-tool.ts';
import { defaultSetting } from './server-tools.ts';
import type { RemoteCallOptions, RemoteResult, RemoteTool } from './supervise/server-connection.ts';

interface Called {
  input: object;
  options: RemoteCallOptions;
}

function made(
  definition: RemoteTool,
  result: RemoteResult = { content: [] },
  trustHints = false,
): { tool: Tool; calls: Called[] } {
  const calls: Called[] = [];
  const tool = externalTool({
    server: 'files',
    localName: 'mcp__files__x',
    definition,
    setting: defaultSetting('x'),
    requiresApproval: false,
    trustHints,
    call: async (input, options) => {
      calls.push({ input, options });
      return result;
    },
  });
  return { tool, calls };
}

const context: ToolContext = {
  caller: ownerCaller('cli'),
  callId: 'call_1',
  signal: new AbortController().signal,
  traceparent: '',
  idempotencyKey: undefined,
  whenLogged: async () => {},
  client: silentToolClient,
};

it('has the very schemas that the server sent, and names its server', () => {
  const definition = remoteTool('x', { outputSchema: { type: 'object', properties: { z: {}, a: {} } } });
  const { tool } = made(definition);
  expect(tool.inputSchema).toBe(definition.inputSchema);
  expect(tool.outputSchema).toBe(definition.outputSchema);
  expect(tool).toMatchObject({
    name: 'mcp__files__x',
    origin: 'server files',
    server: { name: 'files', remoteName: 'x' },
  });
});

it.each<[string, object | undefined, object]>([
  ['nothing', undefined, { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
  [
    'one hint',
    { readOnlyHint: true },
    { readOnlyHint: true, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  ],
  [
    'an unknown hint',
    { colour: 'red' },
    { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true, colour: 'red' },
  ],
  [
    'an invalid hint',
    { readOnlyHint: 'yes', destructiveHint: 0 },
    { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  ],
  [
    'no object',
    [] as object,
    { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  ],
])('a tool with the hints %s', (_what, annotations, expected) => {
  const definition = remoteTool('x', annotations && { annotations: annotations as { [key: string]: unknown } });
  expect(made(definition).tool.annotations).toEqual(expected);
});

it.each([
  [remoteTool('x', { title: 'One' }), 'One'],
  [remoteTool('x', { annotations: { title: 'Two' } }), 'Two'],
  [remoteTool('x', { title: 5 as unknown as string }), 'x'],
])('the title of %o', (definition, title) => {
  expect(made(definition).tool.title).toBe(title);
});

const reads = { annotations: { readOnlyHint: true } };

it.each<[string, Partial<RemoteTool>, string[] | null, boolean | null, boolean]>([
  ['one that changes things', {}, null, null, true],
  ['one that says that it only reads', reads, null, null, true],
  ['one that says that it only reads and is named', reads, ['x*'], null, true],
  ['one that is not named', {}, ['y'], null, false],
  ['one where nothing is named', {}, [], null, false],
  ['one that a person frees', {}, null, false, false],
  ['one that a person wants to be asked about', reads, [], true, true],
])('the engine asks about %s', (_what, other, approve, requiresApproval, expected) => {
  const setting = { ...defaultSetting('x'), requiresApproval };
  expect(needsApproval(remoteTool('x', other), { approve, trustHints: false }, setting)).toBe(expected);
});

it.each<[string, Partial<RemoteTool>, boolean]>([
  ['one without hints', {}, true],
  ['one that only reads', reads, false],
  ['one that reads elsewhere', { annotations: { readOnlyHint: true, openWorldHint: true } }, true],
  ['one with an invalid hint', { annotations: { readOnlyHint: 'yes' } }, true],
])('if the hints of its server are trusted, the engine asks about %s: %s', (_what, other, expected) => {
  const definition = { approve: null, trustHints: true };
  expect(needsApproval(remoteTool('x', other), definition, defaultSetting('x'))).toBe(expected);
});

it.each<[string, object, boolean, boolean]>([
  ['no hints', {}, false, true],
  ['only reads, but nobody trusts that', { readOnlyHint: true }, false, true],
  ['only reads', { readOnlyHint: true }, true, false],
  ['reads elsewhere', { readOnlyHint: true, openWorldHint: true }, true, true],
  ['adds something here', { destructiveHint: false, openWorldHint: false }, true, false],
  ['adds something somewhere', { destructiveHint: false }, true, true],
])('a tool that %s (trusted: %s) can send or destroy: %s', (_what, annotations, trustHints, canHarm) => {
  const { tool } = made(remoteTool('x', { annotations: { ...annotations } }), undefined, trustHints);
  expect(tool).toMatchObject({ canHarm, readsOutside: true });
});

it('checks the input before it is sent', () => {
  const { tool } = made(remoteTool('x', { inputSchema: { type: 'object', required: ['path'] } }));
  expect(() => tool.parse({})).toThrow('path: is required');
  expect(() => tool.parse(undefined)).toThrow('path: is required');
  expect(() => tool.parse('path')).toThrow('must be an object');
  const input = { path: 'a', more: [1] };
  expect(tool.parse(input)).toBe(input);
});

it('passes on results unchanged, whatever they contain', async () => {
  const content = [
    { type: 'text', text: 'a', annotations: { audience: ['user'] }, _meta: { x: 1 } },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'x:y', name: 'y', size: 5 },
    { type: 'resource', resource: { uri: 'x:y', blob: 'AA==', _meta: {} } },
    { type: 'from-the-future', anything: [{ deep: null }] },
  ];
  const { tool } = made(remoteTool('x'), { content, structuredContent: { z: 1, a: 2 }, isError: true });
  const result = await tool.run({}, context);
  expect(result).toBeInstanceOf(ToolContent);
  expect(result).toEqual(new ToolContent(content as never, { structuredContent: { z: 1, a: 2 }, isError: true }));
});

it('a result without content is empty', async () => {
  const { tool } = made(remoteTool('x'), {} as RemoteResult);
  expect(await tool.run({}, context)).toEqual(new ToolContent([]));
});

it('passes on the trace, the signal and the client', async () => {
  const { tool, calls } = made(remoteTool('x'));
  await tool.run({ a: 1 }, { ...context, traceparent: '00-1-2-01' });
  await tool.run({ a: 2 }, context);
  expect(calls).toEqual([
    {
      input: { a: 1 },
      options: { signal: context.signal, client: silentToolClient, meta: { traceparent: '00-1-2-01' } },
    },
    { input: { a: 2 }, options: { signal: context.signal, client: silentToolClient, meta: undefined } },
  ]);
});
