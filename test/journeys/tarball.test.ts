import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oldNodes } from '../support/command/old-nodes.ts';
import { packedProject } from '../support/command/packed-zoo.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** What a new user gets: the files, the command as npm links it, the library and its types. */
describe('the published package', () => {
  let folder: string;
  let zoo: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    const { project } = await packedProject();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-zoo-tarball-')));
    env = { ...(process.env as Record<string, string>), AGENT_ZOO_HOME: join(folder, 'data') };
    await symlink(join(project, 'node_modules'), join(folder, 'node_modules'), 'dir');
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
    zoo = join(folder, 'node_modules/.bin/zoo');
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('holds no TypeScript source but declarations, and its web app', async () => {
    const files = await readdir(join(folder, 'node_modules/agent-zoo'), { recursive: true });
    expect(files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
    expect(files).toContain(join('dist', 'web', 'index.html'));
    expect(files).toContain(join('dist', 'third-party-notices.txt'));
    expect(files).toContain('LICENSE');
    expect(files).toContain('README.md');
  });

  it('names every package that was bundled into it, in a bill of materials', async () => {
    const dist = join(folder, 'node_modules/agent-zoo/dist');
    const read = (path: string) => readFile(join(dist, path), 'utf8');
    const bill = JSON.parse(await read('sbom.cdx.json'));
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    const listed = bill.components.map(({ name, version }: Record<string, string>) => `${name} ${version}`);
    const notices = `${await read('third-party-notices.txt')}\n${await read('web/third-party-notices.txt')}`;
    const bundled = [...notices.matchAll(/^---- (\S+ \S+) \(/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...new Set(bundled)].sort());
    const texts = notices.split(/^---- \S+ \S+ \(.*\) ----$/m).slice(1);
    expect(texts.filter((text) => text.trim().length < 50)).toEqual([]);
    // One of the command's, one of the web app's.
    expect(bill.components).toContainEqual(
      expect.objectContaining({ name: 'hono', purl: expect.stringMatching(/^pkg:npm\/hono@/) }),
    );
    expect(bill.components).toContainEqual(
      expect.objectContaining({ name: '@base-ui/react', purl: expect.stringMatching(/^pkg:npm\/%40base-ui\/react@/) }),
    );
  });

  it('answers --version and lists agents', async () => {
    expect((await run(zoo, ['--version'], { env })).stdout).toMatch(/^\d+\.\d+\.\d+/);
    expect(JSON.parse((await run(zoo, ['agent', 'list', '--json'], { env })).stdout)).toBeInstanceOf(Object);
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
    const cwd = folder;
    await mkdir(join(cwd, 'notes'));
    await writeFile(join(cwd, 'notes/cats.html'), '<h1>Cats</h1><p>A kitten sleeps on the warm sofa.</p>');
    await writeFile(join(cwd, 'notes/ships.md'), '# Ships\n\nThe tanker left the harbour at dawn.\n');
    await run(zoo, ['agent', 'init', 'keeper', '--lua'], { cwd, env });
    const toml = '\n[connectors.filesystem.notes]\nroot = "notes"\n[embedding]\nprovider = "local"\n';
    await appendFile(join(cwd, 'zoo.toml'), toml);
    await run(zoo, ['trust', '--yes'], { cwd, env });
    const synced = await run(zoo, ['sync'], { cwd, env });
    expect(synced).toMatchObject({
      stdout: expect.stringMatching(/2 added[\s\S]*embeddings written: 2\n/),
      stderr: '',
    });
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
    const project = folder;
    await writeFile(
      join(project, 'use.ts'),
      `import { createHub, defineAgent, Engine, type Hub, MCPClient, type MCPConfig, MCPService, ownerCaller } from 'agent-zoo';
const config: MCPConfig = { serverName: 'files', transport: 'stdio', connection: { command: 'none' } };
const client = new MCPClient();
await new MCPService(client).connectAndDiscover(config).catch((error: Error) => console.error(error.message));
await client.close();
await new Engine({ model: 'openai-compatible/any' }).close();
const hub: Hub = await createHub({ db: { path: ':memory:' }, agents: [defineAgent({ name: 'coded', systemPrompt: 'Hi.' })] });
const outcome = await hub.execute({ caller: ownerCaller('cli'), tool: 'agent_zoo_inject', input: { agentId: 'coded' } });
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

  const names = "console.log(typeof createHub, typeof defineAgent, new HubError('NOT_FOUND', 'x').code)";
  const programs = [
    ['imports', 'use.mjs', `import { createHub, defineAgent, HubError } from 'agent-zoo'; ${names}`],
    ['requires', 'use.cjs', `const { createHub, defineAgent, HubError } = require('agent-zoo'); ${names}`],
    ['requires a file that imports', 'through.cjs', "require('./use.mjs')"],
  ] as const;

  it.each(programs)('works in a program that %s it', async (_, name, text) => {
    await writeFile(join(folder, 'use.mjs'), programs[0][2]);
    await writeFile(join(folder, name), text);
    const { stdout, stderr } = await run(process.execPath, [name], { cwd: folder, env });
    expect({ stdout, stderr }).toEqual({ stdout: 'function function NOT_FOUND\n', stderr: '' });
  });

  describe.each(oldNodes)('on an old Node ($name)', ({ command: [node = '', ...options] }) => {
    it.each(programs.slice(0, 2))('tells a program that %s it which Node it needs', async (_, name, text) => {
      await writeFile(join(folder, name), text);
      const failed = await run(node, [...options, name], { cwd: folder, env }).catch((error) => error);
      expect(failed.stderr).toMatch(
        /^Error: Agent Zoo needs Node 24\.11 or later \(this is Node 20\.[\d.]+\): install it, or run your program with "npx -p node@24 node FILE"\.$/m,
      );
    });
  });

  it('serves agents in code that import it, in a project where it is installed', async () => {
    const cwd = join(folder, 'coded');
    await mkdir(cwd);
    const text =
      "import { defineAgent } from 'agent-zoo';\nexport default defineAgent({ name: 'coded', systemPrompt: 'Hi.' });\n";
    await writeFile(join(cwd, 'coded.ts'), text);
    await writeFile(join(cwd, 'zoo.toml'), '[agents.code.coded]\npath = "coded.ts"\n');
    await run(zoo, ['trust', '--yes'], { cwd, env });
    const tested = await run(zoo, ['agent', 'test', 'coded'], { cwd, env });
    expect(tested).toMatchObject({ stdout: expect.stringContaining('Hi.'), stderr: '' });
  });

  it('gives a bundler the library itself', async () => {
    const { build } = await import('esbuild');
    await writeFile(join(folder, 'bundled.mjs'), "import { version } from 'agent-zoo'; console.log(version);");
    const { metafile } = await build({
      absWorkingDir: folder,
      entryPoints: ['bundled.mjs'],
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
      metafile: true,
      external: ['@lat.md/*', 'pg-native', 'pg-cloudflare'],
      logLevel: 'silent',
      outdir: 'out',
    });
    const files = Object.keys(metafile.inputs).filter((file) => file.includes('agent-zoo/dist/'));
    expect(files).toContainEqual(expect.stringContaining('dist/index.js'));
    expect(files).not.toContainEqual(expect.stringContaining('dist/entry'));
  });
});
