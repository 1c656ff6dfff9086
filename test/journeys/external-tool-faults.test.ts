import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ContextObjectModel,
  Engine,
  MCPClient,
  type MCPConfig,
  MCPService,
  MCPTool,
  type ToolTransformer,
} from '../../src/index.ts';
import { call, finish, say, scriptedModel } from '../support/models/scripted-model.ts';
import { npmServer, recordHeaders, serveEverything } from '../support/servers/npm-servers.ts';

const command = process.execPath;
const everything: MCPConfig = { serverName: 'everything', connection: { command, args: [npmServer('everything')] } };
let folder: string;
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-zoo-faults-')));
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await rm(folder, { recursive: true, force: true });
});

function parts() {
  const client = new MCPClient();
  closers.push(() => client.close());
  return { client, service: new MCPService(client), com: new ContextObjectModel() };
}

/** A zombie does not count as alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

describe('fault 1: the changed name of a tool was sent to the server', () => {
  const upper: ToolTransformer = { transform: (tool) => ({ ...tool, name: `mcp_${tool.name}` }) };

  it.each<[string, (own: ReturnType<typeof parts>) => Promise<void>]>([
    [
      'a prefix',
      async ({ service, com }) => void (await service.discoverAndRegister({ ...everything, prefix: 'mcp_' }, com)),
    ],
    [
      'a transformer of the service',
      async ({ client, com }) =>
        void (await new MCPService(client, { transformers: [upper] }).discoverAndRegister(everything, com)),
    ],
    [
      'a transformer of the config',
      async ({ service, com }) =>
        void (await service.discoverAndRegister({ ...everything, transformers: [upper] }, com)),
    ],
    [
      'registerMCPTool with a changed definition',
      async ({ service, com }) => {
        for (const tool of await service.connectAndDiscover(everything)) {
          service.registerMCPTool(everything, { ...tool, name: `mcp_${tool.name}` }, com);
        }
      },
    ],
    [
      'new MCPTool with a changed definition',
      async ({ client, service, com }) => {
        for (const tool of await service.connectAndDiscover(everything)) {
          com.addTool(new MCPTool(client, 'everything', { ...tool, name: `mcp_${tool.name}` }));
        }
      },
    ],
  ])('with %s, the server receives its own name', async (_how, register) => {
    const own = parts();
    await register(own);
    expect(own.com.getTool('echo')).toBeUndefined();
    expect(await own.com.getTool('mcp_echo')?.run({ message: 'hi' })).toEqual([{ type: 'text', text: 'Echo: hi' }]);
  });
});

describe('fault 2: auth and env were dropped', () => {
  const kinds: [string, MCPConfig['auth'], Record<string, string>][] = [
    ['bearer', { type: 'bearer', token: 't-1' }, { authorization: 'Bearer t-1' }],
    ['api key', { type: 'api_key', key: 'k-1' }, { 'x-api-key': 'k-1' }],
    ['api key in a header of its own', { type: 'api-key', key: 'k-2', header: 'X-Zoo' }, { 'x-zoo': 'k-2' }],
    ['headers', { type: 'headers', headers: { 'X-A': '1', 'X-B': '2' } }, { 'x-a': '1', 'x-b': '2' }],
  ];

  it.each([
    ['sse', 'sse'],
    ['streamable-http', 'streamableHttp'],
  ] as const)('over %s, every request carries the credentials and headers', async (transport, mode) => {
    const server = await serveEverything(mode);
    closers.push(() => server.close());
    for (const [serverName, auth, expected] of kinds) {
      const proxy = await recordHeaders(server.url);
      closers.push(() => proxy.close());
      const { client } = parts();
      const connection = { url: proxy.url, headers: { 'X-Team': 'blue' } };
      await client.connect({ serverName, transport, connection, auth });
      await client.callTool(serverName, 'echo', { message: 'hi' });
      await client.close();
      expect(proxy.headers.length).toBeGreaterThan(2);
      for (const headers of proxy.headers) expect(headers).toMatchObject({ ...expected, 'x-team': 'blue' });
    }
  });

  it('a process gets its own variables, and only a few of ours', async () => {
    const { client } = parts();
    process.env.AGENT_ZOO_TEST_SECRET = 'ours';
    closers.push(async () => void delete process.env.AGENT_ZOO_TEST_SECRET);
    const env = { ZOO_TOKEN: 'secret=1', ZOO_EMPTY: '', FROM_OURS: '$' + '{AGENT_ZOO_TEST_SECRET}' };
    await client.connect({ ...everything, connection: { command, args: [npmServer('everything')], env } });
    const { content } = await client.callTool('everything', 'get-env');
    const seen = JSON.parse(String(content[0]?.text));
    expect(seen).toMatchObject({ ZOO_TOKEN: 'secret=1', ZOO_EMPTY: '', FROM_OURS: 'ours' });
    expect(seen).not.toHaveProperty('AGENT_ZOO_TEST_SECRET');
  });

  it('a process runs in its folder', async () => {
    const { client } = parts();
    const connection = { command, args: [npmServer('filesystem'), '.'], cwd: folder };
    await client.connect({ serverName: 'files', connection });
    const { content } = await client.callTool('files', 'list_allowed_directories');
    expect(content[0]?.text).toContain(folder);
  });

  it('unusable auth is refused, not dropped', async () => {
    const { client } = parts();
    const config = { ...everything, auth: { type: 'bearer' as const, token: 't' } };
    await expect(client.connect(config)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});

describe('fault 3: child processes were leaked', () => {
  /** A server below a shell, with a helper process: three processes whose ids are recorded. */
  async function family(program: string): Promise<{ connection: MCPConfig['connection']; pids(): Promise<number[]> }> {
    const script = join(folder, 'server.sh');
    const list = join(folder, 'pids');
    await writeFile(
      script,
      // A background process of the shell has no input by default.
      `exec 3<&0\necho $$ >> '${list}'\n'${command}' -e 'setInterval(() => {}, 1000)' & echo $! >> '${list}'\n${program} <&3 & echo $! >> '${list}'\nwait\n`,
    );
    return {
      connection: { command: 'sh', args: [script] },
      pids: async () => (await readFile(list, 'utf8')).trim().split('\n').map(Number),
    };
  }

  const server = `'${command}' '${npmServer('everything')}'`;

  it.each<[string, (client: MCPClient) => Promise<void>]>([
    ['disconnect', (client) => client.disconnect('family')],
    ['disconnectAll', (client) => client.disconnectAll()],
    ['close', (client) => client.close()],
  ])('after %s, all processes have ended', async (_how, end) => {
    const { client } = parts();
    const { connection, pids } = await family(server);
    await client.connect({ serverName: 'family', connection });
    const alive = await pids();
    expect(alive).toHaveLength(3);
    expect(alive.map(isAlive)).toEqual([true, true, true]);
    await end(client);
    expect(alive.map(isAlive)).toEqual([false, false, false]);
  });

  it('a server that never completes the handshake leaves no process behind', async () => {
    const { client } = parts();
    const { connection, pids } = await family(`'${command}' -e 'process.stdin.resume()'`);
    const config = { serverName: 'silent', connection, connectTimeoutMs: 1_500 };
    await expect(client.connect(config)).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect((await pids()).map(isAlive)).toEqual([false, false, false]);
    expect(client.serverNames).toEqual([]);
  });

  it('a closed engine leaves no process behind', async () => {
    const { connection, pids } = await family(server);
    const engine = new Engine({ model: scriptedModel([[say('x'), finish()]]), mcpServers: { family: { connection } } });
    await engine.execute('go');
    const alive = await pids();
    expect(alive.map(isAlive)).toEqual([true, true, true]);
    await engine.close();
    expect(alive.map(isAlive)).toEqual([false, false, false]);
  });
});

describe('fault 4: isError was lost', () => {
  const bad = { a: 'no number', b: 1 };

  it('every kind of result keeps it', async () => {
    const { client, service, com } = parts();
    await service.discoverAndRegister(everything, com);
    const tool = com.getTool('get-sum');
    const result = await client.callTool('everything', 'get-sum', bad);
    expect(result.isError).toBe(true);
    const context = { signal: AbortSignal.timeout(10_000), toolUseId: '1' };
    expect(await tool?.execute?.(bad, context)).toMatchObject({ isError: true, content: result.content });
    await expect(tool?.run(bad)).rejects.toMatchObject({ code: 'TOOL_ERROR', details: { content: result.content } });
  });

  it('the model learns that the call failed, with the message of the server', async () => {
    const model = scriptedModel([
      [call('1', 'get-sum', bad), finish('tool-calls')],
      [say('I see.'), finish()],
    ]);
    const engine = new Engine({ model, mcpServers: { everything } });
    closers.push(() => engine.close());
    await engine.execute('add');
    expect(model.requests[1]?.messages.at(-1)?.content).toEqual([
      expect.objectContaining({
        type: 'tool_result',
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('expected number') }],
      }),
    ]);
  });
});

describe('fault 5: a lost server was never reconnected', () => {
  it('a process that died is restarted for the next call', async () => {
    const { client, com, service } = parts();
    const program = resolve(import.meta.dirname, '../support/servers/changing-server.ts');
    await service.discoverAndRegister({ serverName: 'changing', command, args: [program, folder] }, com);
    const pids = async () => (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n').map(Number);
    const lost = new Promise<void>((found) => client.on(({ type }) => void (type === 'server.lost' && found())));
    process.kill((await pids())[0] ?? 0, 'SIGKILL');
    await lost;
    expect(await com.getTool('append')?.run({})).toEqual([{ type: 'text', text: 'append' }]);
    expect(await pids()).toHaveLength(2);
    expect(com.getTools()).toHaveLength(6);
  });

  it.each([
    ['sse', 'sse'],
    ['streamable-http', 'streamableHttp'],
  ] as const)('a restarted server over %s is reconnected', async (transport, mode) => {
    const { com, service } = parts();
    const first = await serveEverything(mode);
    closers.push(() => first.close());
    await service.discoverAndRegister({ serverName: 'everything', transport, connection: { url: first.url } }, com);
    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    const second = await serveEverything(mode, Number(new URL(first.url).port));
    closers.push(() => second.close());
    const echo = async (message: string) => com.getTool('echo')?.run({ message });
    // A request to the old server may fail; the new one must answer soon.
    await expect.poll(() => echo('again').catch(() => undefined)).toEqual([{ type: 'text', text: 'Echo: again' }]);
  });
});
