import { HubError } from '../../base/hub-error.ts';
import { isRecord } from '../../base/is-record.ts';
import { parseJson } from '../../base/json.ts';
import { type ServerDefinition, ServerName } from '../server-definition.ts';
import { readServerEntry } from './read-server-entry.ts';

export interface ClientConfig {
  servers: { name: string; definition: ServerDefinition }[];
  /** Why an entry was not imported, or only in part. The name is empty if the problem concerns the whole text. */
  problems: { name: string; message: string }[];
}

type Table = Record<string, unknown>;

/** Reads the servers in the config of Claude, Cursor, VS Code, Gemini, Zed or another client, or in one entry of it. Accepts comments and trailing commas. */
export function readClientConfig(text: string): ClientConfig {
  const config: ClientConfig = { servers: [], problems: [] };
  const document = parseDocument(text, config);
  return document === undefined ? config : readClientDocument(document, config);
}

/** Reads a parsed config; Codex writes TOML. */
export function readClientDocument(
  document: Record<string, unknown>,
  config: ClientConfig = { servers: [], problems: [] },
): ClientConfig {
  const entries = entriesOf(document);
  if (Object.keys(entries).length === 0) {
    config.problems.push({
      name: '',
      message: 'The text contains no servers. Expected "mcpServers", "mcp_servers", "servers" or a single server.',
    });
  }
  for (const [key, raw] of Object.entries(entries)) {
    const name = freeName(toServerName(key), config);
    const { definition, problems } = readServerEntry(raw);
    if (name !== key) config.problems.push({ name: key.slice(0, 80), message: `Imported as "${name}".` });
    if (problems.length > 0) config.problems.push({ name, message: `${problems.join('; ')}.` });
    if (definition) config.servers.push({ name, definition });
  }
  return config;
}

function parseDocument(text: string, { problems }: ClientConfig): Table | undefined {
  const clean = withoutComments(text.replace(/^\ufeff/, '')).trim();
  // A server that was copied out of a file has no braces around it.
  const whole = /^"(?:[^"\\]|\\.){1,200}"\s*:/.test(clean) ? `{${clean.replace(/,$/, '')}}` : clean;
  try {
    const value = parseJson(whole);
    if (isRecord(value)) return value;
    problems.push({ name: '', message: 'The text must be a JSON object.' });
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    problems.push({ name: '', message: error.message });
  }
  return undefined;
}

function entriesOf(document: Table): Table {
  const { mcp } = document;
  const candidates = [
    document.mcpServers,
    document.mcp_servers,
    document.servers,
    document['mcp.servers'],
    isRecord(mcp) ? (mcp.servers ?? mcp.mcpServers ?? mcp) : undefined,
    document.context_servers,
  ];
  const entries = candidates.find(isRecord);
  if (entries) return entries;
  if (isServer(document)) return { [nameOf(document)]: document };
  const servers = Object.entries(document).filter(([, value]) => isServer(value));
  return Object.fromEntries(servers);
}

function isServer(value: unknown): value is Table {
  return isRecord(value) && ['command', 'url', 'serverUrl', 'httpUrl'].some((key) => value[key] !== undefined);
}

/** Names an entry that has no key: by its `name`, its host, or the package that it starts. */
function nameOf(entry: Table): string {
  if (typeof entry.name === 'string' && entry.name !== '') return entry.name;
  const address = [entry.url, entry.serverUrl, entry.httpUrl].find((each) => typeof each === 'string');
  const host = typeof address === 'string' ? URL.parse(address)?.hostname : undefined;
  if (host) return host.split('.').find((part) => !['www', 'mcp', 'api'].includes(part)) ?? host;
  const words = [entry.command, entry.args].flat().filter((each) => typeof each === 'string');
  const started = words.slice(1).find((each) => !each.startsWith('-')) ?? words[0] ?? 'server';
  const last =
    started
      .replace(/(?<=.)@[^@/]*$/, '')
      .split(/[\\/]/)
      .at(-1) ?? '';
  return last.replace(/\.[a-z]{1,4}$/, '').replace(/^(?:mcp-)?server-|^mcp-|-mcp(?:-server)?$/g, '') || 'server';
}

/** Returns the valid server name that is closest to the given one. */
function toServerName(raw: string): string {
  if (ServerName.safeParse(raw).success) return raw;
  const name = raw
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/__+/g, '_')
    .slice(0, 40)
    .replace(/^[_-]+|[_-]+$/g, '');
  if (name === '') return 'server';
  return ServerName.safeParse(name).success ? name : `${name.slice(0, 32)}-server`;
}

function freeName(name: string, { servers }: ClientConfig): string {
  const isTaken = (each: string) => servers.some((server) => server.name === each);
  let free = name;
  for (let count = 2; isTaken(free); count += 1) free = `${name.slice(0, 36)}-${count}`;
  return free;
}

/** Removes comments and trailing commas from JSON. Keeps everything else, including line numbers. */
function withoutComments(text: string): string {
  const parts = text.match(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[^"/]+|\//g) ?? [];
  const clean = parts.map((part) => (part.startsWith('//') || part.startsWith('/*') ? ' ' : part)).join('');
  const again = clean.match(/"(?:[^"\\\n]|\\.)*"?|[^"]+/g) ?? [];
  return again.map((part) => (part.startsWith('"') ? part : part.replace(/,(\s*[}\]])/g, '$1'))).join('');
}
