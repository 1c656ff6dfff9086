import type { ModelFailureReason } from '../../../src/engine/model.ts';
import type { ProviderInfo, ProviderTest, ProviderType } from '../../../src/models/language-models.ts';

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

/** Says what is missing, without what the provider's card already shows. */
export function missingWords({ hint, keyPlaces }: Pick<ProviderInfo, 'hint' | 'keyPlaces'>): string | null {
  return keyPlaces.length > 0 ? `You can also set ${keyPlaces.join(' or ')}.` : hint;
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

const keyPages: Partial<Record<ProviderType, string>> = {
  openai: 'platform.openai.com/api-keys',
  anthropic: 'platform.claude.com/settings/keys',
  google: 'aistudio.google.com/apikey',
};

/** Returns what to do beyond what the message says. */
export function adviceFor(
  { type, address }: { type: ProviderType; address: string },
  { reason }: Pick<NonNullable<ProviderTest['failure']>, 'reason'>,
): string | undefined {
  const page = keyPages[type];
  if (reason === 'key' && page) return `Copy the key again from ${page}, paste it above and connect again.`;
  if (reason === 'unreachable' && type === 'ollama')
    return 'Install Ollama from ollama.com and start it, or choose another provider.';
  if (reason === 'unreachable' && type !== 'openai-compatible' && address === '')
    return 'Check the network connection of the computer that runs the hub, then connect again.';
  if (reason === 'unreachable' || reason === 'address') return 'Correct the address above and connect again.';
  return undefined;
}

/** Returns what to do about a model that did not answer, beyond what the message says. `where` its key and address can be corrected. */
export function modelAdvice(reason: ModelFailureReason | null, where: 'above' | 'in Models'): string | undefined {
  switch (reason) {
    case 'key':
      return `Correct the key ${where}, then try again.`;
    case 'address':
      return `Correct the address ${where}, then try again.`;
    case 'unreachable':
      return `Start the server if it is yours, or correct its address ${where}. Then try again.`;
    case 'timeout':
    case 'rate':
    case 'provider':
      return 'Try again in a moment, or choose another model.';
    case 'quota':
      return undefined;
    default:
      return 'Choose another model.';
  }
}
