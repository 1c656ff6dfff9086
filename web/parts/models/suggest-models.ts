import type { ProviderInfo } from '../../../src/models/language-models.ts';

type Provider = Pick<ProviderInfo, 'name' | 'isReady'>;

const maxSuggested = 200;

/** The provider that stands before the slash, when it is one that can be asked. */
export function typedProvider(model: string, providers: readonly Provider[]): string | undefined {
  const [name, ...rest] = model.split('/');
  return rest.length > 0 && providers.some((each) => each.isReady && each.name === name) ? name : undefined;
}

export function suggestedModels(
  providers: readonly Provider[],
  provider: string | undefined,
  models: readonly string[],
): string[] {
  if (provider !== undefined && models.length > 0)
    return models.slice(0, maxSuggested).map((model) => `${provider}/${model}`);
  return providers.filter((each) => each.isReady).map((each) => `${each.name}/`);
}
