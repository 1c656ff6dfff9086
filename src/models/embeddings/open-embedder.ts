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
 * What turns text into vectors, or undefined where embeddings are disabled. Nothing is loaded or asked before the
 * first text. Settings that cannot work are said in the log and again by each `embed`: everything else goes on.
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
    return unusable(settings, error);
  }
}

function unusable({ provider, model, dims, batchSize }: EmbeddingSettings, error: HubError): OpenedEmbedder {
  return {
    key: `${provider}/${model ?? ''}/unusable`,
    model: model ?? '',
    dims: dims ?? 0,
    batchSize,
    embed: () => Promise.reject(error),
  };
}
