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
  /** The model's name for the user; empty if none is set. */
  readonly model: string;
}
