import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Config, ProvidersConfig } from '../config/config.ts';
import type { ConfigDocument } from '../config/config-document.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { secretsIn } from '../config/secret-values.ts';
import { createLanguageModels } from '../models/create-language-models.ts';
import type { ConfiguredProvider, LanguageModels } from '../models/language-models.ts';
import type { ConfiguredModels, ModelsFile } from '../models/plan-changes.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import { editableConfig } from './settings/config-file.ts';
import type { LiveConfig } from './settings/live-config.ts';

interface ModelParts {
  config: LoadedConfig;
  document: ConfigDocument;
  live: LiveConfig;
  vault: Vault;
  store: Pick<Store, 'settings' | 'installationKeys'>;
  clock: Clock;
  logger: Logger;
  /** Registers secrets that must never be written. */
  learn(secrets: readonly string[]): void;
}

/** Opens the language models of the providers in config, app, environment and vault. The config is followed without a restart. */
export function openModels(parts: ModelParts): LanguageModels {
  const { config, document, vault, store, clock, logger, learn } = parts;
  let known: { from: Config; models: ConfiguredModels } | undefined;

  async function read(): Promise<ConfiguredModels> {
    const { config: now } = await document.current();
    if (known?.from === now) return known.models;
    const { providers, engine } = now;
    learn(secretsIn({ providers }));
    known = { from: now, models: { providers: toSettings(providers), model: engine.model } };
    return known.models;
  }

  const file: ModelsFile = { read, ...editableConfig(parts) };
  return createLanguageModels({
    providers: {},
    file,
    lookUp: config.lookUp,
    vault,
    settings: store.settings,
    installationKeys: store.installationKeys,
    clock,
    logger,
  });
}

function toSettings(providers: ProvidersConfig): Record<string, ConfiguredProvider> {
  const entries = Object.entries(providers).map(([name, { type, base_url, api_key, headers, prices }]) => {
    const priced = Object.entries(prices ?? {}).map(([model, { input, output, cached_input }]) => [
      model,
      { input, output, cachedInput: cached_input },
    ]);
    return [name, { type, baseUrl: base_url, apiKey: api_key, headers, prices: Object.fromEntries(priced) }];
  });
  return Object.fromEntries(entries);
}
