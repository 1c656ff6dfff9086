import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Model } from '../engine/model.ts';
import type { LanguageModels } from './language-models.ts';
import {
  currentAddress,
  describeProviders,
  findAccess,
  isProvider,
  type ProviderAccess,
  type ProviderSources,
  withVariables,
} from './provider-access.ts';
import { saveKey } from './saved-key.ts';

/** A cached model. It is valid only for this key and base URL. */
interface KnownModel extends Pick<ProviderAccess, 'baseUrl' | 'apiKey'> {
  model: Model;
}

const maxKnown = 100;

interface LanguageModelParts extends ProviderSources {
  clock?: Clock | undefined;
}

/**
 * Resolves models by name. Keys come from the config, then the environment, then the vault; they are looked up for each `resolve`, so
 * that a new key works at once. A provider's package is loaded with its first model. Models are cached, because the packages build their
 * schemas for each.
 */
export function createLanguageModels({ clock, ...sources }: LanguageModelParts): LanguageModels {
  const known = new Map<string, KnownModel>();
  return {
    async resolve(name, variables) {
      const { provider, modelId } = splitName(name);
      const access = await findAccess(withVariables(sources, variables), provider);
      const { baseUrl, apiKey } = access;
      const key = `${provider}/${modelId}`;
      const found = known.get(key);
      if (found?.baseUrl === baseUrl && found.apiKey === apiKey) return found.model;
      const { loadLanguageModel } = await import('./load-language-model.ts');
      const { prices, headers = {} } = access.settings;
      const model = await loadLanguageModel(access, modelId, {
        provider,
        price: prices && Object.hasOwn(prices, modelId) ? prices[modelId] : undefined,
        // Short values are not secrets, and masking them would damage ordinary words.
        secrets: [access.apiKey ?? '', ...Object.values(headers)].filter((secret) => secret.length >= 8),
        clock,
        keyHint: access.withheld,
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
    async setKey(provider, key, { baseUrl: seen } = {}) {
      if (!isProvider(sources, provider)) throw new HubError('NOT_FOUND', `There is no provider "${provider}".`);
      if (!sources.vault)
        throw new HubError('UNAVAILABLE', 'This hub has no vault to store a key in.', {
          details: { retryable: false },
        });
      if (key === null) return saveKey(sources.vault, provider, null);
      const apiKey = checkKey(key);
      const baseUrl = currentAddress(sources, provider);
      if (seen !== undefined && seen !== baseUrl) {
        const message = `The address of provider "${provider}" is now ${baseUrl}, not ${seen.slice(0, 200)}. The key was not saved. Check the address and enter the key again.`;
        throw new HubError('CONFLICT', message);
      }
      await saveKey(sources.vault, provider, { apiKey, baseUrl });
    },
  };
}

/** Everything after the first slash is the provider's name for the model, which may contain slashes. */
function splitName(name: string): { provider: string; modelId: string } {
  const [, provider, modelId] = /^([^/\s]+)\/(\S.*)$/.exec(name.trim()) ?? [];
  if (provider === undefined || modelId === undefined) {
    const what = name.trim() === '' ? 'The name of the model is empty' : `"${name}" is not the name of a model`;
    throw new HubError('INVALID_ARGUMENTS', `${what}. Use provider/model, like openai/gpt-5 or ollama/qwen3.`);
  }
  return { provider, modelId };
}

function checkKey(key: string): string {
  const trimmed = key.trim();
  // A key must fit into an HTTP header. The message does not repeat it.
  if (/^[\x21-\x7e]{1,4096}$/.test(trimmed)) return trimmed;
  throw new HubError('INVALID_ARGUMENTS', 'A key must be one line of at most 4,096 ASCII characters, without spaces.');
}
