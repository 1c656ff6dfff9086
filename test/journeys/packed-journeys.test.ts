import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { oldNodes } from '../support/command/old-nodes.ts';
import { packedProject } from '../support/command/packed-zoo.ts';
import { runZooProcess, startZoo, type ZooFolder, type ZooOptions, zooFolder } from '../support/command/run-zoo.ts';
import { makeDocx } from '../support/knowledge/make-docx.ts';
import { makePdf } from '../support/knowledge/make-pdf.ts';
import { startModelServer } from '../support/models/model-server.ts';
import { npmServer } from '../support/servers/npm-servers.ts';

let script: string;
let folder: ZooFolder;
beforeAll(async () => {
  ({ script } = await packedProject());
});
beforeEach(async () => {
  folder = await zooFolder({ isNew: true });
});
afterEach(() => folder[Symbol.asyncDispose]());

/** A real old Node where the machine has one. */
const old = oldNodes.at(-1)?.command ?? [];
const launchers = [
  { name: 'this Node', node: [process.execPath] },
  { name: 'an old Node that hands over', node: old },
];

/** One journey of each kind with the package as it is published: what works in a checkout may be missing in the bundle. */
describe.each(launchers)('the installed package, started by $name', ({ node }) => {
  const options = (more: Partial<ZooOptions> = {}): ZooOptions => ({ cwd: folder.dir, node, script, ...more });
  const zoo = (...args: string[]) => runZooProcess(args, options());
  async function json(...args: string[]) {
    const { code, stdout, stderr } = await zoo(...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  }
  async function write(name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(join(folder.dir, name)), { recursive: true });
    await writeFile(join(folder.dir, name), content);
  }
  const serve = (env: Record<string, string> = {}, ...args: string[]) =>
    startZoo(['serve', '--bind', '127.0.0.1:0', ...args], options({ env }));

  test('serves the web app and the API, and follows its config', async () => {
    await write('zoo.toml', '[agents.first]\n');
    await using hub = serve();
    const [, url] = await hub.says(/Web app +(\S+)\n/);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
    const html = await (await fetch(String(url), { headers: { accept: 'text/html' } })).text();
    const page = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1];
    expect((await fetch(`${url}${page}`)).headers.get('content-type')).toContain('javascript');
    await write('zoo.toml', '[agents.first]\n[agents.second]\n');
    const names = async () => (await (await fetch(`${url}/agents/list`)).json()).agents.length;
    await expect.poll(names).toBe(2);
    hub.process.kill('SIGTERM');
    expect(await hub.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('writes a log, as JSON lines if there is no terminal', async () => {
    await write('zoo.toml', '[agents.first]\n');
    await using hub = serve({ ZOO_LOG: 'debug' });
    const [, url] = await hub.says(/Web app +(\S+)\n/);
    await fetch(`${url}/agents/list?token=not-to-be-shown`);
    await write('zoo.toml', '[agents.first\n');
    await hub.says(/zoo\.toml:1/);
    hub.process.kill('SIGTERM');
    const { stderr } = await hub.ended;
    expect(stderr).not.toContain('not-to-be-shown');
    const records = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const request = { level: 'debug', method: 'GET', path: '/agents/list', status: 200 };
    expect(records).toContainEqual(expect.objectContaining(request));
    expect(records).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: expect.stringContaining('zoo.toml:1') }),
    );
  });

  test('writes a log for people where one watches', async () => {
    const terminal = '--import=data:text/javascript,process.stderr.isTTY=true';
    await using hub = serve({ ZOO_LOG: 'debug', NODE_OPTIONS: terminal });
    await hub.says(/\d\d:\d\d:\d\d.*debug.*serving.*version=/);
  });

  test('serves MCP on stdio, and logs to stderr', async () => {
    await write('zoo.toml', '[agents.guide]\nsystem_prompt = "You know the way."\n');
    const [command = '', ...execArgv] = node;
    const env = { PATH: process.env.PATH ?? '', HOME: folder.dir, AGENT_ZOO_HOME: join(folder.dir, 'home') };
    const client = new Client({ name: 'user', version: '1' });
    const args = [...execArgv, script, 'mcp'];
    const transport = new StdioClientTransport({
      command,
      args,
      env: { ...env, ZOO_LOG: 'debug' },
      cwd: folder.dir,
      stderr: 'pipe',
    });
    let logged = '';
    transport.stderr?.on('data', (chunk: Buffer) => {
      logged += chunk;
    });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('agent_zoo_inject');
    const { content } = await client.callTool({ name: 'agent_zoo_inject', arguments: { agentId: 'guide' } });
    expect(JSON.stringify(content)).toContain('You know the way.');
    await expect.poll(() => logged).toMatch(/"level":"debug".*"tool":"agent_zoo_inject","surface":"mcp"/);
    expect(logged).not.toContain('You know the way.');
    await client.close();
  });

  test('chats with a model, and keeps the chat', async () => {
    const model = await startModelServer({ script: [{ text: ['To the ', 'left.'] }, { text: 'Home.' }] });
    try {
      await write('zoo.toml', '[engine]\nmodel = "openai-compatible/scripted"\n[agents.guide]\n');
      const env = { OPENAI_COMPATIBLE_BASE_URL: model.url };
      const chat = (input: string, ...args: string[]) =>
        runZooProcess(['chat', 'guide', ...args], options({ env, input: `${input}\n` }));
      expect(await chat('Where to?')).toMatchObject({ code: 0, stdout: 'To the left.\n' });
      expect(await chat('And then?', '--continue')).toMatchObject({ code: 0, stdout: 'Home.\n' });
      expect(model.requests[1]?.body.messages.map(({ content }) => content)).toContain('Where to?');
    } finally {
      await model.close();
    }
  });

  test('calls the tools of an external server', async () => {
    const added = await zoo('mcp-server', 'add', 'everything', '--', process.execPath, npmServer('everything'));
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const called = await zoo('tool', 'call', 'mcp__everything__echo', '--param', 'message=hello');
    expect(called).toEqual({ code: 0, stdout: 'Echo: hello\n', stderr: '' });
  });

  // After the hand-over it is the process that this Node starts: what follows is the same in both.
  if (node === old) return;

  test('indexes every kind of file, and leaves out the frame of a page', async () => {
    const prose = (word: string) => `The ${word} is described here, in a sentence that says enough. `.repeat(12);
    const menu = ['Products', 'Prices', 'Imprint', 'Cookies'].map((name) => `<li><a href="/${name}">${name}</a></li>`);
    const files: Record<string, string | Uint8Array> = {
      'plain.txt': `An aardvark.\n`,
      'page.md': '---\ntitle: Badgers\n---\n# Badgers\n\nA badger digs.\n',
      'page.html': `<html><head><title>Camels</title></head><body><div class="menu"><ul>${menu.join('')}</ul></div>
        <div class="content"><h1>Camels</h1><p>${prose('camel')}</p><p>${prose('desert')}</p></div>
        <div class="footer">Copyright Zebracorp, all rights reserved</div></body></html>`,
      'paper.pdf': makePdf([['A dromedary walks.']], { title: 'Dromedaries' }),
      'letter.docx': makeDocx([{ style: 'Heading1', text: 'Elephants' }, { text: 'An elephant remembers.' }]),
      'code.ts': 'export function findFlamingo(): string {\n  return "pink";\n}\n',
      'code.py': 'def find_gorilla():\n    return "grey"\n',
      'data.json': '{"hyena": {"laughs": true}}\n',
      'data.yaml': 'ibex:\n  climbs: true\n',
      'data.csv': 'animal,legs\njaguar,4\n',
      'data.toml': '[koala]\nsleeps = true\n',
      'query.sql': 'select * from lemurs;\n',
    };
    for (const [name, content] of Object.entries(files)) await write(join('files', name), content);
    await write('zoo.toml', '[connectors.filesystem.files]\nroot = "files"\n');
    const synced = await zoo('sync');
    expect(synced).toMatchObject({ code: 0, stderr: '' });
    expect(synced.stdout).toContain(`${Object.keys(files).length} added`);
    const found = async (words: string): Promise<string[]> =>
      (await json('search', '--mode', 'keyword', '--limit', '20', words))
        .map((hit: { source_id: string }) => hit.source_id)
        .sort();
    const animals = 'aardvark badger dromedary elephant flamingo gorilla hyena ibex jaguar koala lemurs';
    expect(await found(animals)).toEqual(
      Object.keys(files)
        .filter((name) => name !== 'page.html')
        .sort(),
    );
    expect(await found('camel')).toEqual(['page.html']);
    expect(await found('Zebracorp Imprint')).toEqual([]);
  });

  test('runs agents, tools and connectors in Lua', async () => {
    await zoo('tool', 'init', 'word_count');
    expect((await json('tool', 'test', 'word_count', '--param', 'text=one two')).result).toMatchObject({ words: 2 });
    await zoo('connector', 'init', 'tickets');
    expect((await zoo('sync')).stdout).toMatch(/script:tickets[\s\S]*[1-9] added/);
    await zoo('agent', 'init', 'keeper', '--lua');
    const tested = await zoo('agent', 'test', 'keeper', '--arg', 'topic=ticket');
    expect(tested).toMatchObject({ code: 0, stderr: '' });
    expect(tested.stdout).toContain('1 search query');
  });

  test('has a team: members, tasks, mail and the log', async () => {
    const { token } = await json('team', 'add', 'worker-1');
    const task = await json('task', 'create', 'Add login', '--assignee', 'worker-1');
    await using hub = serve();
    const [, url] = await hub.says(/Web app +(\S+)\n/);
    const execute = async (toolName: string, input: object) => {
      const response = await fetch(`${url}/mcp/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ agentId: 'worker-1', toolName, input }),
      });
      return response.json();
    };
    expect((await execute('mcp__task__update_status', { status: 'IN_PROGRESS' })).data.id).toBe(task.id);
    await execute('mcp__mail__send', { toHuman: true, subject: 'Which way?', body: 'Left or right?' });
    expect((await zoo('mail')).stdout).toMatch(/worker-1 +Which way\?/);
    expect((await zoo('log', '--member', 'worker-1')).stdout).toContain('mcp__mail__send');
    expect((await zoo('log', 'verify')).stdout).toContain('No changes found');
  });

  test('makes a backup and restores it', async () => {
    await zoo('agent', 'new', 'Tiger', '--template', 'architect');
    expect(await zoo('backup', 'copy.sqlite')).toEqual({ code: 0, stdout: 'Saved: copy.sqlite\n', stderr: '' });
    await zoo('agent', 'delete', 'tiger');
    expect((await zoo('restore', 'copy.sqlite', '--force')).code).toBe(0);
    expect(await json('agent', 'list')).toMatchObject([{ id: 'tiger' }]);
  });
});
