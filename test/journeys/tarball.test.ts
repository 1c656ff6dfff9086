import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Packs what was built, installs it in an empty project elsewhere and uses it there, as a new user would. */
describe('the published package', () => {
  let folder: string;
  let zoo: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    expect(existsSync(join(root, 'dist/cli/main.js')), 'npm run build comes before the tests').toBe(true);
    folder = await mkdtemp(join(tmpdir(), 'agent-zoo-tarball-'));
    env = { ...(process.env as Record<string, string>), AGENT_ZOO_HOME: join(folder, 'data') };
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
    const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    const project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
    await run('npm', ['install', '--no-audit', '--no-fund', join(folder, tarball ?? '')], { cwd: project });
    zoo = join(project, 'node_modules/.bin/zoo');
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('holds no TypeScript source but declarations, and its web app', async () => {
    const files = await readdir(join(folder, 'project/node_modules/agent-zoo'), { recursive: true });
    expect(files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
    expect(files).toContain(join('dist', 'web', 'index.html'));
    expect(files).toContain(join('dist', 'third-party-notices.txt'));
    expect(files).toContain('LICENSE');
    expect(files).toContain('README.md');
  });

  it('answers --version and lists agents', async () => {
    expect((await run(zoo, ['--version'], { env })).stdout).toMatch(/^\d+\.\d+\.\d+/);
    expect(JSON.parse((await run(zoo, ['agent', 'list', '--json'], { env })).stdout)).toBeInstanceOf(Object);
  });

  it('serves the web app and the API', async () => {
    const child = spawn(zoo, ['serve', '--bind', '127.0.0.1:0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const url = await firstUrl(child.stdout);
      expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
      const page = await fetch(url, { headers: { accept: 'text/html' } });
      const html = await page.text();
      expect(html).toContain('<div id="root"');
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1];
      expect((await fetch(`${url}${script}`)).headers.get('content-type')).toContain('javascript');
    } finally {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    }
  });

  it('serves MCP on stdio', async () => {
    const client = new Client({ name: 'user', version: '1' });
    await client.connect(new StdioClientTransport({ command: zoo, args: ['mcp'], env }));
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('agent_zoo_inject');
    await client.close();
  });

  it('replies to the second client as to the first, before the hub is loaded', async () => {
    const home = { ...env, AGENT_ZOO_HOME: join(folder, 'greeting') };
    const kept = join(folder, 'greeting', 'cache', 'greetings.json');
    const lists: unknown[] = [];
    for (let start = 0; start < 2; start += 1) {
      const client = new Client({ name: 'user', version: '1' });
      await client.connect(new StdioClientTransport({ command: zoo, args: ['mcp'], env: home }));
      lists.push((await client.listTools()).tools, client.getInstructions());
      const listed = await client.callTool({ name: 'agent_zoo_list_agents', arguments: {} });
      expect(listed).toMatchObject({ structuredContent: { agents: [] } });
      while (!existsSync(kept)) await nextTurn();
      await client.close();
    }
    expect(lists.slice(2)).toEqual(lists.slice(0, 2));
  });

  it('answers the first tools/list from a few files, which is what makes it start fast', async () => {
    const hook = join(folder, 'tell-files.mjs');
    await writeFile(
      hook,
      `import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => (url.startsWith('file:') && console.error('loaded', url), next(url, context)) });`,
    );
    const transport = new StdioClientTransport({
      command: zoo,
      args: ['mcp'],
      env: { ...env, NODE_OPTIONS: `--import=${pathToFileURL(hook)}` },
      stderr: 'pipe',
    });
    let told = '';
    transport.stderr?.on('data', (chunk: Buffer) => {
      told += chunk;
    });
    const client = new Client({ name: 'user', version: '1' });
    await client.connect(transport);
    await client.listTools();
    await client.close();
    const loaded = told.match(/^loaded .*agent-zoo\/(?:bin|dist)\/.*$/gm) ?? [];
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.length, loaded.join('\n')).toBeLessThan(20);
  });

  it('indexes files, searches them by words and by meaning, and runs Lua', async () => {
    const cwd = join(folder, 'project');
    await mkdir(join(cwd, 'notes'));
    await writeFile(join(cwd, 'notes/cats.html'), '<h1>Cats</h1><p>A kitten sleeps on the warm sofa.</p>');
    await writeFile(join(cwd, 'notes/ships.md'), '# Ships\n\nThe tanker left the harbour at dawn.\n');
    await run(zoo, ['agent', 'init', 'keeper', '--lua'], { cwd, env });
    const toml = '\n[connectors.filesystem.notes]\nroot = "notes"\n[embedding]\nprovider = "local"\n';
    await appendFile(join(cwd, 'zoo.toml'), toml);
    const synced = await run(zoo, ['sync'], { cwd, env });
    expect(synced).toMatchObject({ stdout: expect.stringMatching(/2 added[\s\S]*2 passages embedded/), stderr: '' });
    const titles = async (...args: string[]) =>
      JSON.parse((await run(zoo, ['search', '--json', ...args], { cwd, env })).stdout).map(
        (result: { title: string }) => result.title,
      );
    expect(await titles('--mode', 'keyword', 'harbour')).toEqual(['Ships']);
    expect((await titles('--mode', 'semantic', 'a pet is napping'))[0]).toBe('Cats');
    const tested = await run(zoo, ['agent', 'test', 'keeper', '--arg', 'topic=tanker'], { cwd, env });
    expect(tested.stdout).toContain('The tanker left the harbour');
    expect(tested.stdout).toMatch(/1 search query, 0 document fetches/);
  });

  it('is a typed library', async () => {
    const project = join(folder, 'project');
    await writeFile(
      join(project, 'use.ts'),
      `import { createHub, defineAgent, Engine, type Hub, MCPClient, type MCPConfig, MCPService } from 'agent-zoo';
const config: MCPConfig = { serverName: 'files', transport: 'stdio', connection: { command: 'none' } };
const client = new MCPClient();
await new MCPService(client).connectAndDiscover(config).catch((error: Error) => console.error(error.message));
await client.close();
await new Engine({ model: 'openai-compatible/any' }).close();
const hub: Hub = await createHub({ db: { path: ':memory:' }, agents: [defineAgent({ name: 'coded', systemPrompt: 'Hi.' })] });
const outcome = await hub.execute({ caller: { surface: 'cli' }, tool: 'agent_zoo_inject', input: { agentId: 'coded' } });
console.log(outcome.ok && JSON.stringify(outcome.data));
await hub.close();
`,
    );
    const { stdout } = await run(process.execPath, ['use.ts'], { cwd: project, env });
    expect(JSON.parse(stdout)).toMatchObject({ agentId: 'coded' });
    const options = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2024',
      skipLibCheck: false,
      lib: ['es2024', 'dom'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['use.ts'] }));
    const typed = await run(join(root, 'node_modules/.bin/tsc'), ['-p', project]).catch(
      (error: { stdout: string }) => error,
    );
    expect(typed.stdout).toBe('');
  });
});

async function firstUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url) return url;
  }
  throw new Error('zoo serve printed no address');
}
