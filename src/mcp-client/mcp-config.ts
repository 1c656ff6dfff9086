import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { parseWith } from '../base/validate.ts';
import { ServerDefinition } from '../servers/server-definition.ts';
import type { ToolTransformer } from './tool-transformer.ts';

const text = z.string().min(1);
const fields = z.record(z.string(), z.string());

/** Who calls, for servers over HTTP. `api_key` and `custom` are older names of `api-key` and `headers`. */
const MCPAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('bearer'), token: text }),
  z.strictObject({ type: z.enum(['api-key', 'api_key']), key: text, header: text.optional() }),
  z.strictObject({ type: z.enum(['headers', 'custom']), headers: fields }),
  z.strictObject({
    type: z.literal('oauth'),
    clientId: text.optional(),
    clientSecret: text.optional(),
    scope: text.optional(),
    grant: z.enum(['authorization-code', 'client-credentials']).optional(),
  }),
]);

/** `websocket` is an older name of `streamable-http`, `http` a short one. */
const Transport = z.enum(['stdio', 'sse', 'streamable-http', 'streamableHttp', 'http', 'websocket']);

const program = { command: text, args: z.array(z.string()).optional(), env: fields.optional(), cwd: text.optional() };
const address = { url: text, headers: fields.optional() };

/** A person is asked before a call: always, for these tools (remote names or `*` globs), or when the function says so. */
type Confirmation = boolean | readonly string[] | ((input: unknown, tool: string) => boolean | Promise<boolean>);

const common = {
  auth: MCPAuth.nullish(),
  /** Names as the server lists them, or `*` globs. */
  include: z.array(z.string()).readonly().nullish(),
  exclude: z.array(z.string()).readonly().nullish(),
  /** Before the name of each tool; without it the server's names are used as they are. */
  prefix: z.string().optional(),
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
  timeoutMs: z.number().optional(),
  connectTimeoutMs: z.number().optional(),
  maxConcurrentCalls: z.number().optional(),
  maxOutputBytes: z.number().optional(),
  maxMessageBytes: z.number().optional(),
};

const serverName = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !/[\p{Cc}]/u.test(name), 'must be one line');

/** An MCP server: how to reach it, who calls, and what of it to show. */
export const MCPConfig = z.strictObject({
  serverName,
  transport: Transport.optional(),
  connection: z.union([z.strictObject(program), z.strictObject(address)]),
  ...common,
});
export type MCPConfig = z.input<typeof MCPConfig>;

/** The same as `mcpServers` of Claude, Cursor and VS Code write it; keys of theirs that mean nothing here are left alone. */
const MCPServerEntry = z.looseObject({
  type: Transport.optional(),
  transport: Transport.optional(),
  command: text.optional(),
  args: z.array(z.string()).optional(),
  env: fields.nullish(),
  cwd: text.optional(),
  url: text.optional(),
  headers: fields.nullish(),
  ...common,
});
export type MCPServerEntry = z.input<typeof MCPServerEntry>;

/** What every part below works with. */
export interface NormalMCPConfig {
  serverName: string;
  definition: ServerDefinition;
  prefix: string;
  include: readonly string[] | null;
  exclude: readonly string[];
  transformers: readonly ToolTransformer[];
  requiresConfirmation: Confirmation | undefined;
}

/** Throws INVALID_CONFIG that names the server, the field and the rule; never a value. */
export function normalizeMCPConfig(config: MCPConfig | (MCPServerEntry & { serverName: string })): NormalMCPConfig {
  const name = parseWith(serverName, (config as Partial<MCPConfig> | null | undefined)?.serverName, {
    code: 'INVALID_CONFIG',
    what: 'serverName of an MCP server',
  });
  const what = `MCP server "${name}"`;
  // A union with a loose object is not narrowed by the key that tells its members apart.
  const flat = 'connection' in config ? flatten(config as MCPConfig, what) : config;
  const entry = parseWith(MCPServerEntry, flat, { code: 'INVALID_CONFIG', what });
  const transport = transportOf(entry, what);
  if (transport === 'stdio' && entry.auth) {
    throw new HubError(
      'INVALID_CONFIG',
      `${what}: auth is for servers with a url. A server that is a command gets its secrets by env.`,
    );
  }
  const limits = {
    timeoutMs: entry.timeoutMs,
    connectTimeoutMs: entry.connectTimeoutMs,
    maxConcurrentCalls: entry.maxConcurrentCalls,
    maxOutputBytes: entry.maxOutputBytes,
    maxMessageBytes: entry.maxMessageBytes,
  };
  const target =
    transport === 'stdio'
      ? { command: entry.command, args: entry.args, env: entry.env ?? undefined, cwd: entry.cwd }
      : { url: entry.url, headers: entry.headers ?? undefined, auth: toServerAuth(entry.auth) };
  return {
    serverName: name,
    definition: parseWith(ServerDefinition, { transport, ...target, ...limits }, { code: 'INVALID_CONFIG', what }),
    prefix: entry.prefix ?? '',
    include: entry.include ?? null,
    exclude: entry.exclude ?? [],
    transformers: entry.transformers ?? [],
    requiresConfirmation: entry.requiresConfirmation,
  };
}

/** The long shape as the short one. */
function flatten(config: MCPConfig, what: string): MCPServerEntry {
  const {
    serverName: _,
    connection,
    transport,
    ...rest
  } = parseWith(MCPConfig, config, {
    code: 'INVALID_CONFIG',
    what,
  });
  return { ...rest, ...connection, transport };
}

function transportOf(entry: z.output<typeof MCPServerEntry>, what: string): ServerDefinition['transport'] {
  const { command, url } = entry;
  const named = entry.transport ?? entry.type;
  if ((command === undefined) === (url === undefined)) {
    throw new HubError('INVALID_CONFIG', `${what}: give either a command (stdio) or a url (sse, streamable-http).`);
  }
  const transport = named === undefined ? (url === undefined ? 'stdio' : 'streamable-http') : plainName(named);
  if ((transport === 'stdio') === (command === undefined)) {
    const needs = transport === 'stdio' ? 'a command' : 'a url';
    throw new HubError('INVALID_CONFIG', `${what}: transport "${named}" needs ${needs}.`);
  }
  return transport;
}

function plainName(transport: z.output<typeof Transport>): ServerDefinition['transport'] {
  return transport === 'stdio' || transport === 'sse' ? transport : 'streamable-http';
}

function toServerAuth(auth: z.output<typeof MCPAuth> | null | undefined): object | null {
  if (!auth) return null;
  if (auth.type === 'api_key') return { ...auth, type: 'api-key' };
  return auth.type === 'custom' ? { ...auth, type: 'headers' } : auth;
}
