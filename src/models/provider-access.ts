import { HubError } from '../base/hub-error.ts';
import type { Vault } from '../vault/vault.ts';
import type { ProviderInfo, ProviderSettings, ProviderType } from './language-models.ts';

export interface ProviderSources {
  /** `[providers.NAME]` of the config. */
  providers: Readonly<Record<string, ProviderSettings>>;
  /** Looks up an environment variable. */
  lookUp: (name: string) => string | undefined;
  /** Keys that were saved in the hub. Without it, keys come from config and environment only. */
  vault?: Vault | undefined;
}

/** Everything needed to send a request to a provider. */
export interface ProviderAccess {
  name: string;
  type: ProviderType;
  baseUrl: string;
  apiKey: string | undefined;
  settings: ProviderSettings;
}

export const vaultPrefix = 'provider-key:';

const wellKnown: readonly ProviderType[] = ['openai', 'anthropic', 'google', 'ollama', 'openai-compatible'];
const officialUrls: Partial<Record<ProviderType, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  ollama: 'http://127.0.0.1:11434/v1',
};
const urlVariables: Partial<Record<ProviderType, string>> = {
  openai: 'OPENAI_BASE_URL',
  ollama: 'OLLAMA_HOST',
  'openai-compatible': 'OPENAI_COMPATIBLE_BASE_URL',
};
const keyVariables: Partial<Record<ProviderType, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  'openai-compatible': ['OPENAI_COMPATIBLE_API_KEY'],
};

function providerNames({ providers }: ProviderSources): string[] {
  return [...new Set([...wellKnown, ...Object.keys(providers)])];
}

export function isProvider(sources: ProviderSources, name: string): boolean {
  return providerNames(sources).includes(name);
}

/** Throws INVALID_ARGUMENTS (with the known providers), NOT_CONFIGURED, INVALID_CONFIG, and UNAVAILABLE if the vault cannot be opened. */
export async function findAccess(sources: ProviderSources, name: string): Promise<ProviderAccess> {
  const settings = settingsOf(sources, name);
  if (!settings) {
    const known = providerNames(sources).join(', ');
    const add = `To add it, put [providers.${name}] with type and base_url into the config.`;
    throw new HubError('INVALID_ARGUMENTS', `There is no provider "${name}". Available: ${known}. ${add}`);
  }
  const baseUrl = urlOf(sources, name, settings);
  if (baseUrl === undefined) throw new HubError('NOT_CONFIGURED', urlHint(name));
  const apiKey =
    givenKey(sources, name, settings)?.key ?? ((await sources.vault?.get(`${vaultPrefix}${name}`)) || undefined);
  if (apiKey === undefined && needsKey(settings.type, baseUrl)) {
    throw new HubError('NOT_CONFIGURED', keyHint(sources, name, settings.type));
  }
  return { name, type: settings.type, baseUrl, apiKey, settings };
}

/** Describes the providers to the user, without keys. An invalid setting becomes the hint. */
export async function describeProviders(sources: ProviderSources): Promise<ProviderInfo[]> {
  const saved = await savedKeys(sources);
  return providerNames(sources).flatMap((name) => {
    const settings = settingsOf(sources, name);
    return settings ? [describe(sources, name, settings, saved)] : [];
  });
}

function describe(
  sources: ProviderSources,
  name: string,
  settings: ProviderSettings,
  saved: ReadonlySet<string>,
): ProviderInfo {
  const { type } = settings;
  let baseUrl: string | undefined;
  try {
    baseUrl = urlOf(sources, name, settings);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { name, type, baseUrl: null, key: 'none', isReady: false, hint: error.message };
  }
  const source = givenKey(sources, name, settings)?.source ?? (saved.has(name) ? 'vault' : undefined);
  const isNeeded = needsKey(type, baseUrl);
  const key = source ?? (isNeeded ? 'none' : 'not-needed');
  const isReady = baseUrl !== undefined && key !== 'none';
  const hint = baseUrl === undefined ? urlHint(name) : keyHint(sources, name, type);
  return { name, type, baseUrl: baseUrl ?? null, key, isReady, hint: isReady ? null : hint };
}

async function savedKeys({ vault }: ProviderSources): Promise<Set<string>> {
  const names = (await vault?.names(vaultPrefix)) ?? [];
  return new Set(names.map(({ name }) => name.slice(vaultPrefix.length)));
}

function settingsOf({ providers }: ProviderSources, name: string): ProviderSettings | undefined {
  if (Object.hasOwn(providers, name)) return providers[name];
  const type = wellKnown.find((each) => each === name);
  return type && { type };
}

/** Environment variables apply only to the provider that is named after its type: a key is never sent to another server with the same API. */
function variable({ lookUp }: ProviderSources, name: string, type: ProviderType, variables: readonly string[]) {
  if (name !== type) return undefined;
  for (const each of variables) {
    const value = lookUp(each)?.trim();
    if (value) return { value, variable: each };
  }
  return undefined;
}

function givenKey(sources: ProviderSources, name: string, { type, apiKey }: ProviderSettings) {
  if (apiKey !== undefined && apiKey !== '') return { key: apiKey, source: 'config' as const };
  const found = variable(sources, name, type, keyVariables[type] ?? []);
  return found && { key: found.value, source: 'environment' as const };
}

function urlOf(sources: ProviderSources, name: string, { type, baseUrl }: ProviderSettings): string | undefined {
  const setting = urlVariables[type];
  const found = baseUrl === undefined && setting ? variable(sources, name, type, [setting]) : undefined;
  const setUrl = baseUrl ?? found?.value;
  if (setUrl === undefined) return officialUrls[type];
  return readUrl(setUrl, type, found?.variable ?? `[providers.${name}] base_url`);
}

function readUrl(value: string, type: ProviderType, setting: string): string {
  const hasScheme = /^https?:\/\//i.test(value);
  // OLLAMA_HOST may be just a host, and may be the address that the server binds to.
  const text =
    type === 'ollama' && !hasScheme ? `http://${value.startsWith(':') ? `127.0.0.1${value}` : value}` : value;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new HubError('INVALID_CONFIG', `${setting} must start with http:// or https://.`);
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    const better = 'Use api_key, or an authorization header, instead.';
    throw new HubError('INVALID_CONFIG', `${setting} contains a user name or password. ${better}`);
  }
  if (url.search !== '') throw new HubError('INVALID_CONFIG', `${setting} must not contain a query ("?").`);
  if (type === 'ollama') {
    if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
    if (url.port === '' && !hasScheme) url.port = '11434';
  }
  const path = url.pathname.replace(/\/+$/, '');
  const speaksOpenAi = type !== 'anthropic' && type !== 'google';
  return `${url.origin}${path === '' && speaksOpenAi ? '/v1' : path}`;
}

/** Tells whether the provider is OpenAI itself, which has an API that compatible servers lack. */
export function isOpenAi({ type, baseUrl }: Pick<ProviderAccess, 'type' | 'baseUrl'>): boolean {
  return type === 'openai' && new URL(baseUrl).hostname === 'api.openai.com';
}

function needsKey(type: ProviderType, baseUrl: string | undefined): boolean {
  if (type === 'anthropic' || type === 'google') return true;
  return baseUrl !== undefined && isOpenAi({ type, baseUrl });
}

function keyHint({ vault }: ProviderSources, name: string, type: ProviderType): string {
  const inEnvironment = name === type ? keyVariables[type]?.[0] : undefined;
  const ways = [
    ...(inEnvironment ? [`${inEnvironment} in the environment`] : []),
    ...(vault || !inEnvironment ? [`[providers.${name}] api_key in the config`] : []),
  ];
  const save = vault ? ', or save a key under Models in the web app' : '';
  return `Provider "${name}" has no key. Set ${ways.join(' or ')}${save}.`;
}

function urlHint(name: string): string {
  const inEnvironment = name === 'openai-compatible' ? 'OPENAI_COMPATIBLE_BASE_URL in the environment or ' : '';
  return `Provider "${name}" has no address. Set ${inEnvironment}[providers.${name}] base_url in the config.`;
}
