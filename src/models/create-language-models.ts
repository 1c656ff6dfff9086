import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Model } from '../engine/model.ts';
import type { LanguageModels } from './language-models.ts';
import {
  describeProviders,
  findAccess,
  isProvider,
  type ProviderAccess,
  type ProviderSources,
  vaultPrefix,
} from './provider-access.ts';

/** A model as it was made: with another key or address it is another one. */
interface KnownModel extends Pick<ProviderAccess, 'baseUrl' | 'apiKey'> {
  model: Model;
}

const maxKnown = 100;

interface LanguageModelParts extends ProviderSources {
  clock?: Clock | undefined;
}

/**
 * Models by name. Keys come from the config, then the environment, then the vault, and are looked up for each
 * `resolve`, so that a key that was just saved works at once. The package of a provider is loaded with its first model, and
 * a model is made once: the packages build their schemas anew for each.
 */
export function createLanguageModels({ clock, ...sources }: LanguageModelParts): LanguageModels {
  const known = new Map<string, KnownModel>();
  return {
    async resolve(name) {
      const { provider, modelId } = splitName(name);
      const access = await findAccess(sources, provider);
      const { baseUrl, apiKey } = access;
      const key = `${provider}/${modelId}`;
      const found = known.get(key);
      if (found?.baseUrl === baseUrl && found.apiKey === apiKey) return found.model;
      const { loadLanguageModel } = await import('./load-language-model.ts');
      const { prices, headers = {} } = access.settings;
      const model = await loadLanguageModel(access, modelId, {
        provider,
        price: prices && Object.hasOwn(prices, modelId) ? prices[modelId] : undefined,
        // Short values are no secrets, and would blank out parts of words.
        secrets: [access.apiKey ?? '', ...Object.values(headers)].filter((secret) => secret.length >= 8),
        clock,
      });
      if (known.size >= maxKnown) known.clear();
      known.set(key, { baseUrl, apiKey, model });
      return model;
    },
    providers: () => describeProviders(sources),
    async list(provider, { signal }) {
      const access = await findAccess(sources, provider);
      const { listModels } = await import('./list-models.ts');
      return listModels(access, signal);
    },
    async setKey(provider, key) {
      if (!isProvider(sources, provider)) throw new HubError('NOT_FOUND', `Provider "${provider}" is not known.`);
      if (!sources.vault)
        throw new HubError('UNAVAILABLE', 'There is no vault here that could keep a key.', {
          details: { retryable: false },
        });
      await sources.vault.set(`${vaultPrefix}${provider}`, key === null ? null : checkKey(key));
    },
  };
}

/** The part after the first slash is the provider's own name, with all its slashes. */
function splitName(name: string): { provider: string; modelId: string } {
  const [, provider, modelId] = /^([^/\s]+)\/(\S.*)$/.exec(name.trim()) ?? [];
  if (provider === undefined || modelId === undefined) {
    const what = name.trim() === '' ? 'No model is named' : `"${name}" is no name of a model`;
    throw new HubError('INVALID_ARGUMENTS', `${what}. Write provider/model, like openai/gpt-5 or ollama/qwen3.`);
  }
  return { provider, modelId };
}

function checkKey(key: string): string {
  const trimmed = key.trim();
  // What a header cannot carry is no key; the message does not repeat it.
  if (/^[\x21-\x7e]{1,4096}$/.test(trimmed)) return trimmed;
  throw new HubError(
    'INVALID_ARGUMENTS',
    'A key is one line of at most 4,096 letters, digits and signs without spaces.',
  );
}
