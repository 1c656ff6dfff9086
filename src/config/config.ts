import { z } from 'zod';
import { isAddressRange, isLoopbackHost } from '../base/address-ranges.ts';
import { PeerName, WebhookName } from '../base/entry-names.ts';
import { AnonymousRight } from '../callers/callers.ts';
import { ModelName, ProviderName, ProviderType } from '../models/language-models.ts';
import { parseBind } from './bind.ts';

/** A table that is read later or passed on unchanged. */
const table = z.record(z.string(), z.unknown());

const postgresUrl = /^postgres(ql)?:\/\//;

const DbConfig = z.looseObject({
  /** The SQLite file. */
  path: z.string().min(1).optional(),
  /** PostgreSQL. Overrides `path`. */
  url: z.string().regex(postgresUrl, 'must begin with postgres:// or postgresql://').optional(),
  /** An address of the same PostgreSQL that leads past a pooler, for LISTEN. */
  listen_url: z.string().regex(postgresUrl, 'must begin with postgres:// or postgresql://').optional(),
  /** A NATS server that carries notices of changes instead of LISTEN. */
  bus_url: z
    .string()
    .regex(/^(nats|tls):\/\//, 'must begin with nats:// or tls://')
    .optional(),
  /** The connections to PostgreSQL that this process has at most. */
  max_connections: z.int().min(3).max(500).optional(),
  /** Whether statements are prepared. Unless set, they are if there is no pooler. */
  prepare: z.boolean().optional(),
});

const ServerConfig = z
  .looseObject({
    bind: z
      .string()
      .refine((value) => parseBind(value) !== undefined, 'must be HOST:PORT, such as 127.0.0.1:7331')
      .default('127.0.0.1:7331'),
    anonymous: AnonymousRight.default('use'),
    /** How long a hub that was told to stop still serves while /ready is 503. Default: 0, or 5 if others can reach it. */
    drain_seconds: z.number().min(0).max(600).optional(),
    /** PEM files. With them, the hub serves HTTPS. */
    cert: z.string().min(1).optional(),
    key: z.string().min(1).optional(),
    /** The address that browsers and clients use, if it is not the one that the hub listens on. */
    public_url: z
      .string()
      .refine(isOrigin, 'must be an address without a path, such as https://zoo.example')
      .optional(),
    /** The proxies that may connect, and whose X-Forwarded headers count. */
    trusted_proxies: z
      .array(
        z
          .string()
          .refine(isAddressRange, 'must be an IP address or a range, such as 10.0.0.0/8')
          .refine((range) => !range.endsWith('/0'), 'must not cover every address: name the proxies or their network'),
      )
      .max(100)
      .default([]),
    /** Requests per second of one caller, beyond loopback. 0 turns the limit off. */
    caller_limit: z.number().min(0).max(100_000).default(100),
    /** Requests per second from one address, beyond loopback. 0 turns the limit off. */
    address_limit: z.number().min(0).max(100_000).default(200),
    /** Wrong credentials per minute from one address, beyond loopback. 0 turns the limit off. */
    failure_limit: z.number().min(0).max(100_000).default(10),
  })
  .superRefine(({ cert, key, public_url, trusted_proxies }, { addIssue }) => {
    const missing = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
    if (cert === undefined && key !== undefined) missing('key', 'needs "cert", the file with the certificate');
    if (cert !== undefined && key === undefined) missing('cert', 'needs "key", the file with the private key');
    if (cert !== undefined && public_url?.toLowerCase().startsWith('http:') && trusted_proxies.length === 0)
      missing('public_url', 'must begin with https://, because the hub serves HTTPS with "cert" and "key"');
    else if (public_url !== undefined && isReadable(public_url))
      missing(
        'public_url',
        'must begin with https://, because keys and conversations sent over http could be read on the network: let the proxy serve HTTPS, or set "cert" and "key"',
      );
    if (public_url !== undefined && cert === undefined && trusted_proxies.length === 0)
      missing('public_url', 'needs "trusted_proxies", the addresses of the proxies that serve it, or "cert" and "key"');
    if (trusted_proxies.length > 0 && public_url === undefined)
      missing('trusted_proxies', 'needs "public_url", the address that the proxies serve');
  });

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return url.pathname === '/' && !/[?#@]/.test(text);
}

/** Whether others could read what is sent to an address. */
function isReadable(origin: string): boolean {
  const url = URL.parse(origin);
  return url?.protocol === 'http:' && !isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
}

const positive = (max: number) => z.int().min(1).max(max);

const ChunkingConfig = z.looseObject({
  /** The maximum size of a passage in estimated tokens. */
  max_tokens: z.int().min(32).max(8_192).default(700),
  /** The number of tokens that a passage repeats from the previous one. */
  overlap_tokens: z.int().min(0).max(4_096).default(80),
});

export const RetrievalConfig = z.looseObject({
  /** The weight of meaning against words in a hybrid search, from 0 to 1. */
  hybrid_alpha: z.number().min(0).max(1).default(0.4),
  candidate_k_keyword: positive(1_000).default(80),
  candidate_k_vector: positive(1_000).default(80),
  final_limit: positive(100).default(12),
  // Settings of Context Harness that have no effect there either.
  group_by: z.unknown().optional(),
  doc_agg: z.unknown().optional(),
  max_chunks_per_doc: z.unknown().optional(),
});

const EmbeddingConfig = z.looseObject({
  provider: z.enum(['disabled', 'local', 'openai', 'ollama', 'openai-compatible']).default('disabled'),
  model: z.string().min(1).max(200).optional(),
  dims: positive(8_192).optional(),
  batch_size: positive(2_048).default(64),
  max_retries: z.int().min(0).max(20).default(5),
  timeout_secs: z.number().positive().max(600).default(30),
  url: z.url().optional(),
  api_key: z.string().optional(),
  /** Where vectors are compared: in this process, or in PostgreSQL with the extension pgvector. */
  index: z.enum(['memory', 'pgvector']).default('memory'),
});

const fileGlobs = z.array(z.string().min(1).max(500)).max(200);

export const FilesystemConnectorConfig = z.looseObject({
  root: z.string().min(1),
  include_globs: fileGlobs.optional(),
  exclude_globs: fileGlobs.optional(),
  follow_symlinks: z.boolean().default(false),
  /** Whether to apply .gitignore, .ignore and .zooignore. */
  ignore_files: z.boolean().default(true),
  max_extract_bytes: z.int().min(1).max(1_073_741_824).default(50_000_000),
  tags: z.array(z.string().min(1).max(200)).max(50).default([]),
});
export type FilesystemConnectorConfig = z.infer<typeof FilesystemConnectorConfig>;

export const GitConnectorConfig = z.looseObject({
  /** An http, https or ssh address, or a path. */
  url: z.string().min(1),
  /** Default: the default branch of the remote. */
  branch: z.string().min(1).optional(),
  /** A folder inside the repository. */
  root: z.string().default(''),
  include_globs: fileGlobs.optional(),
  exclude_globs: fileGlobs.optional(),
  shallow: z.boolean().default(true),
  /** Whether to apply .gitignore, .ignore and .zooignore. */
  ignore_files: z.boolean().default(true),
  /** The private hosts that the repository may be at. */
  allow_hosts: z.array(z.string().min(1)).max(100).default([]),
  /** The folder for the clone. */
  cache_dir: z.string().min(1).optional(),
  max_extract_bytes: z.int().min(1).max(1_073_741_824).default(50_000_000),
  tags: z.array(z.string().min(1).max(200)).max(50).default([]),
});
export type GitConnectorConfig = z.infer<typeof GitConnectorConfig>;

export const S3ConnectorConfig = z.looseObject({
  bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/i, 'must be the name of a bucket'),
  /** The beginning of the keys to read. Globs match what follows it. */
  prefix: z.string().max(1_024).default(''),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/i, 'must be a region, such as us-east-1')
    .default('us-east-1'),
  /** The address of a service that is compatible with S3. Its keys contain the bucket: `ENDPOINT/BUCKET/KEY`. */
  endpoint_url: z.url({ protocol: /^https?$/ }).optional(),
  include_globs: fileGlobs.optional(),
  exclude_globs: fileGlobs.optional(),
  max_extract_bytes: z.int().min(1).max(1_073_741_824).default(50_000_000),
  tags: z.array(z.string().min(1).max(200)).max(50).default([]),
});
export type S3ConnectorConfig = z.infer<typeof S3ConnectorConfig>;

/** All other keys are passed to the script. */
export const ScriptConfig = z.looseObject({
  path: z.string().min(1),
  /** Seconds. */
  timeout: z.number().positive().max(3_600).default(30),
  /** The environment variables that `env.get` may read. */
  allow_env: z.array(z.string().min(1)).max(100).default([]),
  /** The private addresses that `http.*` may reach. */
  allow_hosts: z.array(z.string().min(1)).max(100).default([]),
});
export type ScriptConfig = z.infer<typeof ScriptConfig>;

const dollars = z.number().min(0).max(1_000_000);

/** `[providers.NAME]`: a provider of models, in addition to those in the environment. */
const ProviderConfig = z.looseObject({
  /** Default: that of a provider with this name, if the section sets no address; otherwise openai-compatible. */
  type: ProviderType.optional(),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  api_key: z.string().min(1).max(10_000).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** US dollars per million tokens, by model: `[providers.NAME.prices."gpt-5"]`. A cost budget requires it. */
  prices: z
    .record(z.string(), z.looseObject({ input: dollars, output: dollars, cached_input: dollars.optional() }))
    .optional(),
});

export const ProvidersConfig = z.record(ProviderName, ProviderConfig);
export type ProvidersConfig = z.infer<typeof ProvidersConfig>;

/** How agents run. */
const EngineConfig = z.looseObject({
  /** The default model of agents: `provider/model`. */
  model: ModelName.optional(),
  /** The maximum number of model calls in one run. */
  max_ticks: z.int().min(1).max(1_000).default(10),
  /** The budgets of one run. */
  max_tokens: z.int().min(1).optional(),
  max_cost: z.number().positive().optional(),
  /** What happens to calls that can send or destroy something, after a run has read text from outside. */
  after_untrusted: z.enum(['ask', 'allow', 'deny']).default('ask'),
  /** Whether agents ask before they write to their memory. */
  ask_before_memory: z.boolean().default(false),
});

/** `[a2a.peers.NAME]`: a remote agent that speaks A2A. */
const PeerConfig = z.looseObject({
  /** The address of its card, or the part before `/.well-known/agent-card.json`. */
  url: z.url({ protocol: /^https?$/ }),
  /** Sent as `Authorization: Bearer …`. */
  bearer: z.string().min(1).max(10_000).optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(10_000)).default({}),
});

const A2aConfig = z.looseObject({
  peers: z.record(PeerName, PeerConfig).default({}),
});

const toolGlobs = z.array(z.string().min(1).max(200)).max(1_000);

/** `[permissions.WORKER] allow, deny`: each list replaces the default one. */
const RulesConfig = z.looseObject({ allow: toolGlobs.optional(), deny: toolGlobs.optional() });

const PermissionsConfig = z.looseObject({
  SUPERVISOR: RulesConfig.prefault({}),
  ORCHESTRATOR: RulesConfig.prefault({}),
  WORKER: RulesConfig.prefault({}),
});

const seconds = (max: number) => z.number().min(1).max(max);
const week = 7 * 24 * 3_600;

const TeamConfig = z.looseObject({
  /** A member with a task in progress is stalled if it makes no call for this long. Its task is returned. */
  stalled_after_secs: seconds(week).default(1_800),
  /** A task that waits this long (pending, in review, blocked) is escalated. */
  waiting_after_secs: seconds(4 * week).default(86_400),
  /** A repeated failure within this time is counted, not mailed again. */
  escalation_window_secs: seconds(week).default(600),
  /** How often the hub looks for stalled members and tasks. */
  reconcile_every_secs: seconds(3_600).default(30),
});

const LogConfig = z.looseObject({
  /** Older entries are deleted. Default: everything is kept. */
  keep_days: z.number().positive().max(36_500).optional(),
  /** Environment variables whose values are never written, in addition to those whose names suggest a secret. */
  secret_env: z.array(z.string().min(1).max(200)).max(200).default([]),
  /** The name of a webhook, from `[events.webhooks]`, that also receives the anchors of the log. */
  anchor_webhook: z.string().min(1).max(50).optional(),
});

const WebhookConfig = z.looseObject({
  url: z.url({ protocol: /^https?$/ }),
  /** Signs every delivery. */
  secret: z
    .string()
    .min(8)
    .max(500)
    .refine((text) => /^(?!whsec_)|^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text), 'must be base64 after whsec_'),
  /** Default: all events. */
  events: z.array(z.string().min(1).max(100)).max(50).optional(),
});

export const EventsConfig = z.looseObject({
  webhooks: z.record(WebhookName, WebhookConfig).default({}),
  inngest: z
    .looseObject({
      event_key: z.string().min(1).max(500),
      url: z.url({ protocol: /^https?$/ }).default('https://inn.gs'),
    })
    .optional(),
});
export type EventsConfig = z.infer<typeof EventsConfig>;

/** `[chats]` and `[runs]`: how long conversations are kept. */
const HistoryConfig = z.looseObject({
  /** Conversations without new messages for this long are deleted. 0, the default, keeps all. */
  keep_days: z.number().min(0).max(36_500).optional(),
});

/** `[workspace]`: the folder that the config belongs to. */
const WorkspaceConfig = z.looseObject({
  /** The id of the agent that clients are offered first. */
  agent: z.string().min(1).max(64).optional(),
});

/** `[context]`: what agents may name in `context_refs`. */
const ContextConfig = z.looseObject({
  /** Folders beside the config's own. */
  folders: z.array(z.string().min(1).max(4_096)).max(100).default([]),
  /** The private hosts that may be read. */
  allow_hosts: z.array(z.string().min(1)).max(100).default([]),
});

/** The sections of `zoo.toml` and of a Context Harness `ctx.toml`. Agents, connectors and script tools are validated one by one by their sources. */
export const Config = z.looseObject({
  db: DbConfig.default({}),
  server: ServerConfig.prefault({}),
  agents: table.default({}),
  chunking: ChunkingConfig.prefault({}),
  retrieval: RetrievalConfig.prefault({}),
  embedding: EmbeddingConfig.prefault({}),
  connectors: table.default({}),
  tools: table.default({}),
  mcp_servers: table.optional(),
  mcpServers: table.optional(),
  permissions: PermissionsConfig.prefault({}),
  providers: ProvidersConfig.prefault({}),
  engine: EngineConfig.prefault({}),
  a2a: A2aConfig.prefault({}),
  team: TeamConfig.prefault({}),
  log: LogConfig.prefault({}),
  chats: HistoryConfig.prefault({}),
  runs: HistoryConfig.prefault({}),
  events: EventsConfig.prefault({}),
  context: ContextConfig.prefault({}),
  workspace: WorkspaceConfig.prefault({}),
  // Sections of Context Harness.
  registries: z.unknown().optional(),
  vector_index: z.unknown().optional(),
});
export type Config = z.infer<typeof Config>;

/** The known keys, to find typing mistakes. Sections that are not listed accept any key. */
export const knownKeys: { root: readonly string[]; sections: Record<string, readonly string[]> } = {
  root: Object.keys(Config.shape),
  sections: {
    db: Object.keys(DbConfig.shape),
    server: Object.keys(ServerConfig.shape),
    chunking: Object.keys(ChunkingConfig.shape),
    retrieval: Object.keys(RetrievalConfig.shape),
    embedding: Object.keys(EmbeddingConfig.shape),
    permissions: Object.keys(PermissionsConfig.shape),
    team: Object.keys(TeamConfig.shape),
    log: Object.keys(LogConfig.shape),
    chats: Object.keys(HistoryConfig.shape),
    runs: Object.keys(HistoryConfig.shape),
    events: Object.keys(EventsConfig.shape),
    engine: Object.keys(EngineConfig.shape),
    a2a: Object.keys(A2aConfig.shape),
    context: Object.keys(ContextConfig.shape),
    workspace: Object.keys(WorkspaceConfig.shape),
  },
};
