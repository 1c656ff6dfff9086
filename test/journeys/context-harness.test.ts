import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHub, type Hub, loadConfig, serveHttp } from '../../src/index.ts';
import { connectV1, connectV2 } from '../support/clients/mcp-clients.ts';
import { runZoo, type ZooFolder, zooFolder, zooScript } from '../support/command/run-zoo.ts';
import { ownerHeader } from '../support/hubs/owner-key.ts';
import { harnessAgent, harnessConfig, ticketTool } from '../support/knowledge/context-harness.ts';

const run = promisify(execFile);
const env = { JIRA_API_TOKEN: 'jira-secret-token' };
const args = { service: 'payments-api', severity: 'P1' };
const opening =
  "I'm ready to help with the P1 payments-api incident. I've loaded 2 relevant runbooks. What's the current situation?";

let folder: ZooFolder;
let hub: Hub;
let server: Awaited<ReturnType<typeof serveHttp>>;

const zoo = (...words: string[]) => runZoo(words, { cwd: folder.dir, env });

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder.dir, name)), { recursive: true });
  await writeFile(join(folder.dir, name), text);
}

/** A repository with the given files on its branch `main`. */
async function repository(name: string, files: Record<string, string>): Promise<string> {
  const dir = join(folder.dir, 'repositories', name);
  for (const [path, text] of Object.entries(files)) await write(join('repositories', name, path), text);
  const git = (...words: string[]) =>
    run('git', ['-c', 'user.name=Journey', '-c', 'user.email=journey@example.com', ...words], { cwd: dir });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'First');
  return dir;
}

beforeAll(async () => {
  folder = await zooFolder();
  const platform = await repository('platform', {
    'docs/adr-001.md': '# ADR 1: One database\n\nEvery service has a schema of its own.\n',
    'src/main.md': '# Not documentation\n\nThe payments-api incident runbook is elsewhere.\n',
  });
  const runbooks = await repository('runbooks', {
    'payments-api.md':
      '# Payments API\n\nRunbook for an incident of the payments-api service: drain the queue first.\n',
    'database.md': '# Database\n\nRunbook for an incident of the database: promote the replica.\n',
  });
  await write(
    'ctx.toml',
    harnessConfig
      .replace('https://github.com/acme/platform.git', platform)
      .replace('https://github.com/acme/runbooks.git', runbooks),
  );
  await write('agents/incident-responder.lua', harnessAgent);
  await write('tools/create-jira-ticket.lua', ticketTool);
  const synced = await zoo('sync');
  expect(synced).toMatchObject({ code: 0, stderr: '' });
  const config = await loadConfig({
    explicitFile: 'ctx.toml',
    cwd: folder.dir,
    env: { ...env, AGENT_ZOO_HOME: join(folder.dir, 'home') },
    home: folder.dir,
  });
  hub = await createHub({ config });
  server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server?.close();
  await hub?.close();
  await folder[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...(await ownerHeader({ hub })), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const listed = [
  {
    name: 'code-reviewer',
    description: 'Reviews code against project conventions',
    tools: ['search', 'get'],
    source: 'toml',
    arguments: [],
  },
  {
    name: 'architect',
    description: 'Answers architecture questions',
    tools: ['search', 'get', 'sources'],
    source: 'toml',
    arguments: [],
  },
  {
    name: 'incident-responder',
    description: 'Helps triage production incidents with relevant runbooks',
    tools: ['search', 'get', 'create_jira_ticket'],
    source: 'lua',
    arguments: [
      { name: 'service', description: 'The service experiencing the incident', required: false },
      { name: 'severity', description: 'Incident severity (P1, P2, P3)', required: false },
    ],
  },
];

describe('the command line', () => {
  test('lists every agent with its tools, and marks the script', async () => {
    expect(await zoo('agent', 'list')).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        '  code-reviewer        Reviews code against project conventions                   (tools: search, get)',
        '  architect            Answers architecture questions                             (tools: search, get, sources)',
        '  incident-responder   Helps triage production incidents with relevant runbooks   (tools: search, get, create_jira_ticket)  [lua]',
        '',
      ].join('\n'),
    });
  });

  test('tests the script with its counts and the time', async () => {
    const { code, stdout, stderr } = await zoo(
      ...['agent', 'test', 'incident-responder', '--arg', 'service=payments-api', '--arg', 'severity=P1'],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'Agent: incident-responder',
      'Source: lua (agents/incident-responder.lua)',
      'Tools: search, get, create_jira_ticket',
      '',
    ]);
    expect(lines[4]).toMatch(/^System prompt \(\d+ chars\):$/);
    expect(lines[5]).toBe('  You are an incident responder for the payments-api service (P1 severity).');
    expect(stdout).toContain('drain the queue first');
    expect(stdout).toContain(`Messages (1):\n  [assistant] ${opening}\n`);
    expect(lines.at(-2)).toMatch(/^Resolved in \d+ms \(1 search query, 2 document fetches\)$/);
  });

  test('creates a new script agent beside them', async () => {
    const { stdout } = await zoo('agent', 'init', 'sre-helper');
    expect(stdout).toContain('Created: agents/sre-helper.lua\n');
    expect(stdout).toContain('\n  [agents.script.sre-helper]\n  path = "agents/sre-helper.lua"\n  timeout = 30\n');
    expect(await zoo('agent', 'test', 'sre-helper')).toMatchObject({ code: 0, stderr: '' });
    // The running hub reads the file again.
    await expect.poll(async () => (await call('GET', '/agents/list')).body).toMatchObject({ agents: { length: 4 } });
  });
});

describe('HTTP', () => {
  test('GET /agents/list', async () => {
    const { status, body } = await call('GET', '/agents/list');
    expect(status).toBe(200);
    expect(body).toMatchObject({ agents: expect.arrayContaining(listed.map((each) => expect.objectContaining(each))) });
  });

  test.each([
    ['with arguments', { arguments: args }],
    ['with flat arguments', args],
  ])('POST /agents/{name}/prompt %s', async (_name, body) => {
    expect(await call('POST', '/agents/incident-responder/prompt', body)).toEqual({
      status: 200,
      body: {
        result: {
          system: expect.stringMatching(
            /^You are an incident responder for the payments-api service \(P1 severity\)\.\n[\s\S]*## Payments API\n[\s\S]*drain the queue first/,
          ),
          tools: ['search', 'get', 'create_jira_ticket'],
          messages: [{ role: 'assistant', content: opening }],
        },
      },
    });
  });

  test('the passages come from the runbooks alone', async () => {
    const { body } = await call('POST', '/agents/incident-responder/prompt', { arguments: args });
    expect(JSON.stringify(body)).not.toContain('Not documentation');
    const { body: found } = await call('POST', '/tools/search', { query: 'payments-api incident runbook' });
    expect(JSON.stringify(found)).not.toContain('src/main.md');
  });

  test('the endpoint of an agent shows and runs only its scope', async () => {
    const names = async (path: string) => {
      const { body } = await call('GET', path);
      return (body as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    expect(await names('/tools/list?agent=incident-responder')).toEqual(['search', 'get', 'create_jira_ticket']);
    expect(await names('/tools/list?agent=code-reviewer')).toEqual(['search', 'get']);
  });

  test('the script tool gets the keys of its section, and its secret stays hidden', async () => {
    const ticket = await call('POST', '/tools/create_jira_ticket', { title: 'Fire' });
    expect(ticket).toEqual({
      status: 200,
      body: {
        result: {
          url: 'https://acme.atlassian.net/rest/api/2/issue',
          authorized: true,
          fields: { summary: 'Fire', priority: 'High' },
        },
      },
    });
    const refused = await call('POST', '/tools/create_jira_ticket', { priority: 'Later' });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
    expect(JSON.stringify([ticket, refused, hub.problems()])).not.toContain(env.JIRA_API_TOKEN);
  });
});

describe('errors over HTTP', () => {
  const scripts: Record<string, string> = {
    strict:
      'agent = { arguments = { { name = "service", required = true } } }\nfunction agent.resolve() error("it ran") end',
    failing: 'agent = {}\nfunction agent.resolve()\n  error("no runbooks today")\nend',
    endless: 'agent = {}\nfunction agent.resolve()\n  while true do pcall(function() while true do end end) end\nend',
    sleeping: 'agent = {}\nfunction agent.resolve()\n  sleep(60)\n  return { system = "" }\nend',
    wrong: 'agent = {}\nfunction agent.resolve() return { system = {} } end',
  };
  let second: typeof server;
  let other: Hub;
  let errorFolder: ZooFolder;

  beforeAll(async () => {
    errorFolder = await zooFolder();
    const sections = Object.keys(scripts).map(
      (name) => `[agents.script.${name}]\npath = "${name}.lua"\ntimeout = 0.5\n`,
    );
    await writeFile(join(errorFolder.dir, 'ctx.toml'), sections.join('\n'));
    for (const [name, text] of Object.entries(scripts)) await writeFile(join(errorFolder.dir, `${name}.lua`), text);
    const home = errorFolder.dir;
    other = await createHub({
      config: await loadConfig({ cwd: home, env: { AGENT_ZOO_HOME: home }, home }),
      watch: false,
    });
    second = await serveHttp(other, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await second?.close();
    await other?.close();
    await errorFolder[Symbol.asyncDispose]();
  });

  test.each<[string, number, string, RegExp]>([
    ['nobody', 404, 'not_found', /nobody/],
    ['strict', 400, 'bad_request', /^Agent "strict" needs the argument "service"/],
    ['failing', 500, 'agent_error', /failing\.lua:3: no runbooks today/],
    ['wrong', 500, 'agent_error', /^Agent "wrong" \(wrong\.lua\) .*system: /],
    ['endless', 408, 'timeout', /endless\.lua/],
    ['sleeping', 408, 'timeout', /sleeping\.lua/],
  ])('%s is answered with %i %s', async (name, status, code, rule) => {
    const response = await fetch(`${second.url}/agents/${name}/prompt`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"arguments":{}}',
    });
    const body = (await response.json()) as { error: { code: string; message: string } };
    expect(response.status).toBe(status);
    expect(body.error).toMatchObject({ code, message: expect.stringMatching(rule) });
    expect(body.error.message).not.toMatch(/\n\s+at |it ran/);
  });
});

describe('MCP prompts', () => {
  const clients = [
    ['the SDK of version 1', (url: string) => connectV1({ url })],
    ['the SDK of version 2', (url: string) => connectV2({ url }, 'auto')],
  ] as const;

  test.each(clients)('%s lists and gets them', async (_name, connect) => {
    const client = await connect(`${server.url}/mcp`);
    try {
      expect(await client.promptNames()).toEqual(expect.arrayContaining(listed.map(({ name }) => name)));
      const [system, message] = await client.promptTexts('incident-responder', args);
      expect(system).toMatch(/^You are an incident responder for the payments-api service/);
      expect(message).toBe(opening);
    } finally {
      await client.close();
    }
  });

  test('on stdio, with only the tools of the agent', async () => {
    const environment = {
      ...env,
      PATH: process.env.PATH ?? '',
      HOME: folder.dir,
      AGENT_ZOO_HOME: join(folder.dir, 'home'),
    };
    const command = [zooScript, 'mcp', '--agent', 'incident-responder', '--config', join(folder.dir, 'ctx.toml')];
    const client = await connectV1({ command: process.execPath, args: command, env: environment });
    try {
      expect(await client.toolNames()).toEqual(['search', 'get', 'create_jira_ticket']);
      expect(await client.promptTexts('incident-responder', args)).toEqual([
        expect.stringContaining('drain the queue first'),
        opening,
      ]);
    } finally {
      await client.close();
    }
  });
});
