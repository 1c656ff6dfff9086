import type { Clock } from '../base/clock.ts';
import type { ProvidersConfig } from '../config/config.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { createLanguageModels } from '../models/create-language-models.ts';
import type { LanguageModels, ProviderSettings } from '../models/language-models.ts';
import type { Vault } from '../vault/vault.ts';

/** Opens the language models of the providers in config, environment and vault. */
export function openModels(parts: { config: LoadedConfig; vault: Vault; clock: Clock }): LanguageModels {
  const { config, vault, clock } = parts;
  return createLanguageModels({ providers: toSettings(config.config.providers), lookUp: config.lookUp, vault, clock });
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
