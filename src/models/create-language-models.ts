import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Model } from '../engine/model.ts';
import type { SettingStore } from '../settings/settings.ts';
import { addedProviders, removeProvider, saveProvider } from './added-providers.ts';
import { readDefaultModel, writeDefaultModel } from './default-model.ts';
import type { LanguageModels, ProviderAccess, ProviderInfo } from './language-models.ts';
import {
  currentAddress,
  describeProviders,
  findAccess,
  isProvider,
  type ProviderSources,
  withVariables,
} from './provider-access.ts';
import { saveKey } from './saved-key.ts';
import { SeenStates } from './seen-states.ts';

/** A cached model. It is valid only for this key and address. */
interface KnownModel extends Pick<ProviderAccess, 'type' | 'baseUrl' | 'apiKey'> {
  model: Model;
}

const maxKnown = 100;

interface LanguageModelParts extends ProviderSources {
  /** `[engine] model` of the config. */
  configuredModel?: string | undefined;
  /** Providers, default model and states from the app. Without it, everything comes from config and environment. */
  settings?: SettingStore | undefined;
  clock?: Clock | undefined;
}

/**
 * Resolves models by name. Keys come from the config, then the environment, then the vault; they are looked up for each `resolve`, so
 * that a new key works at once. A provider's package is loaded with its first model. Models are cached, because the packages build their
 * schemas for each.
 */
export function createLanguageModels(parts: LanguageModelParts): LanguageModels {
  const { clock = systemClock, settings, configuredModel, ...configured } = parts;
  const known = new Map<string, KnownModel>();
  const seen = new SeenStates({ settings, clock });

  /** The config file wins over the app. */
  async function current(): Promise<ProviderSources & { versions: Record<string, number> }> {
    const added = await addedProviders(settings);
    return { ...configured, providers: { ...added.settings, ...configured.providers }, versions: added.versions };
  }

  async function load(access: ProviderAccess, modelId: string, maxRetries?: number): Promise<Model> {
    const { loadLanguageModel } = await import('./load-language-model.ts');
    const { name: provider, baseUrl } = access;
    const { prices, headers = {} } = access.settings;
    return loadLanguageModel(access, modelId, {
      provider,
      price: prices && Object.hasOwn(prices, modelId) ? prices[modelId] : undefined,
      // Short values are not secrets, and masking them would damage ordinary words.
      secrets: [access.apiKey ?? '', ...Object.values(headers)].filter((secret) => secret.length >= 8),
      clock,
      keyHint: access.withheld,
      maxRetries,
      onOutcome: (error) => void seen.record(provider, baseUrl, { error }),
    });
  }

  async function list(access: ProviderAccess, signal: AbortSignal): Promise<string[]> {
    const { listModels } = await import('./list-models.ts');
    try {
      const models = await listModels(access, signal);
      await seen.record(access.name, access.baseUrl, { models: models.length });
      return models;
    } catch (error) {
      await seen.record(access.name, access.baseUrl, { error });
      throw error;
    }
  }

  async function providers(): Promise<ProviderInfo[]> {
    const [sources, seenOf] = await Promise.all([current(), seen.all()]);
    const described = await describeProviders(sources);
    return described.map((provider) => {
      const { name, baseUrl } = provider;
      const version = sources.versions[name] ?? null;
      const from = Object.hasOwn(configured.providers, name) ? 'config' : version === null ? 'built-in' : 'app';
      return { ...provider, from, version: from === 'app' ? version : null, seen: seenOf(name, baseUrl) };
    });
  }

  async function provider(name: string): Promise<ProviderInfo> {
    const all = await providers();
    const found = all.find((each) => each.name === name);
    if (found) return found;
    const names = all.map((each) => each.name).join(', ');
    throw new HubError('NOT_FOUND', `There is no provider "${name.slice(0, 80)}". Available: ${names}.`);
  }

  async function setKey(name: string, key: string | null, { baseUrl: address }: { baseUrl?: string | undefined } = {}) {
    const sources = await current();
    if (!isProvider(sources, name)) throw new HubError('NOT_FOUND', `There is no provider "${name}".`);
    const vault = requireVault(sources);
    if (key === null) await saveKey(vault, name, null);
    else {
      const apiKey = checkKey(key);
      const baseUrl = currentAddress(sources, name);
      if (address !== undefined && address !== baseUrl) {
        const message = `The address of provider "${name}" is now ${baseUrl}, not ${address.slice(0, 200)}. The key was not saved. Check the address and enter the key again.`;
        throw new HubError('CONFLICT', message);
      }
      await saveKey(vault, name, { apiKey, baseUrl });
    }
    await seen.forget(name);
  }

  function writable(name: string): SettingStore {
    if (Object.hasOwn(configured.providers, name)) {
      const message = `Provider "${name}" is defined in zoo.toml. Change [providers.${name}] there.`;
      throw new HubError('CONFLICT', message);
    }
    return requireSettings(settings);
  }

  const models: LanguageModels = {
    async resolve(name, variables) {
      const { provider: providerName, modelId } = splitName(name);
      const access = await findAccess(withVariables(await current(), variables), providerName);
      const { type, baseUrl, apiKey } = access;
      const key = `${providerName}/${modelId}`;
      const found = known.get(key);
      if (found?.baseUrl === baseUrl && found.apiKey === apiKey && found.type === type) return found.model;
      const model = await load(access, modelId);
      if (known.size >= maxKnown) known.clear();
      known.set(key, { type, baseUrl, apiKey, model });
      return model;
    },
    providers,
    provider,
    list: async (name, { signal }) => list(await findAccess(await current(), name), signal),
    async test(name, { model, signal }) {
      const { testProvider, toFailure } = await import('./test-provider.ts');
      await provider(name);
      const startedAt = clock.now();
      try {
        const access = await findAccess(await current(), name);
        const ask = { access, list: () => list(access, signal), load: (id: string) => load(access, id, 0), clock };
        const tested = await testProvider(ask, { model, signal });
        if (tested.answeredBy !== null) await seen.record(name, access.baseUrl, {});
        return { ...tested, provider: await provider(name) };
      } catch (error) {
        const failure = toFailure(error, signal);
        const latencyMs = Math.max(0, clock.now() - startedAt);
        return { provider: await provider(name), models: null, latencyMs, answeredBy: null, failure };
      }
    },
    async save(name, { key, ...input }) {
      const store = writable(name);
      if (key !== undefined) checkKey(key);
      await saveProvider(store, name, input);
      await seen.forget(name);
      if (key !== undefined) await setKey(name, key);
    },
    async remove(name) {
      const { from } = await provider(name);
      const store = writable(name);
      if (from !== 'app') {
        const message = `Provider "${name}" was not added in the app, so it cannot be removed. Its key can.`;
        throw new HubError('CONFLICT', message);
      }
      await removeProvider(store, name);
      await saveKey(requireVault(configured), name, null);
      await seen.forget(name);
    },
    setKey,
    access: async (name) => findAccess(await current(), name),
    defaultModel: () => readDefaultModel(settings, configuredModel),
    async setDefaultModel(model) {
      if (model !== null) await models.resolve(model);
      await writeDefaultModel(requireSettings(settings), configuredModel, model);
    },
  };
  return models;
}

function requireSettings(settings: SettingStore | undefined): SettingStore {
  if (settings) return settings;
  throw new HubError('UNAVAILABLE', 'This hub stores no settings. Change the config file instead.', {
    details: { retryable: false },
  });
}

function requireVault({ vault }: ProviderSources): NonNullable<ProviderSources['vault']> {
  if (vault) return vault;
  throw new HubError(
    'UNAVAILABLE',
    'This hub has no vault to store a key in. Set the key in the config file or the environment.',
    { details: { retryable: false } },
  );
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
