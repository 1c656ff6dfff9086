import type { Clock } from '../base/clock.ts';
import type { ProvidersConfig } from '../config/config.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { createLanguageModels } from '../models/create-language-models.ts';
import type { LanguageModels, ProviderSettings } from '../models/language-models.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';

interface ModelParts {
  config: LoadedConfig;
  vault: Vault;
  store: Pick<Store, 'settings'>;
  clock: Clock;
}

/** Opens the language models of the providers in config, app, environment and vault. */
export function openModels({ config, vault, store, clock }: ModelParts): LanguageModels {
  const { providers, engine } = config.config;
  return createLanguageModels({
    providers: toSettings(providers),
    configuredModel: engine.model,
    lookUp: config.lookUp,
    vault,
    settings: store.settings,
    clock,
  });
}

function toSettings(providers: ProvidersConfig): Record<string, ProviderSettings> {
  const entries = Object.entries(providers).map(([name, { type, base_url, api_key, headers, prices }]) => {
    const priced = Object.entries(prices ?? {}).map(([model, { input, output, cached_input }]) => [
      model,
      { input, output, cachedInput: cached_input },
    ]);
    return [name, { type, baseUrl: base_url, apiKey: api_key, headers, prices: Object.fromEntries(priced) }];
  });
  return Object.fromEntries(entries);
}
