import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ContextObjectModel, type ExecutableTool, MCPClient, type MCPConfig, MCPService } from '../../src/index.ts';
import { readMCPConfig } from '../../src/mcp-client/library/mcp-config.ts';
import type { ToolClient } from '../../src/tools/tool-client.ts';
import { connectDirectly, type DirectClient } from '../support/clients/direct-client.ts';
import { type EverythingServer, npmServer, serveEverything } from '../support/servers/npm-servers.ts';

/** The user and the model behind both clients. */
const answers: ToolClient = {
  progress: () => {},
  log: () => {},
  sample: async () => ({ role: 'assistant', content: { type: 'text', text: 'Sampled.' }, model: 'scripted' }),
  elicit: async () => ({ action: 'accept', content: { name: 'Ada', check: true, integer: 7 } }),
  roots: async () => ({ roots: [{ uri: 'file:///zoo', name: 'zoo' }] }),
};

const servers: EverythingServer[] = [];
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-zoo-tools-')));
  servers.push(...(await Promise.all([serveEverything('sse'), serveEverything('streamableHttp')])));
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true, force: true });
});

const command = process.execPath;
const patient = { timeout: 20_000 };
const everything: [string, () => MCPConfig][] = [
  [
    'stdio',
    () => ({ serverName: 'everything', transport: 'stdio', connection: { command, args: [npmServer('everything')] } }),
  ],
  ['sse', () => ({ serverName: 'everything', transport: 'sse', connection: { url: servers[0]?.url ?? '' } })],
  [
    'streamable-http',
    () => ({ serverName: 'everything', transport: 'streamable-http', connection: { url: servers[1]?.url ?? '' } }),
  ],
];

const data = `data:text/plain;base64,${btoa('a text that gets smaller '.repeat(20))}`;

/** Every tool of server-everything, with inputs for all kinds of results. */
const everythingCalls: [tool: string, input: object][] = [
  ['echo', { message: 'hello ✓ \u0000 "quoted"' }],
  ['echo', {}],
  ['get-annotated-message', { messageType: 'success', includeImage: true }],
  ['get-annotated-message', { messageType: 'debug' }],
  ['get-resource-links', { count: 4 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
  ['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: -1 }],
  ['get-structured-content', { location: 'New York' }],
  ['get-structured-content', { location: 'Atlantis' }],
  ['get-sum', { a: 2, b: 40 }],
  ['get-sum', { a: 'two', b: 40 }],
  ['get-tiny-image', {}],
  ['gzip-file-as-resource', { name: 'text.gz', data, outputType: 'resource' }],
  ['gzip-file-as-resource', { name: 'text.gz', data, outputType: 'resourceLink' }],
  ['toggle-simulated-logging', {}],
  ['toggle-simulated-logging', {}],
  ['toggle-subscriber-updates', {}],
  ['toggle-subscriber-updates', {}],
  ['trigger-long-running-operation', { duration: 0.02, steps: 2 }],
  ['get-roots-list', {}],
  ['trigger-elicitation-request', {}],
  ['trigger-sampling-request', { prompt: 'Say something', maxTokens: 10 }],
  ['trigger-url-elicitation', { url: 'https://example.com/', message: 'Look', elicitationId: 'one' }],
  ['simulate-research-query', { topic: 'zoos' }],
  ['no-such-tool', {}],
];

/** Texts and times that differ between connections or calls. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/"blob":"(UmVzb3VyY2Ug[^"]+)"/g, (_whole, blob: string) => `"blob":${JSON.stringify(atob(blob))}`)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'SESSION')
    .replace(/\d{1,2}:\d{2}:\d{2}( [AP]M)?/g, 'TIME')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME');
  return JSON.parse(text);
}

function environmentIn(result: Record<string, unknown>): Record<string, string> {
  return JSON.parse((result.content as { text: string }[])[0]?.text ?? '');
}

/** Both clients report a protocol error in their own class, with the server's message. */
async function outcome(call: Promise<object>): Promise<unknown> {
  return call.then(plain, (error: Error) => ({ failed: /MCP error (-\d+)/.exec(error.message)?.[1] ?? error.message }));
}

describe.each(everything)('server-everything over %s', (_transport, config) => {
  const client = new MCPClient();
  const service = new MCPService(client);
  const com = new ContextObjectModel();
  let direct: DirectClient;

  beforeAll(async () => {
    await service.discoverAndRegister(config(), com);
    direct = await connectDirectly(readMCPConfig(config()).definition, answers);
    // Tools that depend on the client are added after the handshake; both lists must have them all.
    await vi.waitFor(async () => expect(await direct.listRaw()).toHaveLength(17), patient);
    await vi.waitFor(() => expect(com.getTools()).toHaveLength(17), patient);
  });

  afterAll(async () => {
    await Promise.all([client.close(), direct.close()]);
  });

  it('lists its tools byte for byte as the server sends them', async () => {
    const raw = await direct.listRaw();
    expect(JSON.stringify(await client.listTools('everything'))).toBe(JSON.stringify(raw));
    expect(JSON.stringify(await service.connectAndDiscover(config()))).toBe(JSON.stringify(raw));
  });

  it('gives the model each schema byte for byte', async () => {
    const listed = new Map((await direct.listRaw()).map((tool) => [tool.name, tool as { inputSchema?: object }]));
    const shown = com.toInput().tools;
    expect(shown.map(({ name }) => name).sort()).toEqual([...listed.keys()].sort());
    for (const { name, inputSchema } of shown) {
      expect(JSON.stringify(inputSchema)).toBe(JSON.stringify(listed.get(name)?.inputSchema));
    }
  });

  it.each(everythingCalls.map(([tool, input], index) => [index, tool, input] as const))(
    'answers call %i of %s as it answers the SDK',
    async (_index, tool, input) => {
      const ours = await outcome(client.callTool('everything', tool, input, { client: answers }));
      const raw = await outcome(direct.callRaw(tool, input));
      expect(JSON.stringify(ours)).toBe(JSON.stringify(raw));
      // A toggle must be called equally often on both sides.
      if (!tool.startsWith('toggle-')) expect(ours).toEqual(await outcome(direct.call(tool, input)));
    },
  );

  it('has a case for every tool', async () => {
    const called = new Set(everythingCalls.map(([tool]) => tool));
    const left = (await client.listTools('everything')).filter(({ name }) => !called.has(name));
    expect(left.map(({ name }) => name)).toEqual(['get-env']);
  });

  it('gives the server the same environment as the SDK, except for our mark', async () => {
    const { AGENT_ZOO_PROCESS_TREE: _, ...ours } = environmentIn(await client.callTool('everything', 'get-env'));
    expect(ours).toEqual(environmentIn(await direct.call('get-env', {})));
    expect(ours.PATH).toBe(process.env.PATH);
  });

  it('reports the same progress', async () => {
    const input = { duration: 0.1, steps: 5 };
    const heard: object[] = [];
    const expected: object[] = [];
    const progress: ToolClient['progress'] = (value, options) => heard.push({ progress: value, ...options });
    const result = await client.callTool('everything', 'trigger-long-running-operation', input, {
      client: { ...answers, progress },
    });
    const expectedResult = await direct.call('trigger-long-running-operation', input, (each) => expected.push(each));
    expect(result).toEqual(expectedResult);
    expect(heard).toEqual([1, 2, 3, 4, 5].map((step) => ({ progress: step, total: 5 })));
    // The SDK's client loses messages that arrive together with the result.
    expect(expected.length).toBeGreaterThan(0);
    expect(heard).toEqual(expect.arrayContaining(expected));
  });

  it('can cancel a call and continues to work', async () => {
    const control = new AbortController();
    const progress = () => control.abort();
    const call = client.callTool(
      'everything',
      'trigger-long-running-operation',
      { duration: 600, steps: 60_000 },
      { signal: control.signal, client: { ...answers, progress } },
    );
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await client.callTool('everything', 'echo', { message: 'on' })).toEqual(
      await direct.call('echo', { message: 'on' }),
    );
  });
});

describe('server-filesystem', () => {
  const client = new MCPClient();
  const com = new ContextObjectModel();
  let config: MCPConfig;
  let direct: DirectClient;

  /** The first bytes of image and audio files; the server only looks at the name. */
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

  beforeAll(async () => {
    config = { serverName: 'files', connection: { command, args: [npmServer('filesystem'), folder] } };
    await writeFile(join(folder, 'a.txt'), 'first\nsecond\nthird\n');
    await writeFile(join(folder, 'picture.png'), png);
    await writeFile(join(folder, 'sound.wav'), png);
    await writeFile(join(folder, 'data.bin'), png);
    await new MCPService(client).discoverAndRegister(config, com);
    direct = await connectDirectly(readMCPConfig(config).definition, answers);
  });

  afterAll(async () => {
    await Promise.all([client.close(), direct.close()]);
  });

  it('lists its tools byte for byte as it sends them, and the model gets the same schemas', async () => {
    const raw = await direct.listRaw();
    expect(raw).toHaveLength(14);
    expect(JSON.stringify(await client.listTools('files'))).toBe(JSON.stringify(raw));
    expect(JSON.stringify(com.toInput().tools.map(({ inputSchema }) => inputSchema))).toBe(
      JSON.stringify(raw.map((tool) => (tool as { inputSchema?: object }).inputSchema)),
    );
  });

  const at = (name: string) => join('FOLDER', name);
  const calls: [tool: string, input: object][] = [
    ['read_file', { path: at('a.txt') }],
    ['read_text_file', { path: at('a.txt'), head: 1 }],
    ['read_text_file', { path: at('a.txt'), head: 1, tail: 1 }],
    ['read_text_file', { path: '/etc/passwd' }],
    ['read_media_file', { path: at('picture.png') }],
    ['read_media_file', { path: at('sound.wav') }],
    ['read_media_file', { path: at('data.bin') }],
    ['read_multiple_files', { paths: [at('a.txt'), at('missing.txt')] }],
    ['write_file', { path: at('written.txt'), content: 'new\n' }],
    ['edit_file', { path: at('a.txt'), edits: [{ oldText: 'second', newText: '2nd' }], dryRun: true }],
    ['edit_file', { path: at('a.txt'), edits: [{ oldText: 'not there', newText: '' }] }],
    ['create_directory', { path: at('below') }],
    ['list_directory', { path: 'FOLDER' }],
    ['list_directory_with_sizes', { path: 'FOLDER', sortBy: 'size' }],
    ['directory_tree', { path: 'FOLDER' }],
    ['move_file', { source: at('written.txt'), destination: at('a.txt') }],
    ['search_files', { path: 'FOLDER', pattern: '*.txt' }],
    ['get_file_info', { path: at('picture.png') }],
    ['list_allowed_directories', {}],
    ['read_text_file', { wrong: true }],
  ];

  it.each(calls.map(([tool, input], index) => [index, tool, input] as const))(
    'answers call %i of %s as it answers the SDK',
    async (_index, tool, template) => {
      const input = JSON.parse(JSON.stringify(template).replaceAll('FOLDER', folder));
      const ours = await outcome(client.callTool('files', tool, input));
      expect(ours).toEqual(await outcome(direct.callRaw(tool, input)));
      expect(ours).toEqual(await outcome(direct.call(tool, input)));
    },
  );

  it('has a case for every tool, with text, images, audio, data and errors in the results', async () => {
    expect(new Set(calls.map(([tool]) => tool))).toEqual(new Set(com.tools.keys()));
    const kinds = new Set<string>();
    for (const [tool, template] of calls) {
      const input = JSON.parse(JSON.stringify(template).replaceAll('FOLDER', folder));
      const result = await (com.getTool(tool) as Required<ExecutableTool>).execute(input, {
        signal: AbortSignal.timeout(30_000),
        toolUseId: '1',
      });
      for (const { type } of result.content) kinds.add(type);
      if (result.structuredContent) kinds.add('structured');
      if (result.isError) kinds.add('error');
    }
    expect([...kinds].sort()).toEqual(['audio', 'error', 'image', 'resource', 'structured', 'text']);
  });
});
