import { z } from 'zod';

const positive = (most: number) => z.int().min(1).max(most);

export const ChunkingConfig = z.looseObject({
  /** Estimated tokens of a passage at most. */
  max_tokens: z.int().min(32).max(8_192).default(700),
  /** Tokens that a passage repeats of the one before it. */
  overlap_tokens: z.int().min(0).max(4_096).default(80),
});

export const RetrievalConfig = z.looseObject({
  /** Weight of meaning against words in a hybrid search, 0 to 1. */
  hybrid_alpha: z.number().min(0).max(1).default(0.4),
  candidate_k_keyword: positive(1_000).default(80),
  candidate_k_vector: positive(1_000).default(80),
  final_limit: positive(100).default(12),
});

export const EmbeddingConfig = z.looseObject({
  provider: z.enum(['disabled', 'local', 'openai', 'ollama', 'openai-compatible']).default('disabled'),
  model: z.string().min(1).max(200).optional(),
  dims: positive(8_192).optional(),
  batch_size: positive(2_048).default(64),
  max_retries: z.int().min(0).max(20).default(5),
  timeout_secs: z.number().positive().max(600).default(30),
  url: z.url().optional(),
  api_key: z.string().optional(),
});
export type EmbeddingConfig = z.infer<typeof EmbeddingConfig>;

const globs = z.array(z.string().min(1).max(500)).max(200);

export const FilesystemConnectorConfig = z.looseObject({
  root: z.string().min(1),
  include_globs: globs.optional(),
  exclude_globs: globs.optional(),
  follow_symlinks: z.boolean().default(false),
  /** Whether .gitignore, .ignore and .zooignore count. */
  ignore_files: z.boolean().default(true),
  max_extract_bytes: z.int().min(1).max(1_073_741_824).default(20_000_000),
  tags: z.array(z.string().min(1).max(200)).max(50).default([]),
});
export type FilesystemConnectorConfig = z.infer<typeof FilesystemConnectorConfig>;

export const GitConnectorConfig = z.looseObject({
  /** Anything that git can clone. */
  url: z.string().min(1),
  /** The remote's own default when left out. */
  branch: z.string().min(1).optional(),
  /** A folder inside the repository. */
  root: z.string().default(''),
  include_globs: globs.optional(),
  exclude_globs: globs.optional(),
  shallow: z.boolean().default(true),
  /** Whether .gitignore, .ignore and .zooignore count. */
  ignore_files: z.boolean().default(true),
  /** Where the clone is kept. */
  cache_dir: z.string().min(1).optional(),
  max_extract_bytes: z.int().min(1).max(1_073_741_824).default(20_000_000),
  tags: z.array(z.string().min(1).max(200)).max(50).default([]),
});
export type GitConnectorConfig = z.infer<typeof GitConnectorConfig>;

/** Every key that is not one of these reaches the script. */
export const ScriptConfig = z.looseObject({
  path: z.string().min(1),
  /** Seconds. */
  timeout: z.number().positive().max(3_600).default(30),
  /** Names that `env.get` may read. */
  allow_env: z.array(z.string().min(1)).max(100).default([]),
  /** Private addresses that `http.*` may reach. */
  allow_hosts: z.array(z.string().min(1)).max(100).default([]),
});
export type ScriptConfig = z.infer<typeof ScriptConfig>;
