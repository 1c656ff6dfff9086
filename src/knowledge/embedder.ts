import { HubError } from '../base/hub-error.ts';

interface EmbedRequest {
  signal: AbortSignal;
  purpose: 'query' | 'document';
  /** Texts per request to a server, instead of `batchSize`. */
  batchSize?: number;
}

/** Turns texts into vectors, on this machine or through a provider. */
export interface Embedder {
  /** Provider, model and, if known from the config or the model's name, dimensions. Vectors with different keys are never compared. */
  readonly key: string;
  /** The length of a vector; 0 until the server has reported it. */
  readonly dims: number;
  readonly batchSize: number;
  /** Returns one unit-length vector per text, in order. Retries on its own. Throws TRANSIENT_ERROR, UNAVAILABLE, NOT_CONFIGURED, INVALID_CONFIG, CANCELLED. */
  embed(texts: readonly string[], options: EmbedRequest): Promise<Float32Array[]>;
  close?(): Promise<void>;
}

/** Finds passages by meaning. */
export interface SemanticSearch {
  /** Returns the nearest passages of allowed documents, best first. Throws like `embed`. */
  find(query: string, options: SimilarQuery): Promise<SimilarChunk[]>;
}

export interface SimilarQuery {
  limit: number;
  /** Accepts visible documents that pass the caller's filters. */
  allows: (docNo: number) => boolean;
  /** The same documents as a set; absent if the caller has no filters. */
  only?: ReadonlySet<number> | undefined;
  signal: AbortSignal;
}

export interface SimilarChunk {
  docNo: number;
  ordinal: number;
  /** Cosine similarity, -1 to 1. */
  similarity: number;
}

/** Returns the error for a semantic search without embeddings. */
export function embeddingsDisabled(): HubError {
  return new HubError(
    'EMBEDDINGS_DISABLED',
    'Search by meaning needs embeddings, which are disabled. Set [embedding] provider = "local" (or openai, ollama, openai-compatible) in the config, then run "zoo sync"; or choose them in the web app, under Models.',
  );
}
