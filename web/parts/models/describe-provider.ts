import type { ProviderInfo } from '../../../src/models/language-models.ts';

export const typeNames: Record<ProviderInfo['type'], string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  ollama: 'Ollama',
  'openai-compatible': 'OpenAI-compatible',
};

/** Describes where a provider's key comes from. */
export function keyWords({ key }: Pick<ProviderInfo, 'key'>): string {
  switch (key) {
    case 'config':
      return 'Key from config';
    case 'environment':
      return 'Key from environment';
    case 'vault':
      return 'Key stored encrypted';
    case 'not-needed':
      return 'No key needed';
    case 'none':
      return 'No key';
  }
}

/** Returns the label of the key button, or undefined when a stored key would have no effect. */
export function keyAction({
  key,
  type,
  baseUrl,
}: Pick<ProviderInfo, 'key' | 'type' | 'baseUrl'>): 'Set key' | 'Replace key' | undefined {
  // A key is for an address.
  if (baseUrl === null) return undefined;
  if (key === 'vault') return 'Replace key';
  // Ollama needs a key only where one was saved for another address.
  if (type === 'ollama' && key !== 'none') return undefined;
  // The config and the environment override a stored key.
  return key === 'config' || key === 'environment' ? undefined : 'Set key';
}

/** Tells what happens to a key that is entered now. */
export function keyPromise({ baseUrl }: Pick<ProviderInfo, 'baseUrl'>): string {
  const where = baseUrl === null ? '' : ` and sent only to ${baseUrl}`;
  return `Stored encrypted${where}. It is never shown again. A key in the config or environment takes precedence.`;
}

/** Returns full model names, `provider/model`, that contain every word of the query. */
export function modelNames(provider: string, models: readonly string[], query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return models
    .map((model) => `${provider}/${model}`)
    .filter((name) => words.every((word) => name.toLowerCase().includes(word)));
}
