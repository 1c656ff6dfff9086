import { z } from 'zod';

/** The team's tools are named `mcp__mail__…` and so on. A rule that allows one of them must never match a foreign tool. */
const reservedNames = ['mail', 'agent', 'system', 'task', 'epic', 'orchestrator', 'supervisor'];

/** Tells whether users and permission rules would mistake this name for a team tool. */
export function isTeamToolName(name: string): boolean {
  const lower = name.toLowerCase();
  return reservedNames.some((reserved) => lower.startsWith(`mcp__${reserved}_`));
}

/** Maximum lengths, in characters. */
export const serverLimits = { name: 40, alias: 64, description: 10_000 } as const;

/** The header for an API key if the definition names none. */
export const defaultKeyHeader = 'X-API-Key';

/** A name must not contain `__`, which separates server and tool in `mcp__{server}__{tool}`. */
export const ServerName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9])?$/,
    'must be 1–40 characters from a–z A–Z 0–9 _ - and start and end with a letter or digit',
  )
  .refine((name) => !name.includes('__'), 'must not contain "__"')
  .refine(
    (name) => !reservedNames.includes(name.toLowerCase()),
    `must not be one of ${reservedNames.join(', ')}: these names are reserved for team tools`,
  );

const secret = z.string().min(1).max(10_000);
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, 'must be the name of an HTTP header');
const headers = z.record(headerName, z.string().max(10_000));

/** The credentials for a server over HTTP. */
export const ServerAuth = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('bearer'), token: secret }),
    z.strictObject({ type: z.literal('api-key'), key: secret, header: headerName.default(defaultKeyHeader) }),
    z.strictObject({ type: z.literal('headers'), headers }),
    z.strictObject({
      type: z.literal('oauth'),
      clientId: z.string().min(1).max(2_000).optional(),
      clientSecret: secret.optional(),
      /** Without it, the hub requests the scope that the server asks for. */
      scope: z.string().min(1).max(2_000).optional(),
      /** `client-credentials` needs no user interaction. */
      grant: z.enum(['authorization-code', 'client-credentials']).default('authorization-code'),
      /** Private hosts that signing in may reach, such as a company's own sign-in server. */
      allowHosts: z.array(z.string().min(1).max(300)).max(100).optional(),
    }),
  ],
  'must be one of bearer, api-key, headers and oauth',
);
export type ServerAuth = z.infer<typeof ServerAuth>;

const globs = z.array(z.string().min(1).max(200)).max(500);
const line = z
  .string()
  .max(10_000)
  .refine((value) => !/[\0\r\n]/.test(value), 'must be one line');
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must be the name of an environment variable');

const common = {
  /** Added before each tool's name; null means `mcp__{server}__`. */
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{0,40}$/, 'must be at most 40 characters from A–Z a–z 0–9 _ . -')
    .refine((prefix) => !isTeamToolName(`${prefix}_`), 'must not be the beginning of team tool names')
    .nullable()
    .default(null),
  /** Remote names or `*` globs; null means all. */
  include: globs.nullable().default(null),
  exclude: globs.default([]),
  /**
   * `first-use` accepts the tools of the first connection, and holds tools that are new or changed later.
   * `ask` also holds the tools of the first connection. `always` accepts everything.
   */
  trust: z.enum(['first-use', 'ask', 'always']).default('first-use'),
  /** Whether the server's hints count: tools that it calls read-only then need no approval. */
  trustHints: z.boolean().default(false),
  /** Connects with the first call, or when the hub starts. */
  start: z.enum(['first-use', 'boot']).default('first-use'),
  /**
   * Remote names or `*` globs of tools that need approval before the engine calls them; `!` excludes a name or glob.
   * Null means all tools, except read-only ones if the hub trusts the server's hints.
   */
  approve: globs.nullable().default(null),
  /** A call fails after this time without an answer; progress restarts the timer. */
  timeoutMs: z.int().min(100).max(3_600_000).default(60_000),
  connectTimeoutMs: z.int().min(100).max(600_000).default(30_000),
  maxConcurrentCalls: z.int().min(1).max(1_000).default(32),
  /** The maximum size of one result. */
  maxOutputBytes: z.int().min(1_000).max(268_435_456).default(16_777_216),
  /** The maximum size of one message. A server that sends more is disconnected. */
  maxMessageBytes: z.int().min(1_000).max(268_435_456).default(33_554_432),
  enabled: z.boolean().default(true),
};

const StdioServer = z.strictObject({
  transport: z.literal('stdio'),
  command: line.min(1),
  args: z
    .array(
      z
        .string()
        .max(100_000)
        .refine((value) => !value.includes('\0'), 'must not contain NUL'),
    )
    .max(1_000)
    .default([]),
  env: z.record(variable, z.string().max(100_000)).default({}),
  cwd: line.min(1).optional(),
  ...common,
});

/** A URL with `${VAR}` can be checked only after it is filled in. */
const httpAddress = z.union(
  [
    z.url({ protocol: /^https?$/ }).max(10_000),
    z
      .string()
      .max(10_000)
      .regex(/^[^\s]*\$\{[A-Za-z_]/),
  ],
  'must be an address that begins with http:// or https://',
);

const http = {
  url: httpAddress,
  headers: headers.default({}),
  auth: ServerAuth.nullable().default(null),
  ...common,
};

/** How to run or reach an external MCP server, and how to use its tools. `${VAR}` in strings is filled in when the hub connects. */
export const ServerDefinition = z.discriminatedUnion('transport', [
  StdioServer,
  z.strictObject({ transport: z.literal('sse'), ...http }),
  z.strictObject({ transport: z.literal('streamable-http'), ...http }),
]);
export type ServerDefinition = z.infer<typeof ServerDefinition>;
export type ServerDefinitionInput = z.input<typeof ServerDefinition>;
