import type { Agent } from '../agents/agent.ts';
import { type Entry, type EntryFields, type EntryFormat, entryText } from '../base/entry-text.ts';
import { matchesAnyGlob } from '../base/glob.ts';
import type { ConnectBody, ConnectClient, ConnectLink, ConnectSnippet } from './hub.contract.ts';

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
  /** What callers without a key may do. */
  anonymous: ConnectBody['anonymous'];
  /** The secret of a client's key. Default: a placeholder. */
  key?: string;
}

/** The entry for a client's config file that connects the client. */
export interface ClientEntry {
  client: ConnectClient;
  format: EntryFormat;
  entry: Entry;
  /** Whether the entry contains a key. */
  hasKey: boolean;
}

/** Stands in snippets for a key that does not exist yet. Not a valid key, whatever a client does with it. */
const keyPlaceholder = 'YOUR_KEY';

interface Target {
  /** The name of the server in the client's config. */
  name: string;
  description: string;
  url: string;
  /** The header that carries the key. */
  headers: { Authorization: string };
  command: string;
  args: string[];
  /** Whether a client without support for prompts can inject the agent with a tool. */
  hasInject: boolean;
}

/** The config file of a client, and the part of it that lists servers. */
interface ConfigPart {
  file: string;
  format: EntryFormat;
  section: string;
}

interface Setup {
  client: ConnectClient;
  part: ConfigPart;
  /** The server over HTTP; over stdio, if the client has no HTTP. */
  fields: EntryFields;
}

/** Returns the links and snippets that connect each client to the hub or to one of its agents. */
export function connectClients(options: ConnectOptions): ConnectBody {
  const target = toTarget(options);
  return {
    agentId: options.agent?.id ?? null,
    url: target.url,
    command: target.command,
    args: target.args,
    anonymous: options.anonymous,
    keyPlaceholder,
    clients: setups(options, target).map(({ client }) => client),
  };
}

/** Returns what to write into the config file of each client. */
export function clientEntries(options: ConnectOptions): ClientEntry[] {
  const target = toTarget(options);
  return setups(options, target).map(({ client, part: { format, section }, fields }) => ({
    client,
    format,
    entry: { section, name: target.name, fields },
    hasKey: JSON.stringify(fields).includes(target.headers.Authorization),
  }));
}

function setups({ stdioCommand: { needs = [] } }: ConnectOptions, target: Target): Setup[] {
  const all = [cursor, vsCode, claudeCode, claudeDesktop, codex, geminiCli, openCode, lmStudio, goose].map((each) =>
    each(target),
  );
  return needs.length === 0 ? all : all.map((setup) => ({ ...setup, client: withNeeds(setup.client, needs) }));
}

function toTarget({ url, stdioCommand, configFile, agent, key = keyPlaceholder }: ConnectOptions): Target {
  return {
    name: agent ? `agent-zoo-${agent.id}` : 'agent-zoo',
    description: agent ? `${agent.name}, an Agent Zoo agent` : 'All Agent Zoo agents',
    url: agent ? `${url}/mcp?agent=${encodeURIComponent(agent.id)}` : `${url}/mcp`,
    headers: { Authorization: `Bearer ${key}` },
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

function cursor(target: Target): Setup {
  const { name, url, headers } = target;
  const part = jsonPart('~/.cursor/mcp.json');
  const fields = { url, headers };
  return {
    part,
    fields,
    client: {
      id: 'cursor',
      name: 'Cursor',
      link: base64Link('cursor://anysphere.cursor-deeplink/mcp/install', name, fields),
      snippets: [
        inFile('Over HTTP', part, { name, fields }),
        inFile('Over stdio', part, { name, fields: stdio(target) }),
      ],
      note: null,
    },
  };
}

function vsCode(target: Target): Setup {
  const { name, url, headers } = target;
  const part = jsonPart('mcp.json', 'servers');
  const fields = { type: 'http', url, headers };
  return {
    part,
    fields,
    client: {
      id: 'vscode',
      name: 'VS Code',
      link: { start: 'vscode:mcp/install?', text: JSON.stringify({ name, ...fields }), encoding: 'plain' },
      snippets: [
        inFile('Over HTTP', part, { name, fields }),
        inFile('Over stdio', part, { name, fields: { type: 'stdio', ...stdio(target) } }),
        shell('On the command line', ['code', '--add-mcp', JSON.stringify({ name, ...fields })]),
      ],
      // The file of a project, .vscode/mcp.json, is often committed, and the key with it.
      note: 'To open the file, run “MCP: Open User Configuration” in VS Code.',
    },
  };
}

/** Claude Code reads it from the environment, so that the file can be committed. */
const keyVariable = 'AGENT_ZOO_KEY';

function claudeCode(target: Target): Setup {
  const { name, url, headers } = target;
  const fields = { type: 'http', url, headers };
  const header = `Authorization: ${headers.Authorization}`;
  const shared = { type: 'http', url, headers: { Authorization: `Bearer \${${keyVariable}}` } };
  return {
    part: jsonPart('~/.claude.json'),
    fields,
    client: {
      id: 'claude-code',
      name: 'Claude Code',
      link: null,
      snippets: [
        // Without a scope, the server would exist only in the current folder.
        shell('Over HTTP', [
          ...['claude', 'mcp', 'add', '--scope', 'user', '--transport', 'http', name, url],
          ...['--header', header],
        ]),
        shell('Over stdio', ['claude', 'mcp', 'add', '--scope', 'user', name, '--', target.command, ...target.args]),
        inFile('For a whole project', jsonPart('.mcp.json'), { name, fields: shared }),
      ],
      note: `Agents are also available as commands: /mcp__${name}__… In the file of a project, each person sets ${keyVariable} to a key of their own.`,
    },
  };
}

function claudeDesktop(target: Target): Setup {
  const part = jsonPart('claude_desktop_config.json');
  const fields = stdio(target);
  return {
    part,
    fields,
    client: {
      id: 'claude-desktop',
      name: 'Claude Desktop',
      link: null,
      snippets: [inFile('Over stdio', part, { name: target.name, fields })],
      note: 'To open the file, choose Settings → Developer → Edit Config. Restart Claude Desktop afterwards.',
    },
  };
}

function codex(target: Target): Setup {
  const { name, url, headers } = target;
  const part: ConfigPart = { file: '~/.codex/config.toml', format: 'toml', section: 'mcp_servers' };
  // The command "codex mcp add" accepts no headers.
  const fields = { url, http_headers: headers };
  return {
    part,
    fields,
    client: {
      id: 'codex',
      name: 'Codex',
      link: null,
      snippets: [
        inFile('Over HTTP', part, { name, fields }),
        shell('Over stdio', ['codex', 'mcp', 'add', name, '--', target.command, ...target.args]),
        inFile('Over stdio, in the file', part, { name, fields: stdio(target) }),
      ],
      note: toolsOnlyNote('Codex', target),
    },
  };
}

function geminiCli(target: Target): Setup {
  const { name, url, headers } = target;
  const part = jsonPart('~/.gemini/settings.json');
  const fields = { httpUrl: url, headers };
  const header = `Authorization: ${headers.Authorization}`;
  return {
    part,
    fields,
    client: {
      id: 'gemini-cli',
      name: 'Gemini CLI',
      link: null,
      snippets: [
        shell('Over HTTP', [
          ...['gemini', 'mcp', 'add', '--scope', 'user', '--transport', 'http'],
          ...['--header', header, name, url],
        ]),
        inFile('Over HTTP, in the file', part, { name, fields }),
        inFile('Over stdio, in the file', part, { name, fields: stdio(target) }),
      ],
      note: 'Gemini CLI connects only in trusted folders. To trust a folder, run /permissions trust.',
    },
  };
}

function openCode(target: Target): Setup {
  const { name, url, headers } = target;
  const part = jsonPart('opencode.json', 'mcp');
  const fields = { type: 'remote', url, headers, enabled: true };
  const command = [target.command, ...target.args];
  return {
    part,
    fields,
    client: {
      id: 'opencode',
      name: 'opencode',
      link: null,
      snippets: [
        inFile('Over HTTP', part, { name, fields }),
        inFile('Over stdio', part, { name, fields: { type: 'local', command, enabled: true } }),
      ],
      note: 'Put opencode.json in ~/.config/opencode. In a project, it would be committed with the key.',
    },
  };
}

function lmStudio(target: Target): Setup {
  const { name, url, headers } = target;
  const part = jsonPart('mcp.json');
  const fields = { url, headers };
  return {
    part,
    fields,
    client: {
      id: 'lm-studio',
      name: 'LM Studio',
      link: base64Link('lmstudio://add_mcp', name, fields),
      snippets: [
        inFile('Over HTTP', part, { name, fields }),
        inFile('Over stdio', part, { name, fields: stdio(target) }),
      ],
      note: `To open the file, choose Program → Install → Edit mcp.json. ${toolsOnlyNote('LM Studio', target)}`,
    },
  };
}

function goose(target: Target): Setup {
  const { name, url, headers, description, command } = target;
  const part: ConfigPart = { file: '~/.config/goose/config.yaml', format: 'yaml', section: 'extensions' };
  const query = Object.entries({ url, type: 'streamable_http', id: name, name, description, timeout: '300' });
  const extension = (own: EntryFields): EntryFields => ({ enabled: true, ...own, name, timeout: 300 });
  const fields = extension({ type: 'streamable_http', uri: url, headers });
  return {
    part,
    fields,
    client: {
      id: 'goose',
      name: 'Goose',
      link: {
        // URLSearchParams would encode spaces as plus signs, which Goose shows literally.
        start: `goose://extension?${query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')}&header=`,
        text: `Authorization=${headers.Authorization}`,
        encoding: 'plain',
      },
      snippets: [
        inFile('Over HTTP', part, { name, fields }),
        inFile('Over stdio', part, { name, fields: extension({ type: 'stdio', cmd: command, args: target.args }) }),
      ],
      note: null,
    },
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

function jsonPart(file: string, section = 'mcpServers'): ConfigPart {
  return { file, format: 'json', section };
}

function inFile(title: string, part: ConfigPart, entry: Pick<Entry, 'name' | 'fields'>): ConnectSnippet {
  const { file, format, section } = part;
  return { title, file, language: format, text: entryText(format, { section, ...entry }) };
}

function shell(title: string, words: readonly string[]): ConnectSnippet {
  return { title, file: null, language: 'shell', text: words.map(shellWord).join(' ') };
}

/** Quotes words with characters that shells interpret, such as the `?` in an agent's address. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function base64Link(address: string, name: string, fields: EntryFields): ConnectLink {
  const start = `${address}?name=${encodeURIComponent(name)}&config=`;
  return { start, text: JSON.stringify(fields), encoding: 'base64' };
}
