import { z } from 'zod';
import { A2aConfig } from './a2a-config.ts';
import { parseBind } from './bind.ts';
import { HistoryConfig } from './history-config.ts';
import { ChunkingConfig, EmbeddingConfig, RetrievalConfig } from './knowledge-config.ts';
import { EngineConfig, ProvidersConfig } from './providers-config.ts';
import { EventsConfig, LogConfig, PermissionsConfig, TeamConfig } from './team-config.ts';

/** A table this version reads later or hands on as it is. */
const table = z.record(z.string(), z.unknown());

const DbConfig = z.looseObject({
  /** The SQLite file. */
  path: z.string().min(1).optional(),
  /** PostgreSQL; wins over `path`. */
  url: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional(),
});

const ServerConfig = z.looseObject({
  bind: z
    .string()
    .refine((value) => parseBind(value) !== undefined, 'must be HOST:PORT, such as 127.0.0.1:7331')
    .default('127.0.0.1:7331'),
});

/** The sections of `zoo.toml` and of a Context Harness `ctx.toml`. Agents, connectors and script tools are checked one by one, by their source. */
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
});
export type Config = z.infer<typeof Config>;

/** What a person probably mistyped when it is not in here. Sections left out take any key. */
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
  },
};
