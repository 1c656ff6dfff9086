import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import { readServerEntry } from '../../servers/import/read-server-entry.ts';
import type { ServerDefinition } from '../../servers/server-definition.ts';
import type { ToolTransformer } from './mcp-tool-definition.ts';

const text = z.string().min(1);
const fields = z.record(z.string(), z.string());

const authTypes = ['bearer', 'api-key', 'api_key', 'headers', 'custom', 'oauth'] as const;

/** Credentials for servers over HTTP. `api_key` and `custom` are older names of `api-key` and `headers`. Other keys are ignored with a note. */
const MCPAuth = z
  .looseObject({
    type: z.enum(authTypes, 'must be bearer, api-key, headers or oauth'),
    token: text.nullish(),
    key: text.nullish(),
    header: text.nullish(),
    headers: fields.nullish(),
    clientId: text.nullish(),
    clientSecret: text.nullish(),
    scope: text.nullish(),
    grant: z.enum(['authorization-code', 'client-credentials']).nullish(),
  })
  .superRefine(({ type, token, key, headers }, context) => {
    const require = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (type === 'bearer' && token == null) require('token', 'is required for type "bearer"');
    if ((type === 'api-key' || type === 'api_key') && key == null && token == null) {
      require('token', `is required for type "${type}" (or "key")`);
    }
    if ((type === 'headers' || type === 'custom') && headers == null) {
      require('headers', `is required for type "${type}", such as {"X-Token": "…"}`);
    }
  });
/** The keys that each type of credentials reads. */
const authKeys: Record<(typeof authTypes)[number], readonly string[]> = {
  bearer: ['token'],
  'api-key': ['key', 'token', 'header'],
  api_key: ['key', 'token', 'header'],
  headers: ['headers'],
  custom: ['headers'],
  oauth: ['clientId', 'clientSecret', 'scope', 'grant'],
};

/** `websocket` and `http` are other names of `streamable-http`. */
const Transport = z.enum(['stdio', 'sse', 'streamable-http', 'streamableHttp', 'http', 'websocket']);

/** How to reach a server: a command, or a URL. Keys that nobody knows are ignored with a note. */
const Connection = z.looseObject({
  command: text.nullish(),
  args: z.array(z.string()).readonly().nullish(),
  env: fields.nullish(),
  cwd: text.nullish(),
  url: text.nullish(),
  headers: fields.nullish(),
});

/** When a call needs approval: always, for these tools (remote names or `*` globs), or when the function returns true. */
type Confirmation = boolean | readonly string[] | ((input: unknown, tool: string) => boolean | Promise<boolean>);

/** Which tools of the server are shown, and how. */
const presentation = {
  /** Remote names or `*` globs. */
  include: z.array(z.string()).readonly().nullish(),
  exclude: z.array(z.string()).readonly().nullish(),
  /** Added before each tool's name; by default, the server's names are used unchanged. */
  prefix: z.string().nullish(),
  transformers: z
    .array(
      z.custom<ToolTransformer>(
        (value) => typeof (value as Partial<ToolTransformer> | null)?.transform === 'function',
        'must have a function transform(tool)',
      ),
    )
    .readonly()
    .optional(),
  requiresConfirmation: z
    .custom<Confirmation>(
      (value) => typeof value === 'boolean' || typeof value === 'function' || Array.isArray(value),
      'must be true, false, a list of names, or a function',
    )
    .optional(),
};

const serverName = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !/[\p{Cc}]/u.test(name), 'must be one line');

/** An MCP server: how to reach it, its credentials, and which of its tools to show. */
export const MCPConfig = z.strictObject({
  serverName,
  transport: Transport.nullish(),
  connection: Connection,
  auth: MCPAuth.nullish(),
  timeoutMs: z.number().nullish(),
  connectTimeoutMs: z.number().nullish(),
  maxConcurrentCalls: z.number().nullish(),
  maxOutputBytes: z.number().nullish(),
  maxMessageBytes: z.number().nullish(),
  ...presentation,
});
export type MCPConfig = z.input<typeof MCPConfig>;

const Presentation = z.object(presentation);

/** A server as `mcpServers` of Claude, Cursor, VS Code and others describe it: `{command, args, env}` or `{url, type, headers}`. */
export interface MCPServerEntry extends z.input<typeof Presentation> {
  type?: string | null | undefined;
  transport?: string | null | undefined;
  command?: string | null | undefined;
  args?: readonly string[] | null | undefined;
  env?: Readonly<Record<string, string>> | null | undefined;
  cwd?: string | null | undefined;
  url?: string | null | undefined;
  headers?: Readonly<Record<string, string>> | null | undefined;
  auth?: z.input<typeof MCPAuth> | null | undefined;
  [key: string]: unknown;
}

/** A config in the form that the client and the service use. */
export interface NormalMCPConfig {
  serverName: string;
  definition: ServerDefinition;
  prefix: string;
  include: readonly string[] | null;
  exclude: readonly string[];
  transformers: readonly ToolTransformer[];
  requiresConfirmation: Confirmation | undefined;
  /** What was ignored, to show to the user. */
  notes: readonly string[];
}

/**
 * Returns a config in the long form, whichever form it has. A name in the config takes precedence. Throws INVALID_CONFIG that names the
 * server, the field and the rule, but no values.
 */
export function normalizeMCPConfig(
  serverName: string,
  config: MCPConfig | Omit<MCPConfig, 'serverName'> | MCPServerEntry,
): MCPConfig {
  const named = { serverName, ...dropUnset(config as MCPServerEntry) } as MCPServerEntry & { serverName: string };
  const { definition } = readMCPConfig(named);
  if ('connection' in named) return named as unknown as MCPConfig; // `readMCPConfig` checked it.
  const { command, args, env, cwd, headers } = named;
  const shared = Object.keys(MCPConfig.shape).filter((key) => key !== 'transport' && key in named);
  const connection =
    definition.transport === 'stdio'
      ? dropUnset({ command, args: args ?? [], env, cwd })
      : dropUnset({ url: definition.url, headers });
  return {
    ...Object.fromEntries(shared.map((key) => [key, named[key]])),
    serverName: named.serverName,
    transport: definition.transport,
    connection,
  };
}

/** Reads a config. Throws INVALID_CONFIG that names the server, the field and the rule, but no values. */
export function readMCPConfig(config: MCPConfig | (MCPServerEntry & { serverName: string })): NormalMCPConfig {
  const name = parseWith(serverName, (config as Partial<MCPConfig> | null | undefined)?.serverName, {
    code: 'INVALID_CONFIG',
    what: 'serverName of an MCP server',
  });
  const what = `MCP server "${name}"`;
  const isLong = 'connection' in config && config.connection !== undefined;
  const {
    serverName: _,
    transformers,
    requiresConfirmation,
    ...given
  } = isLong
    ? flatten(config as MCPConfig, what) // A union with a loose member is not narrowed by a key.
    : { ...config, ...parseWith(Presentation, config, { code: 'INVALID_CONFIG', what }) };
  const entry = dropUnset(given);
  checkTarget(entry, what);
  const { definition, problems } = readServerEntry(entry);
  if (!definition) throw new HubError('INVALID_CONFIG', `${what}: ${problems.join('; ')}`);
  const { prefix, include, exclude, approve } = definition;
  return {
    serverName: name,
    // Which tools are shown does not affect the connection: two views share one connection.
    definition: { ...definition, prefix: null, include: null, exclude: [], approve: null },
    prefix: prefix ?? '',
    include,
    exclude,
    transformers: transformers ?? [],
    requiresConfirmation: requiresConfirmation ?? approve ?? undefined,
    notes: [...problems, ...(isLong ? unreadAuth((config as MCPConfig).auth) : [])].map((note) => `${what}: ${note}`),
  };
}

/** Converts the long form to the short one. */
function flatten(config: MCPConfig, what: string): MCPServerEntry & { serverName: string } {
  const { connection, auth, ...rest } = parseWith(MCPConfig, config, { code: 'INVALID_CONFIG', what });
  const { transformers, requiresConfirmation, include, exclude, prefix, serverName, ...limits } = rest;
  return {
    ...dropUnset(connection),
    ...dropUnset(limits),
    ...{ transformers, requiresConfirmation, include, exclude, prefix, serverName },
    auth: auth && readAuth(auth),
  };
}

function readAuth(auth: z.output<typeof MCPAuth>): z.output<typeof MCPAuth> {
  const keys = authKeys[auth.type].filter((key) => auth[key] != null);
  return { type: auth.type, ...Object.fromEntries(keys.map((key) => [key, auth[key]])) };
}

/** Names the keys that are ignored, without their values. */
function unreadAuth(auth: MCPConfig['auth']): string[] {
  const unread = Object.entries(auth ?? {}).filter(
    ([key, value]) => auth && key !== 'type' && value != null && !authKeys[auth.type].includes(key),
  );
  return unread.map(([key]) => `auth.${key.slice(0, 80)}: is not used for type "${auth?.type}" and is ignored`);
}

/** Rejects contradictions: nothing in a config is ignored silently, least of all credentials. */
function checkTarget({ command, url, auth, transport, type }: MCPServerEntry, what: string): void {
  const named = transport ?? type;
  if (command !== undefined && url !== undefined) {
    throw new HubError('INVALID_CONFIG', `${what}: give either a command (stdio) or a url (sse, streamable-http).`);
  }
  if (named === 'stdio' && url !== undefined) {
    throw new HubError('INVALID_CONFIG', `${what}: transport "stdio" needs a command.`);
  }
  if (named !== undefined && named !== 'stdio' && command !== undefined) {
    throw new HubError('INVALID_CONFIG', `${what}: transport "${named}" needs a url.`);
  }
  if (command !== undefined && auth) {
    throw new HubError(
      'INVALID_CONFIG',
      `${what}: auth is only for servers with a url. Pass secrets to a command through env.`,
    );
  }
}

function dropUnset<T extends object>(entry: T): T {
  // Optional keys are left out.
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined && value !== null)) as T;
}
