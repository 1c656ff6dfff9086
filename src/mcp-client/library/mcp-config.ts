import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import { readServerEntry } from '../../servers/import/read-server-entry.ts';
import type { ServerDefinition } from '../../servers/server-definition.ts';
import type { ToolTransformer } from './mcp-tool-definition.ts';

const text = z.string().min(1);
const fields = z.record(z.string(), z.string());

/** Credentials for servers over HTTP. `api_key` and `custom` are older names of `api-key` and `headers`. */
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

/** `websocket` and `http` are other names of `streamable-http`. */
const Transport = z.enum(['stdio', 'sse', 'streamable-http', 'streamableHttp', 'http', 'websocket']);

const program = { command: text, args: z.array(z.string()).optional(), env: fields.optional(), cwd: text.optional() };
const address = { url: text, headers: fields.optional() };

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
  transport: Transport.optional(),
  connection: z.union([z.strictObject(program), z.strictObject(address)]),
  auth: MCPAuth.nullish(),
  timeoutMs: z.number().optional(),
  connectTimeoutMs: z.number().optional(),
  maxConcurrentCalls: z.number().optional(),
  maxOutputBytes: z.number().optional(),
  maxMessageBytes: z.number().optional(),
  ...presentation,
});
export type MCPConfig = z.input<typeof MCPConfig>;

const Presentation = z.object(presentation);

/** A server as `mcpServers` of Claude, Cursor, VS Code and others describe it: `{command, args, env}` or `{url, type, headers}`. */
export interface MCPServerEntry extends z.input<typeof Presentation> {
  type?: string | undefined;
  transport?: string | undefined;
  command?: string | undefined;
  args?: readonly string[] | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  cwd?: string | undefined;
  url?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
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

/** Normalizes a config. Throws INVALID_CONFIG that names the server, the field and the rule, but no values. */
export function normalizeMCPConfig(config: MCPConfig | (MCPServerEntry & { serverName: string })): NormalMCPConfig {
  const name = parseWith(serverName, (config as Partial<MCPConfig> | null | undefined)?.serverName, {
    code: 'INVALID_CONFIG',
    what: 'serverName of an MCP server',
  });
  const what = `MCP server "${name}"`;
  const {
    serverName: _,
    transformers,
    requiresConfirmation,
    ...entry
  } = 'connection' in config
    ? flatten(config as MCPConfig, what) // A union with a loose member is not narrowed by a key.
    : { ...config, ...parseWith(Presentation, config, { code: 'INVALID_CONFIG', what }) };
  checkTarget(entry, what);
  const { definition, problems } = readServerEntry(dropUnset(entry));
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
    notes: problems.map((problem) => `${what}: ${problem}`),
  };
}

/** Converts the long form to the short one. */
function flatten(config: MCPConfig, what: string): MCPServerEntry & { serverName: string } {
  const { connection, ...rest } = parseWith(MCPConfig, config, { code: 'INVALID_CONFIG', what });
  return { ...rest, ...connection };
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

function dropUnset(entry: MCPServerEntry): MCPServerEntry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined && value !== null));
}
