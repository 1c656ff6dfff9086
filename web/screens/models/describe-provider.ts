import type { ProviderInfo } from '../../../src/models/language-models.ts';

export const typeNames: Record<ProviderInfo['type'], string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  ollama: 'Ollama',
  'openai-compatible': 'OpenAI-compatible',
};

/** Where a provider's key comes from, in words. */
export function keyWords({ key }: Pick<ProviderInfo, 'key'>): string {
  switch (key) {
    case 'config':
      return 'key from the config';
    case 'environment':
      return 'key from the environment';
    case 'vault':
      return 'key stored here, encrypted';
    case 'not-needed':
      return 'needs no key';
    case 'none':
      return 'no key';
  }
}

/** What the button says that takes a key; undefined where a stored key would change nothing. */
export function keyAction({ key, type }: Pick<ProviderInfo, 'key' | 'type'>): 'Set key' | 'Replace key' | undefined {
  if (key === 'vault') return 'Replace key';
  if (type === 'ollama') return undefined;
  // The config and the environment come first.
  return key === 'config' || key === 'environment' ? undefined : 'Set key';
}

/** Names as agents say them, those with the words that are sought. */
export function modelNames(provider: string, models: readonly string[], query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return models
    .map((model) => `${provider}/${model}`)
    .filter((name) => words.every((word) => name.toLowerCase().includes(word)));
}
