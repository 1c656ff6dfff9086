import { HubError } from '../../base/hub-error.ts';
import type { ProviderAccess } from '../language-models.ts';
import { findEmbeddingServer } from './embedding-servers.ts';
import {
  type ChosenEmbeddingParts,
  type EmbeddingSettings,
  type OpenedEmbedder,
  providerOf,
} from './embedding-settings.ts';
import { openEmbedder, unusableEmbedder } from './open-embedder.ts';
import { openServerEmbedder } from './server-embedder.ts';

type Limits = Pick<EmbeddingSettings, 'batchSize' | 'maxRetries' | 'timeoutMs'>;

/** Opens the embedder of the config; undefined if it disables embeddings. */
export function openConfigured({
  configured,
  lookUp,
  clock,
  logger,
}: ChosenEmbeddingParts): OpenedEmbedder | undefined {
  return openEmbedder(configured, { env: lookUp, clock, logger });
}

/** A choice that cannot be used now, for instance without its key, says so when it is asked. */
export async function openOrExplain(parts: ChosenEmbeddingParts, chosen: string): Promise<OpenedEmbedder> {
  try {
    return await openChosen(parts, chosen);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    parts.logger.warn({ embedding: chosen }, error.message);
    return unusableEmbedder({ provider: 'openai-compatible', model: chosen, ...limitsOf(parts) }, error);
  }
}

/** Opens "local", or `provider/model`. Throws INVALID_ARGUMENTS and NOT_CONFIGURED. */
export async function openChosen(parts: ChosenEmbeddingParts, chosen: string): Promise<OpenedEmbedder> {
  const { clock, logger } = parts;
  const limits = limitsOf(parts);
  if (chosen === 'local') {
    const embedder = openEmbedder({ provider: 'local', ...limits }, { env: () => undefined, clock, logger });
    if (embedder) return embedder;
  }
  const provider = providerOf(chosen);
  const model = chosen.slice(provider.length + 1);
  if (provider === '' || model === '') {
    const message = `"${chosen}" is not an embedding model. Use provider/model, like openai/text-embedding-3-small, or "local".`;
    throw new HubError('INVALID_ARGUMENTS', message);
  }
  const access = await parts.access(provider);
  let opened = { access, embedder: openServer(parts, access, model) };
  return {
    key: opened.embedder.key,
    model,
    batchSize: limits.batchSize,
    get dims() {
      return opened.embedder.dims;
    },
    /** Follows a new key or address of the provider. */
    async embed(texts, options) {
      const now = await parts.access(provider);
      const isSame = now.baseUrl === opened.access.baseUrl && now.apiKey === opened.access.apiKey;
      if (!isSame) opened = { access: now, embedder: openServer(parts, now, model) };
      return opened.embedder.embed(texts, options);
    },
    close: async () => opened.embedder.close?.(),
  };
}

function openServer(parts: ChosenEmbeddingParts, access: ProviderAccess, model: string): OpenedEmbedder {
  const { name, type, baseUrl: url, apiKey } = access;
  if (type === 'anthropic' || type === 'google') {
    const message = `Provider "${name}" cannot make embeddings here. Choose a model of OpenAI, Ollama or an OpenAI-compatible server, or "local".`;
    throw new HubError('INVALID_ARGUMENTS', message);
  }
  // Ollama offers the OpenAI API at the same address. Environment variables were already considered with the access.
  const api = type === 'openai' ? 'openai' : 'openai-compatible';
  const server = {
    ...findEmbeddingServer(api, { model, url, apiKey }, () => undefined),
    keyHint: `Enter a valid key for ${name} under Models.`,
    modelHint: `Check that ${name} has the embedding model "${model}"${type === 'ollama' ? `, or run "ollama pull ${model}"` : ''}.`,
  };
  return openServerEmbedder(server, limitsOf(parts), parts);
}

function limitsOf({ configured: { batchSize, maxRetries, timeoutMs } }: ChosenEmbeddingParts): Limits {
  return { batchSize, maxRetries, timeoutMs };
}
