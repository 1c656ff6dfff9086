import type { Embedder } from '../../knowledge/embedder.ts';

/** `[embedding]` of the config. */
export interface EmbeddingSettings {
  provider: 'disabled' | 'local' | 'openai' | 'ollama' | 'openai-compatible';
  model?: string | undefined;
  dims?: number | undefined;
  batchSize: number;
  maxRetries: number;
  timeoutMs: number;
  url?: string | undefined;
  apiKey?: string | undefined;
}

export interface OpenedEmbedder extends Embedder {
  /** For people; empty where none is set. */
  readonly model: string;
}
