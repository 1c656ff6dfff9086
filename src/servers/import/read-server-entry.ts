import { isRecord } from '../../base/is-record.ts';
import { nearest } from '../../base/nearest.ts';
import { fieldIssues } from '../../base/validate.ts';
import { ServerDefinition, type ServerDefinitionInput } from '../server-definition.ts';

export interface ReadEntry {
  /** Undefined if the entry cannot be used. */
  definition: ServerDefinition | undefined;
  /** What is wrong or was left out, each with its key, to show to the user. */
  problems: string[];
}

type Entry = Record<string, unknown>;

/** For each field that is copied as it is: its names in other clients and in our own config. */
const fields: Record<string, readonly string[]> = {
  cwd: ['cwd'],
  prefix: ['prefix'],
  include: ['include', 'includeTools', 'enabled_tools', 'tools'],
  exclude: ['exclude', 'excludeTools', 'disabled_tools', 'disabledTools'],
  start: ['start'],
  approve: ['approve'],
  trustHints: ['trustHints', 'trust_hints'],
  timeoutMs: ['timeoutMs', 'timeout_ms'],
  connectTimeoutMs: ['connectTimeoutMs', 'connect_timeout_ms', 'startup_timeout_ms'],
  maxConcurrentCalls: ['maxConcurrentCalls', 'max_concurrent_calls'],
  maxOutputBytes: ['maxOutputBytes', 'max_output_bytes'],
  maxMessageBytes: ['maxMessageBytes', 'max_message_bytes'],
  enabled: ['enabled'],
};
/** Fields that are given in seconds. */
const seconds: Record<string, readonly string[]> = {
  timeoutMs: ['timeout_secs', 'tool_timeout_sec'],
  connectTimeoutMs: ['connect_timeout_secs', 'startup_timeout_sec'],
};
const addresses = ['url', 'serverUrl', 'httpUrl', 'uri'];
const stdioKeys = ['command', 'args', 'env', 'environment', 'envFile', 'env_vars', 'cwd'];
const httpKeys = [
  ...addresses,
  'headers',
  'http_headers',
  'env_http_headers',
  'auth',
  'oauth',
  'bearer_token',
  'bearer_token_env_var',
];
/** Descriptive fields, which are ignored silently. */
const descriptiveKeys = ['name', 'title', 'description', 'version', 'gallery', 'icon', '$schema', 'note', 'notes'];
const otherKeys = ['type', 'transport', 'transportType', 'timeout', 'disabled', 'trust', 'alwaysAllow', 'autoApprove'];
const known = new Set(
  [...Object.values(fields), ...Object.values(seconds), stdioKeys, httpKeys, descriptiveKeys, otherKeys].flat(),
);

/** Reads one server as Claude, Cursor, VS Code, Gemini, Codex, Zed or our own config writes it. */
export function readServerEntry(raw: unknown): ReadEntry {
  if (!isRecord(raw)) return { definition: undefined, problems: ['must be a table with "command" or "url"'] };
  const problems: string[] = [];
  const entry = translateVariables(flattenCommand(raw), problems);
  const transport = transportOf(entry);
  if (transport === undefined) {
    const type = entry.type ?? entry.transport ?? entry.transportType;
    const supported = 'stdio, sse, streamable-http (or http)';
    problems.push(
      type === undefined ? needsOne(entry) : `type: "${String(type).slice(0, 40)}" is unknown; use ${supported}`,
    );
    return { definition: undefined, problems };
  }
  const definition = {
    transport,
    ...(transport === 'stdio' ? readStdio(entry, problems) : readHttp(entry, problems)),
    ...readCommon(entry, problems),
  };
  problems.push(...unknownKeyProblems(entry));
  const result = ServerDefinition.safeParse(definition as ServerDefinitionInput);
  if (result.success) return { definition: result.data, problems };
  const issues = fieldIssues(result.error).map(({ path, message }) => asWritten(entry, path, message));
  return { definition: undefined, problems: [...problems, ...issues] };
}

function needsOne(entry: Entry): string {
  const unknown = unknownKeyProblems(entry).join('; ');
  return `needs "command" or "url"${unknown && ` (${unknown})`}`;
}

/** Suggests the key that was probably meant. */
function unknownKeyProblems(entry: Entry): string[] {
  const unknown = Object.keys(entry).filter((key) => !known.has(key));
  return unknown.slice(0, 20).map((key) => {
    const near = nearest(key, [...known]);
    return `${key.slice(0, 80)}: is unknown and ignored${near === undefined ? '' : `; did you mean "${near}"?`}`;
  });
}

/** Names the field as the entry does, because its author wrote `timeout_secs`, not `timeoutMs`. */
function asWritten(entry: Entry, path: string, message: string): string {
  if (path === '') return message;
  const [field = '', ...rest] = path.split(/(?=[.[])/);
  const inSeconds = seconds[field]?.find((key) => entry[key] !== undefined);
  if (inSeconds !== undefined) {
    return `${inSeconds}: must be a number of seconds from 0.1 to ${field === 'timeoutMs' ? 3_600 : 600}`;
  }
  const written = [...(fields[field] ?? [field]), field === 'timeoutMs' ? 'timeout' : field].find(
    (key) => entry[key] !== undefined,
  );
  return `${[written ?? field, ...rest].join('')}: ${message}`;
}

/** Zed has `command: {path, args, env}`, opencode one list. */
function flattenCommand(entry: Entry): Entry {
  const { command } = entry;
  if (Array.isArray(command)) return { ...entry, command: command[0], args: command.slice(1) };
  if (!isRecord(command)) return entry;
  const { path, ...rest } = command;
  return { ...entry, ...rest, command: path };
}

const transports: Record<string, ServerDefinition['transport']> = {
  stdio: 'stdio',
  local: 'stdio',
  sse: 'sse',
  http: 'streamable-http',
  remote: 'streamable-http',
  streamablehttp: 'streamable-http',
  websocket: 'streamable-http',
  ws: 'streamable-http',
};

function transportOf(entry: Entry): ServerDefinition['transport'] | undefined {
  const named = entry.transport ?? entry.type ?? entry.transportType;
  if (typeof named === 'string') {
    const word = named.toLowerCase().replace(/[^a-z]/g, '');
    return Object.hasOwn(transports, word) ? transports[word] : undefined;
  }
  if (entry.command !== undefined) return 'stdio';
  if (entry.httpUrl !== undefined) return 'streamable-http';
  const address = addresses.map((key) => entry[key]).find((value) => value !== undefined);
  if (address === undefined) return undefined;
  return /\/sse\/?(?:\?|$)/.test(String(address)) ? 'sse' : 'streamable-http';
}

function readStdio(entry: Entry, problems: string[]): Entry {
  for (const key of httpKeys)
    if (entry[key] !== undefined) problems.push(`${key}: does not apply to a command and is ignored`);
  if (entry.envFile !== undefined) problems.push('envFile: is not supported; put its variables into "env"');
  const passed = Array.isArray(entry.env_vars) ? entry.env_vars.filter((each) => typeof each === 'string') : [];
  const env = {
    ...Object.fromEntries(passed.map((name) => [name, `\${${name}}`])),
    ...toTexts(entry.env ?? entry.environment),
  };
  return {
    command: entry.command,
    ...(entry.args !== undefined && { args: entry.args }),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

function readHttp(entry: Entry, problems: string[]): Entry {
  for (const key of stdioKeys)
    if (entry[key] !== undefined && key !== 'cwd') problems.push(`${key}: does not apply to a URL and is ignored`);
  const fromVariables = isRecord(entry.env_http_headers)
    ? Object.entries(entry.env_http_headers).map(([header, variable]) => [header, `\${${String(variable)}}`])
    : [];
  const headers = { ...toTexts(entry.headers ?? entry.http_headers), ...Object.fromEntries(fromVariables) };
  const auth = readEntryAuth(entry, problems);
  return {
    url: addresses.map((key) => entry[key]).find((value) => value !== undefined),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(auth !== undefined && { auth }),
  };
}

function readCommon(entry: Entry, problems: string[]): Entry {
  const common: Entry = {};
  const isHttp = entry.command === undefined;
  for (const [field, keys] of Object.entries(fields)) {
    const key = keys.find((each) => entry[each] !== undefined);
    if (key !== undefined && !(isHttp && field === 'cwd')) common[field] = entry[key];
  }
  for (const [field, keys] of Object.entries(seconds)) {
    const value = keys.map((key) => entry[key]).find((value) => value !== undefined);
    if (value !== undefined) common[field] = typeof value === 'number' ? Math.round(value * 1_000) : value;
  }
  // Some clients give seconds here, others milliseconds. A timeout below a second makes no sense, so values below 1,000 are seconds.
  const { timeout } = entry;
  if (typeof timeout === 'number' && common.timeoutMs === undefined)
    common.timeoutMs = Math.round(timeout < 1_000 ? timeout * 1_000 : timeout);
  if (Array.isArray(common.include) && common.include.includes('*')) common.include = null;
  if (entry.disabled === true) common.enabled = false;
  // In Gemini's config, `trust: true` means that no call needs approval.
  if (typeof entry.trust === 'boolean') {
    if (entry.trust) common.approve = [];
  } else if (entry.trust !== undefined) common.trust = entry.trust;
  readApprovalFree(entry, common, problems);
  return common;
}

/** Reads lists of tools that need no approval. Our definition lists the opposite, so only "all" can be translated. */
function readApprovalFree(entry: Entry, common: Entry, problems: string[]): void {
  for (const key of ['alwaysAllow', 'autoApprove']) {
    const approvalFree = entry[key];
    if (approvalFree === true || (Array.isArray(approvalFree) && approvalFree.includes('*'))) common.approve = [];
    else if (Array.isArray(approvalFree) && approvalFree.length > 0)
      problems.push(`${key}: turn off approval for each of these tools: ${approvalFree.slice(0, 20).join(', ')}`);
  }
}

/** Numbers and booleans are sometimes written without quotes. */
function toTexts(value: unknown): Entry {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null && each !== undefined)
      .map(([key, each]) => [key, typeof each === 'number' || typeof each === 'boolean' ? String(each) : each]),
  );
}

/** Reads the credentials for a server over HTTP as Codex, Cursor, Gemini or our own config write them. */
function readEntryAuth(entry: Entry, problems: string[]): unknown {
  const variable = entry.bearer_token_env_var;
  if (typeof variable === 'string') return { type: 'bearer', token: `\${${variable}}` };
  if (typeof entry.bearer_token === 'string') return { type: 'bearer', token: entry.bearer_token };
  const { auth, oauth } = entry;
  if (auth === 'oauth' || oauth === true) return { type: 'oauth' };
  if (isRecord(oauth) && oauth.enabled !== false) return readOAuth(oauth);
  if (!isRecord(auth)) {
    if (auth !== undefined && auth !== null) problems.push('auth: must be a table with "type"; it is ignored');
    return undefined;
  }
  const type = typeof auth.type === 'string' ? auth.type.toLowerCase().replace(/[^a-z0-9]/g, '') : undefined;
  if (type === 'bearer') return { ...auth, type: 'bearer' };
  if (type === 'apikey') {
    const { api_key: apiKey, token, ...rest } = auth;
    const key = rest.key ?? apiKey ?? token;
    return { ...rest, type: 'api-key', ...(key !== undefined && { key }) };
  }
  if (type === 'headers' || type === 'custom') return { ...auth, type: 'headers' };
  if (type === 'oauth' || type === 'oauth2' || (type === undefined && clientIdOf(auth) !== undefined))
    return readOAuth(auth);
  // The schema reports what is allowed.
  return auth;
}

function readOAuth(raw: Entry): Entry {
  const { scope, scopes, grant } = raw;
  const scopeValue = scope ?? scopes;
  const clientSecret = raw.clientSecret ?? raw.client_secret ?? raw.CLIENT_SECRET;
  const allowHosts = raw.allowHosts ?? raw.allow_hosts;
  return {
    type: 'oauth',
    ...(clientIdOf(raw) !== undefined && { clientId: clientIdOf(raw) }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scopeValue !== undefined && { scope: Array.isArray(scopeValue) ? scopeValue.join(' ') : scopeValue }),
    ...(typeof grant === 'string' && { grant: grant.replaceAll('_', '-') }),
    ...(allowHosts !== undefined && { allowHosts }),
  };
}

function clientIdOf(raw: Entry): unknown {
  return raw.clientId ?? raw.client_id ?? raw.CLIENT_ID;
}

/** Variables that only an editor can fill in. */
const editorVariables = /^(?:workspaceFolder|workspaceFolderBasename|workspaceRoot|file|fileDirname|command)$/;

/** Translates other clients' variables to `${VAR}`. A variable without a counterpart becomes a problem that names its key. */
function translateVariables(entry: Entry, problems: string[]): Entry {
  return translate(entry, []) as Entry;

  function translate(value: unknown, path: readonly string[]): unknown {
    if (typeof value === 'string') return value.includes('${') ? translateText(value, path.join('.')) : value;
    if (path.length > 10) return value;
    if (Array.isArray(value)) return value.map((each, index) => translate(each, [...path, String(index)]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, translate(each, [...path, key])]));
  }

  function translateText(text: string, key: string): string {
    return text.replace(/\$\{([^}:]+)(?::([^}-][^}]*))?\}/g, (whole, kind: string, name: string | undefined) => {
      if (kind === 'env' && name !== undefined) return `\${${name}}`;
      if (kind === 'input' && name !== undefined) {
        const variable = toVariable(name);
        problems.push(`${key}: asks the user for "${name}"; set the environment variable ${variable} instead`);
        return `\${${variable}}`;
      }
      if (kind === 'userHome') return `\${HOME}`;
      if (kind === 'pathSeparator' || kind === '/') return '/';
      if (editorVariables.test(kind))
        problems.push(`${key}: only an editor can fill in ${whole}; write the value instead`);
      return whole;
    });
  }
}

function toVariable(name: string): string {
  const variable = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return /^[0-9]/.test(variable) ? `_${variable}` : variable;
}
