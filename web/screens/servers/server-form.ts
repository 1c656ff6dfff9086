import { slugify } from '../../../src/base/ids.ts';
import { fieldIssues } from '../../../src/base/validate.ts';
import {
  defaultKeyHeader,
  type ServerAuth,
  ServerDefinition,
  ServerName,
  serverLimits,
} from '../../../src/servers/server-definition.ts';
import { formatCommandLine, parseCommandLine } from './command-line.ts';

/** A name and value. Empty pairs are left out. */
export interface Pair {
  /** Identifies the row. */
  id: number;
  name: string;
  value: string;
}

export type AuthType = 'none' | ServerAuth['type'];

type OAuth = Extract<ServerAuth, { type: 'oauth' }>;
type TypedField =
  | 'commandLine'
  | 'cwd'
  | 'url'
  | 'token'
  | 'key'
  | 'keyHeader'
  | keyof Pick<OAuth, 'clientId' | 'clientSecret' | 'scope' | 'allowHosts'>
  | keyof Pick<ServerDefinition, 'include' | 'exclude'>
  | 'timeoutSeconds'
  | 'connectTimeoutSeconds'
  | keyof Pick<ServerDefinition, 'maxConcurrentCalls' | 'maxOutputBytes' | 'maxMessageBytes'>;

/** The edited definition. Typed values stay text until they are checked. */
export interface ServerForm
  extends Pick<ServerDefinition, 'transport' | 'prefix' | 'trust' | 'trustHints' | 'start' | 'enabled'>,
    Pick<OAuth, 'grant'>,
    Record<TypedField, string> {
  auth: AuthType;
  env: Pair[];
  authHeaders: Pair[];
  headers: Pair[];
  /** Null stands for the default: all tools, except read-only ones if the hints are trusted. */
  approve: string | null;
}

export type ServerProblems = { [field in keyof ServerForm]?: string };

/** Converts a definition to a form. Masked secrets stay masked and keep their value when saved. */
export function toForm(definition: ServerDefinition): ServerForm {
  const http = definition.transport === 'stdio' ? null : definition;
  const stdio = definition.transport === 'stdio' ? definition : null;
  const auth = http?.auth ?? null;
  return {
    transport: definition.transport,
    commandLine: stdio ? formatCommandLine(stdio.command, stdio.args) : '',
    env: toPairs(stdio?.env ?? {}),
    cwd: stdio?.cwd ?? '',
    url: http?.url ?? '',
    auth: auth?.type ?? 'none',
    token: auth?.type === 'bearer' ? auth.token : '',
    key: auth?.type === 'api-key' ? auth.key : '',
    keyHeader: auth?.type === 'api-key' ? auth.header : defaultKeyHeader,
    authHeaders: toPairs(auth?.type === 'headers' ? auth.headers : {}),
    headers: toPairs(http?.headers ?? {}),
    clientId: (auth?.type === 'oauth' && auth.clientId) || '',
    clientSecret: (auth?.type === 'oauth' && auth.clientSecret) || '',
    scope: (auth?.type === 'oauth' && auth.scope) || '',
    allowHosts: (auth?.type === 'oauth' && auth.allowHosts?.join(', ')) || '',
    grant: auth?.type === 'oauth' ? auth.grant : 'authorization-code',
    prefix: definition.prefix,
    trust: definition.trust,
    trustHints: definition.trustHints,
    start: definition.start,
    include: (definition.include ?? []).join('\n'),
    exclude: definition.exclude.join('\n'),
    approve: definition.approve === null ? null : definition.approve.join('\n'),
    timeoutSeconds: String(definition.timeoutMs / 1_000),
    connectTimeoutSeconds: String(definition.connectTimeoutMs / 1_000),
    maxConcurrentCalls: String(definition.maxConcurrentCalls),
    maxOutputBytes: String(definition.maxOutputBytes),
    maxMessageBytes: String(definition.maxMessageBytes),
    enabled: definition.enabled,
  };
}

/** Returns an empty form for a new server. */
export function newForm(transport: 'stdio' | 'streamable-http'): ServerForm {
  const empty = ServerDefinition.parse(
    transport === 'stdio' ? { transport, command: 'x' } : { transport, url: 'http://x' },
  );
  return { ...toForm(empty), commandLine: '', url: '' };
}

export type CheckedForm = { ok: true; definition: ServerDefinition } | { ok: false; problems: ServerProblems };

/** Returns the definition, or the problems by field. */
export function checkForm(form: ServerForm): CheckedForm {
  const problems: ServerProblems = {};
  const common = {
    prefix: form.prefix === null ? null : form.prefix.trim(),
    trust: form.trust,
    trustHints: form.trustHints,
    start: form.start,
    include: form.include.trim() === '' ? null : toGlobs(form.include),
    exclude: toGlobs(form.exclude),
    approve: form.approve === null ? null : toGlobs(form.approve),
    timeoutMs: seconds(form.timeoutSeconds),
    connectTimeoutMs: seconds(form.connectTimeoutSeconds),
    maxConcurrentCalls: number(form.maxConcurrentCalls),
    maxOutputBytes: number(form.maxOutputBytes),
    maxMessageBytes: number(form.maxMessageBytes),
    enabled: form.enabled,
  };
  if (form.transport === 'stdio') {
    const parsed = parseCommandLine(form.commandLine);
    if (!parsed.ok) problems.commandLine = parsed.problem;
    const env = fromPairs(form.env);
    if (!env.ok) problems.env = env.problem;
    if (!parsed.ok || !env.ok) return { ok: false, problems };
    const { command, args, env: inline } = parsed.line;
    const cwd = form.cwd.trim();
    return parse({
      transport: 'stdio',
      command,
      args,
      env: { ...inline, ...env.record },
      ...(cwd && { cwd }),
      ...common,
    });
  }
  const headers = fromPairs(form.headers);
  const authHeaders = fromPairs(form.authHeaders);
  if (form.url.trim() === '') problems.url = 'Enter a URL.';
  if (!headers.ok) problems.headers = headers.problem;
  if (form.auth === 'bearer' && form.token.trim() === '') problems.token = 'Enter a token.';
  if (form.auth === 'api-key' && form.key.trim() === '') problems.key = 'Enter a key.';
  if (form.auth === 'headers' && !authHeaders.ok) problems.authHeaders = authHeaders.problem;
  if (Object.keys(problems).length > 0 || !headers.ok || !authHeaders.ok) return { ok: false, problems };
  return parse({
    transport: form.transport,
    url: form.url.trim(),
    headers: headers.record,
    auth: authOf(form, authHeaders.record),
    ...common,
  });
}

/** Returns the problem with the name of a new server, or null. */
export function checkServerName(name: string, taken: readonly string[]): string | null {
  if (name === '') return 'Enter a name.';
  const checked = ServerName.safeParse(name);
  if (!checked.success) return `The name ${checked.error.issues[0]?.message ?? 'is invalid'}.`;
  return taken.includes(name) ? `A server named “${name}” already exists.` : null;
}

/** Suggests a name from the command or URL: `npx -y @scope/server-memory` → memory, `https://mcp.linear.app/sse` → linear. */
export function suggestServerName(form: ServerForm): string {
  const name = form.transport === 'stdio' ? nameOfCommand(form.commandLine) : nameOfUrl(form.url);
  return slugify(name)
    .replace(/_{2,}/g, '_')
    .slice(0, serverLimits.name)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
}

const runners = new Set([
  'npx',
  'bunx',
  'uvx',
  'pnpm',
  'yarn',
  'node',
  'python',
  'python3',
  'uv',
  'docker',
  'deno',
  'bun',
  'npm',
]);
const verbs = new Set(['run', 'exec', 'dlx', 'x', 'tool', 'start', 'serve']);

function nameOfCommand(text: string): string {
  const parsed = parseCommandLine(text);
  if (!parsed.ok) return '';
  const words = [parsed.line.command, ...parsed.line.args].filter((word) => !word.startsWith('-'));
  const word = words.find((each) => !runners.has(lastPart(each)) && !verbs.has(each)) ?? words[0] ?? '';
  const parts = word.split(/[\\/]/).filter(Boolean);
  // Skips generic names such as index.js.
  const last = parts.findLast((part) => !/^(index|main|server|cli|dist|build|src|bin)(\.\w+)?$/.test(part)) ?? word;
  return last
    .replace(/(?<=.)@.*$/, '')
    .replace(/\.(m?[jt]s|c[jt]s|py|exe|sh)$/, '')
    .replace(/^(mcp-server-|server-|mcp-)|(-mcp-server|-server|-mcp)$/g, '');
}

function nameOfUrl(text: string): string {
  if (!URL.canParse(text)) return '';
  const { hostname } = new URL(text);
  const parts = hostname.split('.').filter((part) => !/^(mcp|api|www|\d+)$/.test(part));
  return parts.length > 1 ? (parts.at(-2) ?? '') : (parts[0] ?? '');
}

function lastPart(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? '').replace(/\.exe$/, '');
}

function authOf(form: ServerForm, headers: Record<string, string>): ServerAuth | null {
  switch (form.auth) {
    case 'none':
      return null;
    case 'bearer':
      return { type: 'bearer', token: form.token.trim() };
    case 'api-key':
      return { type: 'api-key', key: form.key.trim(), header: form.keyHeader.trim() };
    case 'headers':
      return { type: 'headers', headers };
    case 'oauth': {
      const [clientId, clientSecret, scope] = [form.clientId.trim(), form.clientSecret.trim(), form.scope.trim()];
      const allowHosts = toGlobs(form.allowHosts);
      return {
        type: 'oauth',
        grant: form.grant,
        ...(clientId && { clientId }),
        ...(clientSecret && { clientSecret }),
        ...(scope && { scope }),
        ...(allowHosts.length > 0 && { allowHosts }),
      };
    }
  }
}

/** Maps schema paths to form fields where the names differ. */
const fieldOf: Record<string, keyof ServerForm> = {
  command: 'commandLine',
  args: 'commandLine',
  auth: 'auth',
  'auth.token': 'token',
  'auth.key': 'key',
  'auth.header': 'keyHeader',
  'auth.headers': 'authHeaders',
  'auth.clientId': 'clientId',
  'auth.clientSecret': 'clientSecret',
  'auth.scope': 'scope',
  'auth.allowHosts': 'allowHosts',
  timeoutMs: 'timeoutSeconds',
  connectTimeoutMs: 'connectTimeoutSeconds',
};

function parse(value: unknown): CheckedForm {
  const checked = ServerDefinition.safeParse(value);
  if (checked.success) return { ok: true, definition: checked.data };
  const problems: ServerProblems = {};
  for (const { path, message } of fieldIssues(checked.error)) {
    const [top = '', second = ''] = path.split(/[.[]/);
    // Other schema names are the same in the form.
    const field = fieldOf[`${top}.${second}`] ?? fieldOf[top] ?? (top as keyof ServerForm);
    problems[field] ??= sentence(field, message);
  }
  return { ok: false, problems };
}

function sentence(field: keyof ServerForm, message: string): string {
  if (field === 'url') return 'A URL must start with http:// or https://.';
  if (field === 'timeoutSeconds' || field === 'connectTimeoutSeconds') return 'Enter a number of seconds, such as 30.';
  if (message.startsWith('is not an accepted name')) {
    return field === 'env'
      ? 'Use letters, digits and _ in names. Do not start with a digit.'
      : 'Use valid HTTP header names.';
  }
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?!]$/.test(message) ? '' : '.'}`;
}

function toPairs(record: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(record).map(([name, value], id) => ({ id, name, value }));
}

function fromPairs(
  pairs: readonly Pair[],
): { ok: true; record: Record<string, string> } | { ok: false; problem: string } {
  const record: Record<string, string> = {};
  for (const { name, value } of pairs) {
    const key = name.trim();
    if (key === '' && value === '') continue;
    if (key === '') return { ok: false, problem: 'Enter a name for each value.' };
    if (Object.hasOwn(record, key)) return { ok: false, problem: `“${key}” appears twice.` };
    record[key] = value;
  }
  return { ok: true, record };
}

/** Splits patterns at line breaks and commas. */
function toGlobs(text: string): string[] {
  return [...new Set(text.split(/[,\n]/).map((glob) => glob.trim()))].filter((glob) => glob !== '');
}

function seconds(text: string): number {
  return Math.round(number(text) * 1_000);
}

function number(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.replaceAll('_', ''));
}
