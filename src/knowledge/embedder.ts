import { HubError } from '../base/hub-error.ts';

/** Text to vectors, on this machine or by a provider. */
export interface Embedder {
  /** Provider, model, and dimensions where config or the model's name tells them: vectors of another key are never compared with these. */
  readonly key: string;
  /** The length of a vector; 0 while only the server knows it and has not been asked. */
  readonly dims: number;
  readonly batchSize: number;
  /** One unit-length vector for each text, in order. Retries by itself. Throws TRANSIENT_ERROR, UNAVAILABLE, NOT_CONFIGURED, INVALID_CONFIG, CANCELLED. */
  embed(
    texts: readonly string[],
    options: { signal: AbortSignal; purpose: 'query' | 'document' },
  ): Promise<Float32Array[]>;
  close?(): Promise<void>;
}

/** Passages by meaning. */
export interface SemanticSearch {
  /** The nearest first. Only documents that `allows` accepts count, before the cut; it knows which are still there. Throws as `embed` does. */
  find(
    query: string,
    options: { limit: number; allows: (docNo: number) => boolean; signal: AbortSignal },
  ): Promise<SimilarChunk[]>;
}

export interface SimilarChunk {
  docNo: number;
  ordinal: number;
  /** Cosine, -1 to 1. */
  similarity: number;
}

/** The caller asked for what is not set up. It is nobody's fault: an error of the input, so it is never escalated. */
export function embeddingsDisabled(): HubError {
  return new HubError(
    'INVALID_ARGUMENTS',
    'Search by meaning needs embeddings, and none are set up. Set [embedding] provider = "local" (or openai, ollama, openai-compatible) in the config, then run "zoo sync".',
    { details: { reason: 'embeddings_disabled' } },
  );
}
