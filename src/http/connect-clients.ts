import type { Agent } from '../agents/agent.ts';
import { matchesAnyGlob } from '../base/glob.ts';
import type { ConnectBody, ConnectClient, ConnectSnippet } from './hub.contract.ts';

/** The command with which a client starts the hub on stdio. `--agent` and `--config` are appended as needed. */
export interface StdioCommand {
  command: string;
  args: readonly string[];
  /** The environment variables that name the database. Only names are shown, because the values are secrets. */
  needs?: readonly string[];
}

export interface ConnectOptions {
  /** The hub's address, without a trailing slash. */
  url: string;
  stdioCommand: StdioCommand;
  configFile: string | null;
  agent?: Pick<Agent, 'id' | 'name' | 'tools'> | undefined;
}

interface Target {
  /** The name of the server in the client's config. */
  name: string;
  description: string;
  url: string;
  command: string;
  args: string[];
  /** Whether a client without support for prompts can inject the agent with a tool. */
  hasInject: boolean;
}

/** Returns the links and snippets that connect each client to the hub or to one of its agents. */
export function connectClients(options: ConnectOptions): ConnectBody {
  const target = toTarget(options);
  const { needs = [] } = options.stdioCommand;
  const clients = [
    cursor(target),
    vsCode(target),
    claudeCode(target),
    claudeDesktop(target),
    codex(target),
    geminiCli(target),
    openCode(target),
    lmStudio(target),
    goose(target),
  ];
  return {
    agentId: options.agent?.id ?? null,
    url: target.url,
    command: target.command,
    args: target.args,
    clients: needs.length === 0 ? clients : clients.map((client) => withNeeds(client, needs)),
  };
}

function toTarget({ url, stdioCommand, configFile, agent }: ConnectOptions): Target {
  return {
    name: agent ? `agent-zoo-${agent.id}` : 'agent-zoo',
    description: agent ? `${agent.name}, an Agent Zoo agent` : 'All Agent Zoo agents',
    url: agent ? `${url}/mcp?agent=${encodeURIComponent(agent.id)}` : `${url}/mcp`,
    command: stdioCommand.command,
    args: [
      ...stdioCommand.args,
      ...(agent ? ['--agent', agent.id] : []),
      ...(configFile === null || namesConfig(stdioCommand) ? [] : ['--config', configFile]),
    ],
    hasInject: !agent || matchesAnyGlob(agent.tools, 'agent_zoo_inject'),
  };
}

/** A command with `--folder` finds the config there, and asks for trust as it would anywhere. */
function namesConfig({ args }: StdioCommand): boolean {
  return args.includes('--config') || args.includes('--folder');
}

/** Adds a note about environment variables: without them, the command would open another database. */
function withNeeds(client: ConnectClient, needs: readonly string[]): ConnectClient {
  const need = `For stdio, also set ${needs.join(' and ')} in the environment that ${client.name} passes to the command.`;
  return { ...client, note: client.note === null ? need : `${client.note} ${need}` };
}

function cursor(target: Target): ConnectClient {
  const { name, url } = target;
  return {
    id: 'cursor',
    name: 'Cursor',
    link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${base64Parameter({ url })}`,
    snippets: [
      json('Over HTTP', '~/.cursor/mcp.json', { mcpServers: { [name]: { url } } }),
      json('Over stdio', '~/.cursor/mcp.json', { mcpServers: { [name]: stdio(target) } }),
    ],
    note: null,
  };
}

function vsCode(target: Target): ConnectClient {
  const { name, url } = target;
  const server = { type: 'http', url };
  return {
    id: 'vscode',
    name: 'VS Code',
    link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...server }))}`,
    snippets: [
      json('Over HTTP', '.vscode/mcp.json', { servers: { [name]: server } }),
      json('Over stdio', '.vscode/mcp.json', { servers: { [name]: { type: 'stdio', ...stdio(target) } } }),
      shell('On the command line', ['code', '--add-mcp', JSON.stringify({ name, ...server })]),
    ],
    note: null,
  };
}

function claudeCode(target: Target): ConnectClient {
  const { name, url } = target;
  return {
    id: 'claude-code',
    name: 'Claude Code',
    link: null,
    snippets: [
      // Without a scope, the server would exist only in the current folder.
      shell('Over HTTP', ['claude', 'mcp', 'add', '--scope', 'user', '--transport', 'http', name, url]),
      shell('Over stdio', ['claude', 'mcp', 'add', '--scope', 'user', name, '--', target.command, ...target.args]),
      json('For a whole project', '.mcp.json', { mcpServers: { [name]: { type: 'http', url } } }),
    ],
    note: `Agents are also available as commands: /mcp__${name}__…`,
  };
}

function claudeDesktop(target: Target): ConnectClient {
  return {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    link: null,
    snippets: [json('Over stdio', 'claude_desktop_config.json', { mcpServers: { [target.name]: stdio(target) } })],
    note: 'To open the file, choose Settings → Developer → Edit Config. Restart Claude Desktop afterwards.',
  };
}

function codex(target: Target): ConnectClient {
  const { name, url } = target;
  const table = `[mcp_servers.${name}]`;
  const args = target.args.map((each) => JSON.stringify(each)).join(', ');
  return {
    id: 'codex',
    name: 'Codex',
    link: null,
    snippets: [
      shell('Over HTTP', ['codex', 'mcp', 'add', name, '--url', url]),
      shell('Over stdio', ['codex', 'mcp', 'add', name, '--', target.command, ...target.args]),
      toml('Over HTTP, in the file', `${table}\nurl = ${JSON.stringify(url)}\n`),
      toml('Over stdio, in the file', `${table}\ncommand = ${JSON.stringify(target.command)}\nargs = [${args}]\n`),
    ],
    note: toolsOnlyNote('Codex', target),
  };
}

function geminiCli(target: Target): ConnectClient {
  const { name, url } = target;
  return {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    link: null,
    snippets: [
      shell('Over HTTP', ['gemini', 'mcp', 'add', '--scope', 'user', '--transport', 'http', name, url]),
      json('Over HTTP, in the file', '~/.gemini/settings.json', { mcpServers: { [name]: { httpUrl: url } } }),
      json('Over stdio, in the file', '~/.gemini/settings.json', { mcpServers: { [name]: stdio(target) } }),
    ],
    note: 'Gemini CLI connects only in trusted folders. To trust a folder, run /permissions trust.',
  };
}

function openCode(target: Target): ConnectClient {
  const { name, url } = target;
  const file = (server: object) => ({ $schema: 'https://opencode.ai/config.json', mcp: { [name]: server } });
  const command = [target.command, ...target.args];
  return {
    id: 'opencode',
    name: 'opencode',
    link: null,
    snippets: [
      json('Over HTTP', 'opencode.json', file({ type: 'remote', url, enabled: true })),
      json('Over stdio', 'opencode.json', file({ type: 'local', command, enabled: true })),
    ],
    note: 'Put opencode.json in a project, or in ~/.config/opencode for all projects.',
  };
}

function lmStudio(target: Target): ConnectClient {
  const { name, url } = target;
  return {
    id: 'lm-studio',
    name: 'LM Studio',
    link: `lmstudio://add_mcp?name=${encodeURIComponent(name)}&config=${base64Parameter({ url })}`,
    snippets: [
      json('Over HTTP', 'mcp.json', { mcpServers: { [name]: { url } } }),
      json('Over stdio', 'mcp.json', { mcpServers: { [name]: stdio(target) } }),
    ],
    note: `To open the file, choose Program → Install → Edit mcp.json. ${toolsOnlyNote('LM Studio', target)}`,
  };
}

function goose(target: Target): ConnectClient {
  const { name, url, description } = target;
  const query = Object.entries({ url, type: 'streamable_http', id: name, name, description, timeout: '300' });
  const extension = (fields: string[]) => {
    const lines = ['enabled: true', ...fields, `name: ${JSON.stringify(name)}`, 'timeout: 300'];
    return `extensions:\n  ${name}:\n${lines.map((line) => `    ${line}\n`).join('')}`;
  };
  const args = JSON.stringify(target.args);
  return {
    id: 'goose',
    name: 'Goose',
    // URLSearchParams would encode spaces as plus signs, which Goose shows literally.
    link: `goose://extension?${query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')}`,
    snippets: [
      yaml('Over HTTP', extension(['type: streamable_http', `uri: ${JSON.stringify(url)}`])),
      yaml('Over stdio', extension(['type: stdio', `cmd: ${JSON.stringify(target.command)}`, `args: ${args}`])),
    ],
    note: null,
  };
}

/** The note for clients without support for prompts. */
function toolsOnlyNote(client: string, { hasInject }: Target): string {
  return hasInject
    ? `${client} does not support MCP prompts. Ask it to call agent_zoo_inject.`
    : `${client} does not support MCP prompts. It gets the agent's prompt as the server's instructions.`;
}

function stdio({ command, args }: Target): { command: string; args: string[] } {
  return { command, args };
}

function json(title: string, file: string, value: object): ConnectSnippet {
  return { title, file, language: 'json', text: `${JSON.stringify(value, null, 2)}\n` };
}

function toml(title: string, text: string): ConnectSnippet {
  return { title, file: '~/.codex/config.toml', language: 'toml', text };
}

function yaml(title: string, text: string): ConnectSnippet {
  return { title, file: '~/.config/goose/config.yaml', language: 'yaml', text };
}

function shell(title: string, words: readonly string[]): ConnectSnippet {
  return { title, file: null, language: 'shell', text: words.map(shellWord).join(' ') };
}

/** Quotes words with characters that shells interpret, such as the `?` in an agent's address. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function base64Parameter(value: object): string {
  return encodeURIComponent(Buffer.from(JSON.stringify(value), 'utf8').toString('base64'));
}
