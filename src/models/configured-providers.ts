import { type ConfiguredProvider, type ProviderSettings, ProviderType } from './language-models.ts';

/** Tells whether a section of the config file defines a provider. One with nothing but prices only adds them to a provider that exists. */
export function definesProvider(section: object): boolean {
  return Object.entries(section).some(([key, value]) => key !== 'prices' && value !== undefined);
}

/** A section without type and address has the type of the well-known provider with its name. */
export function configuredType(
  name: string,
  { type, baseUrl }: Pick<ConfiguredProvider, 'type' | 'baseUrl'>,
): ProviderType {
  return type ?? (baseUrl === undefined ? wellKnownType(name) : undefined) ?? 'openai-compatible';
}

export function wellKnownType(name: string): ProviderType | undefined {
  return ProviderType.options.find((each) => each === name);
}

/**
 * Joins the providers of the config file with those of the app. A section that defines a provider replaces the one of the app, so that its
 * key never goes to an address from there.
 */
export function joinProviders(
  configured: Readonly<Record<string, ConfiguredProvider>>,
  added: Readonly<Record<string, ProviderSettings>>,
): { providers: Record<string, ProviderSettings>; fromConfig: Set<string> } {
  const providers = new Map(Object.entries(added));
  const fromConfig = new Set<string>();
  for (const [name, section] of Object.entries(configured)) {
    const type = wellKnownType(name);
    const base = providers.get(name) ?? (type && { type });
    if (base && !definesProvider(section)) {
      providers.set(name, { ...base, prices: section.prices });
      continue;
    }
    providers.set(name, { ...section, type: configuredType(name, section) });
    fromConfig.add(name);
  }
  return { providers: Object.fromEntries(providers), fromConfig };
}
