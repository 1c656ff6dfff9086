import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { type ConnectOptions, clientEntries, connectClients } from './connect-clients.ts';
import type { ConnectClient } from './hub.contract.ts';

const hub: ConnectOptions = {
  url: 'http://127.0.0.1:7331',
  stdioCommand: { command: 'zoo', args: ['mcp'] },
  configFile: null,
  anonymous: 'use',
};
const headers = { Authorization: 'Bearer YOUR_KEY' };
const agent: ConnectOptions = { ...hub, agent: { id: 'code-wizard', name: 'Code & Wizard', tools: [] } };
const hubUrl = 'http://127.0.0.1:7331/mcp';
const agentUrl = 'http://127.0.0.1:7331/mcp?agent=code-wizard';

function clientOf(options: ConnectOptions, id: string): ConnectClient {
  const client = connectClients(options).clients.find((each) => each.id === id);
  if (!client) throw new Error(`no client ${id}`);
  return client;
}

function textOf(options: ConnectOptions, id: string, title: string): string {
  const snippet = clientOf(options, id).snippets.find((each) => each.title === title);
  if (!snippet) throw new Error(`${id} has no snippet ${title}`);
  return snippet.text;
}

function addressOf(options: ConnectOptions, id: string): string {
  const { link } = clientOf(options, id);
  if (!link) throw new Error(`${id} has no link`);
  const { start, text, encoding } = link;
  return start + encodeURIComponent(encoding === 'base64' ? Buffer.from(text, 'utf8').toString('base64') : text);
}

const linkOf = (options: ConnectOptions, id: string) => new URL(addressOf(options, id));
const decoded = (base64: string | null) => JSON.parse(Buffer.from(base64 ?? '', 'base64').toString('utf8'));

describe('connecting clients', () => {
  it('covers nine clients, each with something to copy', () => {
    const { clients } = connectClients(hub);
    expect(clients.map((client) => client.id)).toEqual([
      'cursor',
      'vscode',
      'claude-code',
      'claude-desktop',
      'codex',
      'gemini-cli',
      'opencode',
      'lm-studio',
      'goose',
    ]);
    for (const client of clients) expect(client.snippets.length).toBeGreaterThan(0);
  });

  it('describes how to reach the hub and one agent', () => {
    expect(connectClients(hub)).toMatchObject({ agentId: null, url: hubUrl, command: 'zoo', args: ['mcp'] });
    expect(connectClients({ ...agent, configFile: '/home/me/my zoo.toml' })).toMatchObject({
      agentId: 'code-wizard',
      url: agentUrl,
      args: ['mcp', '--agent', 'code-wizard', '--config', '/home/me/my zoo.toml'],
    });
  });

  it.each([
    ['the hub', hub, 'agent-zoo', hubUrl],
    ['an agent', agent, 'agent-zoo-code-wizard', agentUrl],
  ])('makes links for %s that decode to its address', (_, options, name, url) => {
    const cursor = linkOf(options, 'cursor');
    expect(cursor.href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?/);
    expect(cursor.searchParams.get('name')).toBe(name);
    expect(decoded(cursor.searchParams.get('config'))).toEqual({ url, headers });

    const vscode = addressOf(options, 'vscode');
    expect(vscode).toMatch(/^vscode:mcp\/install\?/);
    expect(JSON.parse(decodeURIComponent(vscode.slice(vscode.indexOf('?') + 1)))).toEqual({
      name,
      type: 'http',
      url,
      headers,
    });

    const lmStudio = linkOf(options, 'lm-studio');
    expect(lmStudio.href).toMatch(/^lmstudio:\/\/add_mcp\?/);
    expect(lmStudio.searchParams.get('name')).toBe(name);
    expect(decoded(lmStudio.searchParams.get('config'))).toEqual({ url, headers });

    const goose = linkOf(options, 'goose');
    expect(goose.href).toMatch(/^goose:\/\/extension\?/);
    expect(Object.fromEntries(goose.searchParams)).toMatchObject({
      url,
      type: 'streamable_http',
      id: name,
      name,
      header: 'Authorization=Bearer YOUR_KEY',
    });
  });

  it('writes the configuration files each client reads', () => {
    const stdio = { command: 'zoo', args: ['mcp', '--agent', 'code-wizard'] };
    const name = 'agent-zoo-code-wizard';
    // A file of a project is committed, so it must not contain a key.
    const fromEnv = { Authorization: `Bearer \${AGENT_ZOO_KEY}` };
    const cases: [string, string, object][] = [
      ['cursor', 'Over HTTP', { mcpServers: { [name]: { url: agentUrl, headers } } }],
      ['cursor', 'Over stdio', { mcpServers: { [name]: stdio } }],
      ['vscode', 'Over HTTP', { servers: { [name]: { type: 'http', url: agentUrl, headers } } }],
      ['vscode', 'Over stdio', { servers: { [name]: { type: 'stdio', ...stdio } } }],
      [
        'claude-code',
        'For a whole project',
        { mcpServers: { [name]: { type: 'http', url: agentUrl, headers: fromEnv } } },
      ],
      ['claude-desktop', 'Over stdio', { mcpServers: { [name]: stdio } }],
      ['gemini-cli', 'Over HTTP, in the file', { mcpServers: { [name]: { httpUrl: agentUrl, headers } } }],
      ['gemini-cli', 'Over stdio, in the file', { mcpServers: { [name]: stdio } }],
      ['lm-studio', 'Over HTTP', { mcpServers: { [name]: { url: agentUrl, headers } } }],
      ['lm-studio', 'Over stdio', { mcpServers: { [name]: stdio } }],
    ];
    for (const [id, title, value] of cases) expect(JSON.parse(textOf(agent, id, title))).toEqual(value);
    expect(JSON.parse(textOf(agent, 'opencode', 'Over HTTP')).mcp[name]).toEqual({
      type: 'remote',
      url: agentUrl,
      headers,
      enabled: true,
    });
    expect(JSON.parse(textOf(agent, 'opencode', 'Over stdio')).mcp[name]).toEqual({
      type: 'local',
      command: ['zoo', 'mcp', '--agent', 'code-wizard'],
      enabled: true,
    });
  });

  it('writes TOML that can be read back, with any path in it', () => {
    const options = { ...agent, configFile: 'C:\\Users\\me\\"zoo".toml' };
    expect(parse(textOf(options, 'codex', 'Over HTTP'))).toEqual({
      mcp_servers: { 'agent-zoo-code-wizard': { url: agentUrl, http_headers: headers } },
    });
    expect(parse(textOf(options, 'codex', 'Over stdio, in the file'))).toEqual({
      mcp_servers: {
        'agent-zoo-code-wizard': {
          command: 'zoo',
          args: ['mcp', '--agent', 'code-wizard', '--config', 'C:\\Users\\me\\"zoo".toml'],
        },
      },
    });
  });

  it('writes YAML for Goose', () => {
    expect(textOf(hub, 'goose', 'Over HTTP')).toBe(
      'extensions:\n  agent-zoo:\n    enabled: true\n    type: streamable_http\n    uri: "http://127.0.0.1:7331/mcp"\n    headers:\n      Authorization: "Bearer YOUR_KEY"\n    name: "agent-zoo"\n    timeout: 300\n',
    );
    expect(textOf(hub, 'goose', 'Over stdio')).toContain('    cmd: "zoo"\n    args: ["mcp"]\n');
  });

  it('writes commands that a shell parses as intended', () => {
    const options = { ...agent, configFile: "/home/o'brien/my zoo.toml" };
    expect(textOf(hub, 'claude-code', 'Over HTTP')).toBe(
      `claude mcp add --scope user --transport http agent-zoo ${hubUrl} --header 'Authorization: Bearer YOUR_KEY'`,
    );
    expect(textOf(agent, 'claude-code', 'Over HTTP')).toBe(
      `claude mcp add --scope user --transport http agent-zoo-code-wizard '${agentUrl}' --header 'Authorization: Bearer YOUR_KEY'`,
    );
    expect(textOf(options, 'claude-code', 'Over stdio')).toBe(
      `claude mcp add --scope user agent-zoo-code-wizard -- zoo mcp --agent code-wizard --config '/home/o'\\''brien/my zoo.toml'`,
    );
    expect(textOf(hub, 'codex', 'Over stdio')).toBe('codex mcp add agent-zoo -- zoo mcp');
    expect(textOf(hub, 'gemini-cli', 'Over HTTP')).toBe(
      `gemini mcp add --scope user --transport http --header 'Authorization: Bearer YOUR_KEY' agent-zoo ${hubUrl}`,
    );
    expect(textOf(hub, 'vscode', 'On the command line')).toBe(
      `code --add-mcp '{"name":"agent-zoo","type":"http","url":"${hubUrl}","headers":{"Authorization":"Bearer YOUR_KEY"}}'`,
    );
  });

  it('names the config once, even if the command includes it', () => {
    const stdioCommand = { command: 'zoo', args: ['mcp', '--config', '/a.toml'] };
    const { args } = connectClients({ ...agent, stdioCommand, configFile: '/a.toml' });
    expect(args).toEqual(['mcp', '--config', '/a.toml', '--agent', 'code-wizard']);
  });

  it.each([
    ['the hub', undefined, 'Ask it to call agent_zoo_inject'],
    ['an agent that has it', ['agent_zoo_*'], 'Ask it to call agent_zoo_inject'],
    ['an agent without it', ['search'], "as the server's instructions"],
  ])('tells clients without prompts to use agent_zoo_inject only if it exists: %s', (_, tools, advice) => {
    const options = tools ? { ...hub, agent: { id: 'a', name: 'A', tools } } : hub;
    for (const id of ['codex', 'lm-studio']) expect(clientOf(options, id).note).toContain(advice);
  });

  it('lists the variables that the command needs, for every client', () => {
    const options = { ...hub, stdioCommand: { ...hub.stdioCommand, needs: ['DATABASE_URL'] } };
    for (const { name, note } of connectClients(options).clients) {
      expect(note).toContain(`For stdio, also set DATABASE_URL in the environment that ${name} passes to the command.`);
    }
  });

  it('starts the command it is given', () => {
    const options = { ...hub, stdioCommand: { command: 'npx', args: ['-y', 'agent-zoo', 'mcp'] } };
    expect(JSON.parse(textOf(options, 'claude-desktop', 'Over stdio'))).toEqual({
      mcpServers: { 'agent-zoo': { command: 'npx', args: ['-y', 'agent-zoo', 'mcp'] } },
    });
  });
});

describe('the key of a client', () => {
  it('is in every snippet and link over HTTP, and in none over stdio', () => {
    for (const { id, snippets, link } of connectClients({ ...hub, key: 'zoo_client_secret' }).clients) {
      for (const { title, text } of snippets) {
        const isShared = title === 'For a whole project';
        expect([id, title, text.includes('zoo_client_secret')]).toEqual([
          id,
          title,
          text.includes(hubUrl) && !isShared,
        ]);
      }
      if (link) expect(link.text).toContain('zoo_client_secret');
    }
  });

  it('is a placeholder until one is made', () => {
    const { keyPlaceholder, clients } = connectClients(hub);
    for (const { snippets } of clients)
      for (const { title, text } of snippets)
        if (text.includes(hubUrl) && title !== 'For a whole project')
          expect(text).toContain(`Bearer ${keyPlaceholder}`);
  });

  it('is part of what is written into the file of every client with HTTP', () => {
    const entries = clientEntries({ ...hub, key: 'zoo_client_secret' });
    expect(entries.filter(({ hasKey }) => !hasKey).map(({ client }) => client.id)).toEqual(['claude-desktop']);
    for (const { entry, hasKey } of entries) expect(JSON.stringify(entry).includes('zoo_client_secret')).toBe(hasKey);
  });
});
