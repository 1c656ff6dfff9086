import { isDeepStrictEqual } from 'node:util';
import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { InstallationKeys } from '../base/installation-keys.ts';
import { once } from '../base/lazy.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import type { Model, ModelPrice } from '../engine/model.ts';
import type { PlannedChange } from '../settings/config-file.ts';
import type { SettingStore } from '../settings/settings.ts';
import { addedProviders, checkInput } from './added-providers.ts';
import { joinProviders } from './configured-providers.ts';
import type {
  LanguageModels,
  ModelList,
  ProviderAccess,
  ProviderChange,
  ProviderConnection,
  ProviderInfo,
  ProviderSettings,
  ProviderTrial,
} from './language-models.ts';
import { allPrices, forgetPrices, planPrice, priceOf } from './model-prices.ts';
import { isInFile, type ModelsFile, planDefaultModel, planProvider, readDefaultModel } from './plan-changes.ts';
import {
  configuredKeyPlace,
  currentAddress,
  describeProviders,
  findAccess,
  isProvider,
  type ProviderSources,
  withVariables,
} from './provider-access.ts';
import { type SavedKey, saveKey } from './saved-key.ts';
import { keyMarks, type Outcome, SeenStates } from './seen-states.ts';

/** A cached model. It is valid only for this provider, with its key and address, and at this price. */
interface KnownModel {
  access: ProviderAccess;
  model: Model;
}

const maxKnown = 100;

/** The providers as they apply now. */
interface Sources extends ProviderSources {
  fromConfig: Set<string>;
  /** Of those that were added in the app. */
  versions: Record<string, number>;
}

interface LanguageModelParts extends ProviderSources {
  /** The config file of the hub, which may define more providers and the default model. */
  file?: ModelsFile | undefined;
  /** Providers, default model and states from the app. Without it, everything comes from config and environment. */
  settings?: SettingStore | undefined;
  /** Without them, what was seen of a provider still counts when its key has changed outside the app. */
  installationKeys?: Pick<InstallationKeys, 'key'> | undefined;
  clock?: Clock | undefined;
  logger?: Logger | undefined;
}

/**
 * Resolves models by name. Keys come from the config, then the environment, then the vault; they are looked up for each `resolve`, so
 * that a new key works at once. A provider's package is loaded with its first model. Models are cached, because the packages build their
 * schemas for each.
 */
export function createLanguageModels(parts: LanguageModelParts): LanguageModels {
  const { clock = systemClock, settings, installationKeys, file, logger = silentLogger, ...given } = parts;
  const known = new Map<string, KnownModel>();
  const seen = new SeenStates({ settings, clock, logger });
  const marks = once(async () => keyMarks(await installationKeys?.key('marks').catch(() => undefined)));

  /** The config file wins over the app. Both are read for each request. */
  async function current(): Promise<Sources> {
    const [added, configured] = await Promise.all([addedProviders(settings), file?.read()]);
    const { settings: fromApp, versions } = added;
    return { ...given, ...joinProviders({ ...given.providers, ...configured?.providers }, fromApp), versions };
  }

  async function load(
    access: ProviderAccess,
    modelId: string,
    options: { price?: ModelPrice | undefined; maxRetries?: number; onOutcome?: (outcome: Outcome) => void } = {},
  ): Promise<Model> {
    const { loadLanguageModel } = await import('./load-language-model.ts');
    const { name: provider } = access;
    const { headers = {} } = access.settings;
    return loadLanguageModel(access, modelId, {
      provider,
      price: options.price,
      // Short values are not secrets, and masking them would damage ordinary words.
      secrets: [access.apiKey ?? '', ...Object.values(headers)].filter((secret) => secret.length >= 8),
      clock,
      keyHint: access.withheld,
      maxRetries: options.maxRetries,
      onOutcome: (error) => options.onOutcome?.(error ? { error } : { answeredBy: modelId }),
    });
  }

  /** Ignores what was seen with the key or at the address of an agent, which says nothing about the hub's own. Never throws. */
  async function record({ name, baseUrl, apiKey }: ProviderAccess, outcome: Outcome): Promise<void> {
    const own = await models.access(name).catch(() => undefined);
    if (own?.baseUrl !== baseUrl || own.apiKey !== apiKey) return;
    const keyMark = (await marks())(apiKey);
    await seen.record({ name, baseUrl, keyMark }, outcome);
  }

  async function list(access: ProviderAccess, signal: AbortSignal): Promise<ModelList> {
    const { listModels } = await import('./list-models.ts');
    try {
      const listed = await listModels(access, signal);
      await record(access, { models: listed.models.length });
      return listed;
    } catch (error) {
      await record(access, { error, isOfList: true });
      throw error;
    }
  }

  async function providers(): Promise<ProviderInfo[]> {
    const [sources, seenOf, marked] = await Promise.all([current(), seen.all(), marks()]);
    const [described, prices] = await Promise.all([
      describeProviders(sources, marked),
      allPrices(sources.providers, settings),
    ]);
    return described.map(({ keyMark, ...provider }) => {
      const { name, baseUrl } = provider;
      const version = sources.versions[name] ?? null;
      const from = sources.fromConfig.has(name) ? 'config' : version === null ? 'built-in' : 'app';
      return {
        ...provider,
        from,
        version: from === 'app' ? version : null,
        prices: [...(prices.get(name) ?? [])],
        seen: seenOf({ name, baseUrl, keyMark }),
      };
    });
  }

  async function provider(name: string): Promise<ProviderInfo> {
    const all = await providers();
    const found = all.find((each) => each.name === name);
    if (found) return found;
    const names = all.map((each) => each.name).join(', ');
    throw new HubError('NOT_FOUND', `There is no provider "${name.slice(0, 80)}". Available: ${names}.`);
  }

  async function setKey(name: string, key: string | null, options: { baseUrl?: string | undefined } = {}) {
    const sources = await current();
    if (!isProvider(sources, name)) throw new HubError('NOT_FOUND', `There is no provider "${name}".`);
    await saveKey(requireVault(sources), name, key === null ? null : boundKey(sources, name, { key, ...options }));
    await seen.forget(name);
  }

  /**
   * Returns the sources as they would be after the change. Throws what saving it would throw, and CONFLICT for what cannot be tried: a
   * change of the config file, and a key that another one takes precedence over.
   */
  async function tried(name: string, trial: ProviderTrial): Promise<Sources> {
    const sources = await current();
    if (trial.kind === 'key') {
      requireVault(sources);
      return withEntered(sources, name, trial);
    }
    const { input } = trial;
    if (await isInFile(file, name)) {
      const message = `Provider "${name}" is set in the config file, so it cannot be tried before it is changed. Change it there or under Models in the web app, then test it.`;
      throw new HubError('CONFLICT', message);
    }
    await plan({ kind: 'provider', name, provider: input });
    const baseUrl = checkInput(name, input);
    const settings: ProviderSettings = { type: input.type, isAdded: true, ...(baseUrl !== undefined && { baseUrl }) };
    const after: Sources = { ...sources, providers: { ...sources.providers, [name]: settings } };
    return input.key === undefined ? after : withEntered(after, name, { key: input.key });
  }

  async function plan(change: ProviderChange, hash?: string): Promise<PlannedChange> {
    if (change.kind === 'default') {
      if (change.model !== null) await models.resolve(change.model);
      return planDefaultModel({ file, settings }, change, hash);
    }
    if (change.kind === 'price') {
      const { provider: of, modelId } = splitName(change.model);
      await provider(of);
      if (Object.hasOwn(given.providers[of]?.prices ?? {}, modelId))
        throw new HubError('CONFLICT', `The price of ${change.model} is set in code. Change it there.`);
      return planPrice({ file, settings }, change, hash);
    }
    const { name, provider: input } = change;
    if (Object.hasOwn(given.providers, name))
      throw new HubError('CONFLICT', `Provider "${name}" is defined in code. Change it there.`);
    const key = input?.key;
    if (key !== undefined) checkKey(key);
    if (input === null && (await provider(name)).from === 'built-in') {
      const message = `Provider "${name}" is built in, so it cannot be removed. Its key can.`;
      throw new HubError('CONFLICT', message);
    }
    const { storesKey, ...planned } = await planProvider({ file, settings }, name, input, hash);
    return {
      ...planned,
      async apply() {
        const applied = await planned.apply();
        await seen.forget(name);
        if (input === null) {
          await saveKey(requireVault(given), name, null);
          await forgetPrices(settings, name);
        } else if (key !== undefined && storesKey) await setKey(name, key);
        return applied;
      },
    };
  }

  async function preferredModel({ name, baseUrl, apiKey }: ProviderAccess): Promise<string | undefined> {
    const { model } = await models.defaultModel();
    if (model?.startsWith(`${name}/`)) return model.slice(name.length + 1);
    const keyMark = (await marks())(apiKey);
    const state = (await seen.all())({ name, baseUrl, keyMark });
    return state.state === 'worked' ? state.model : undefined;
  }

  const models: LanguageModels = {
    async resolve(name, variables) {
      const { provider: providerName, modelId } = splitName(name);
      const access = await findAccess(withVariables(await current(), variables), providerName);
      const key = `${providerName}/${modelId}`;
      const found = known.get(key);
      const price = await priceOf(settings, access, modelId);
      if (found && isDeepStrictEqual([found.access, found.model.price], [access, price])) return found.model;
      const onOutcome = (outcome: Outcome) => void record(access, outcome);
      const model = await load(access, modelId, { price, onOutcome });
      if (known.size >= maxKnown) known.clear();
      known.set(key, { access, model });
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
        const tested = await testProvider(
          {
            access,
            list: () => list(access, signal),
            load: (id) => load(access, id, { maxRetries: 0 }),
            record: (outcome) => record(access, outcome),
            clock,
            preferred: await preferredModel(access),
          },
          { model, signal },
        );
        return { ...tested, provider: await provider(name) };
      } catch (error) {
        const failure = toFailure('list', error, signal);
        const latencyMs = Math.max(0, clock.now() - startedAt);
        return { provider: await provider(name), listed: null, latencyMs, answeredBy: null, failure };
      }
    },
    async connect(name, trial, { signal }) {
      const { toFailure } = await import('./test-provider.ts');
      const sources = await tried(name, trial);
      const startedAt = clock.now();
      const connection: Omit<ProviderConnection, 'provider' | 'isSaved'> = {
        listed: null,
        latencyMs: 0,
        answeredBy: null,
        failure: null,
      };
      let access: ProviderAccess | undefined;
      let outcome: Outcome | undefined;
      try {
        access = await findAccess(sources, name);
        connection.listed = await list(access, signal);
        outcome = { models: connection.listed.models.length };
      } catch (error) {
        connection.failure = toFailure('list', error, signal);
        outcome = { error, isOfList: true };
      }
      connection.latencyMs = Math.max(0, clock.now() - startedAt);
      const reached = connection.failure === null ? access : undefined;
      if (reached) {
        // The address may have changed while the provider was asked.
        if (trial.kind === 'key') await setKey(name, trial.key, { baseUrl: reached.baseUrl });
        else await models.save(name, trial.input);
        // Saving forgets what was seen before.
        await record(reached, outcome);
      }
      const after = (await providers()).find((each) => each.name === name) ?? null;
      return { ...connection, provider: after, isSaved: reached !== undefined };
    },
    preview: async (change) => (await plan(change)).preview,
    apply: async (change, { hash } = {}) => (await plan(change, hash)).apply(),
    async save(name, input) {
      await models.apply({ kind: 'provider', name, provider: input });
    },
    async remove(name) {
      await models.apply({ kind: 'provider', name, provider: null });
    },
    setKey,
    access: async (name) => findAccess(await current(), name),
    defaultModel: () => readDefaultModel({ file, settings }),
    async setDefaultModel(model) {
      await models.apply({ kind: 'default', model });
    },
  };
  return models;
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

/** Returns a key with the provider's current address. Throws CONFLICT if it is not the one that the user saw. */
function boundKey(
  sources: ProviderSources,
  name: string,
  { key, baseUrl: address }: { key: string; baseUrl?: string | undefined },
): Required<SavedKey> {
  const apiKey = checkKey(key);
  const baseUrl = currentAddress(sources, name);
  if (address === undefined || address === baseUrl) return { apiKey, baseUrl };
  const message = `The address of provider "${name}" is now ${baseUrl}, not ${address.slice(0, 200)}. The key was not saved. Check the address and enter the key again.`;
  throw new HubError('CONFLICT', message);
}

/** Returns the sources with a key that is not saved yet. Throws CONFLICT if another key would be sent instead. */
function withEntered<S extends ProviderSources>(
  sources: S,
  name: string,
  entered: { key: string; baseUrl?: string | undefined },
): S {
  const key = boundKey(sources, name, entered);
  const place = configuredKeyPlace(sources, name);
  if (place === undefined) return { ...sources, entered: { provider: name, key } };
  const message = `Provider "${name}" uses the key from ${place}, which takes precedence over an entered one. Remove it there first, or leave the key empty.`;
  throw new HubError('CONFLICT', message);
}

function checkKey(key: string): string {
  const trimmed = key.trim();
  // A key must fit into an HTTP header. The message does not repeat it.
  if (/^[\x21-\x7e]{1,4096}$/.test(trimmed)) return trimmed;
  throw new HubError('INVALID_ARGUMENTS', 'A key must be one line of at most 4,096 ASCII characters, without spaces.');
}
