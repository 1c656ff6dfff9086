import { z } from 'zod';

/** The team's own tools are `mcp__mail__…` and so on: what a role may call of them must never mean a stranger's tool. */
const reservedNames = ['mail', 'agent', 'system', 'task', 'epic', 'orchestrator', 'supervisor'];

/** Whether a tool of this name would be taken for one of the team's, by people and by the rules of roles. */
export function isTeamToolName(name: string): boolean {
  const lower = name.toLowerCase();
  return reservedNames.some((reserved) => lower.startsWith(`mcp__${reserved}_`));
}

/** In characters. */
export const serverLimits = { name: 40, alias: 64, description: 10_000 } as const;

/** The header that carries an API key where none is named. */
export const usualKeyHeader = 'X-API-Key';

/** `__` separates server and tool in `mcp__{server}__{tool}`, so a name has none. */
export const ServerName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9])?$/,
    'must be 1–40 of a–z A–Z 0–9 _ - and begin and end with a letter or digit',
  )
  .refine((name) => !name.includes('__'), 'must not contain "__"')
  .refine(
    (name) => !reservedNames.includes(name.toLowerCase()),
    `must not be one of ${reservedNames.join(', ')}: the tools of the team are called so`,
  );

const secret = z.string().min(1).max(10_000);
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, 'must be the name of an HTTP header');
const headers = z.record(headerName, z.string().max(10_000));

/** How a server over HTTP knows who calls. */
export const ServerAuth = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('bearer'), token: secret }),
    z.strictObject({ type: z.literal('api-key'), key: secret, header: headerName.default(usualKeyHeader) }),
    z.strictObject({ type: z.literal('headers'), headers }),
    z.strictObject({
      type: z.literal('oauth'),
      clientId: z.string().min(1).max(2_000).optional(),
      clientSecret: secret.optional(),
      /** Without it, what the server asks for. */
      scope: z.string().min(1).max(2_000).optional(),
      /** `client-credentials` needs no person. */
      grant: z.enum(['authorization-code', 'client-credentials']).default('authorization-code'),
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
  /** Before each tool's name; null is `mcp__{server}__`. */
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{0,40}$/, 'must be at most 40 of A–Z a–z 0–9 _ . -')
    .refine((prefix) => !isTeamToolName(`${prefix}_`), 'must not be the beginning of names of the tools of the team')
    .nullable()
    .default(null),
  /** Remote names or `*` globs; null is all. */
  include: globs.nullable().default(null),
  exclude: globs.default([]),
  /**
   * `first-use` accepts what the server lists when it is first connected, and holds back what is new or changed later;
   * `ask` holds back the first list too; `always` accepts everything.
   */
  trust: z.enum(['first-use', 'ask', 'always']).default('first-use'),
  /** When it is connected: with the first call, or when the hub starts. */
  start: z.enum(['first-use', 'boot']).default('first-use'),
  /**
   * Remote names or `*` globs of tools that a person must approve before the engine calls them; one after `!` is excepted.
   * Null is all that are not read-only.
   */
  approve: globs.nullable().default(null),
  /** Without news for so long a call is given up; progress begins it anew. */
  timeoutMs: z.int().min(100).max(3_600_000).default(60_000),
  connectTimeoutMs: z.int().min(100).max(600_000).default(30_000),
  maxConcurrentCalls: z.int().min(1).max(1_000).default(32),
  /** Of one result. */
  maxOutputBytes: z.int().min(1_000).max(268_435_456).default(16_777_216),
  /** Of one message; the connection of a server that sends more is closed. */
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

/** One with `${VAR}` in it can be judged only when it is filled. */
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

/** What the hub must know of an external MCP server. `${VAR}` in strings is filled when it is connected. */
export const ServerDefinition = z.discriminatedUnion('transport', [
  StdioServer,
  z.strictObject({ transport: z.literal('sse'), ...http }),
  z.strictObject({ transport: z.literal('streamable-http'), ...http }),
]);
export type ServerDefinition = z.infer<typeof ServerDefinition>;
export type ServerDefinitionInput = z.input<typeof ServerDefinition>;
