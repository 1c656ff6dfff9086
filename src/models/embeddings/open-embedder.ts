import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { findEmbeddingServer } from './embedding-servers.ts';
import type { EmbeddingSettings, OpenedEmbedder } from './embedding-settings.ts';
import { openLocalEmbedder } from './local-embedder.ts';
import { openServerEmbedder } from './server-embedder.ts';

export interface EmbedderParts {
  env: (name: string) => string | undefined;
  clock: Clock;
  logger: Logger;
}

/**
 * Opens the configured embedder; returns undefined if embeddings are disabled. Loads nothing and sends nothing before the first text.
 * Invalid settings are logged, and every `embed` call rejects with the same message; everything else keeps working.
 */
export function openEmbedder(settings: EmbeddingSettings, parts: EmbedderParts): OpenedEmbedder | undefined {
  try {
    switch (settings.provider) {
      case 'disabled':
        return undefined;
      case 'local':
        return openLocalEmbedder(settings, { logger: parts.logger });
      case 'openai':
      case 'ollama':
      case 'openai-compatible':
        return openServerEmbedder(findEmbeddingServer(settings.provider, settings, parts.env), settings, parts);
    }
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    parts.logger.warn({ provider: settings.provider }, error.message);
    return unusableEmbedder(settings, error);
  }
}

/** An embedder whose every call rejects with the reason. */
export function unusableEmbedder(
  { provider, model, dims, batchSize }: EmbeddingSettings,
  error: HubError,
): OpenedEmbedder {
  return {
    key: `${provider}/${model ?? ''}/unusable`,
    model: model ?? '',
    dims: dims ?? 0,
    batchSize,
    embed: () => Promise.reject(error),
  };
}
