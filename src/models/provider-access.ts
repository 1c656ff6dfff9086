import { HubError } from '../base/hub-error.ts';
import type { ModelFailureReason } from '../engine/model.ts';
import type { Vault } from '../vault/vault.ts';
import { wellKnownType } from './configured-providers.ts';
import { type ProviderAccess, type ProviderInfo, type ProviderSettings, ProviderType } from './language-models.ts';
import { loadSavedKey, type SavedKey, savedKeyPrefix } from './saved-key.ts';
import type { AskedProvider, KeyMark } from './seen-states.ts';

export interface ProviderSources {
  /** `[providers.NAME]` of the config, and those that were added in the app. */
  providers: Readonly<Record<string, ProviderSettings>>;
  /** Looks up an environment variable. */
  lookUp: (name: string) => string | undefined;
  /** Keys that were saved in the hub. Without it, keys come from config and environment only. */
  vault?: Vault | undefined;
  /** A key that is tried before it is saved. */
  entered?: { provider: string; key: SavedKey } | undefined;
}

/** An address and where it was set, which decides which keys may go there. */
interface ProviderAddress {
  baseUrl: string;
  setIn: 'config' | 'app' | 'environment' | 'default';
}

const wellKnown = ProviderType.options;
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

/**
 * Returns the sources with variables that win over the environment. If they set the address of a provider, only a key from them is sent
 * there.
 */
export function withVariables(
  sources: ProviderSources,
  variables: Readonly<Record<string, string>> | undefined,
): ProviderSources {
  if (!variables) return sources;
  const own = (name: string) =>
    Object.hasOwn(variables, name) && variables[name]?.trim() ? variables[name] : undefined;
  const isBound = (name: string) =>
    wellKnown.some((type) => keyVariables[type]?.includes(name) && own(urlVariables[type] ?? '') !== undefined);
  return { ...sources, lookUp: (name) => own(name) ?? (isBound(name) ? undefined : sources.lookUp(name)) };
}

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
    const inApp = sources.vault ? 'use Models in the web app, or ' : '';
    const add = `To add it, ${inApp}put [providers.${name}] with type and base_url into the config.`;
    throw new HubError('INVALID_ARGUMENTS', `There is no provider "${name}". Available: ${known}. ${add}`);
  }
  const address = requireAddress(sources, name, settings);
  const { baseUrl } = address;
  const access = { name, type: settings.type, baseUrl, settings };
  const configured = configuredKey(sources, name, settings, address);
  if (configured.key !== undefined) return { ...access, apiKey: configured.key };
  const { entered } = sources;
  const saved = entered?.provider === name ? entered.key : await loadSavedKey(sources.vault, name);
  if (saved && isFor(saved, settings.type, baseUrl)) return { ...access, apiKey: saved.apiKey };
  if (saved) throw notConfigured('key', otherAddressHint(name, saved, baseUrl));
  if (needsKey(settings.type, baseUrl)) {
    throw notConfigured('key', configured.withheld ?? keyHint(sources, name, settings.type));
  }
  return { ...access, apiKey: undefined, withheld: configured.withheld };
}

/** Returns the address that a key entered now is for. Throws NOT_FOUND, NOT_CONFIGURED and INVALID_CONFIG. */
export function currentAddress(sources: ProviderSources, name: string): string {
  const settings = settingsOf(sources, name);
  if (!settings) throw new HubError('NOT_FOUND', `There is no provider "${name}".`);
  return requireAddress(sources, name, settings).baseUrl;
}

/** Returns where the key of the config or the environment is set, which takes precedence over a saved one. Throws as `currentAddress`. */
export function configuredKeyPlace(sources: ProviderSources, name: string): string | undefined {
  const settings = settingsOf(sources, name);
  if (!settings) return undefined;
  const { source, variable } = configuredKey(sources, name, settings, requireAddress(sources, name, settings));
  if (source === 'config') return `[providers.${name}] api_key in the config`;
  return variable && `${variable} in the environment`;
}

function requireAddress(sources: ProviderSources, name: string, settings: ProviderSettings): ProviderAddress {
  const address = addressOf(sources, name, settings);
  if (address) return address;
  throw notConfigured('address', urlHint(sources, name));
}

function notConfigured(reason: ModelFailureReason, message: string): HubError {
  return new HubError('NOT_CONFIGURED', message, { details: { reason } });
}

/** A provider without what has been seen of it. */
export type DescribedProvider = Omit<ProviderInfo, 'from' | 'version' | 'prices' | 'seen'> &
  Pick<AskedProvider, 'keyMark'>;

/** Describes the providers to the user, without keys. An invalid setting becomes the hint. */
export async function describeProviders(sources: ProviderSources, keyMark: KeyMark): Promise<DescribedProvider[]> {
  const saved = await savedKeys(sources);
  return providerNames(sources).flatMap((name) => {
    const settings = settingsOf(sources, name);
    return settings ? [describe({ ...sources, keyMark }, name, settings, saved.get(name))] : [];
  });
}

function describe(
  sources: ProviderSources & { keyMark: KeyMark },
  name: string,
  settings: ProviderSettings,
  saved: SavedKey | 'locked' | undefined,
): DescribedProvider {
  const { keyMark } = sources;
  const { type } = settings;
  let address: ProviderAddress | undefined;
  try {
    address = addressOf(sources, name, settings);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return {
      name,
      type,
      baseUrl: null,
      key: 'none',
      keyMark: null,
      isReady: false,
      hint: error.message,
      keyPlaces: [],
    };
  }
  if (!address) {
    const key = settings.apiKey ? 'config' : saved ? 'vault' : 'not-needed';
    const hint = urlHint(sources, name);
    return { name, type, baseUrl: null, key, keyMark: null, isReady: false, hint, keyPlaces: [] };
  }
  const { baseUrl } = address;
  const info = { name, type, baseUrl, keyMark: keyMark(undefined), keyPlaces: [] };
  const { key, source, withheld = null } = configuredKey(sources, name, settings, address);
  if (source) return { ...info, key: source, keyMark: keyMark(key), isReady: true, hint: null };
  if (saved === 'locked') return { ...info, key: 'vault', keyMark: null, isReady: true, hint: null };
  if (saved && isFor(saved, type, baseUrl))
    return { ...info, key: 'vault', keyMark: keyMark(saved.apiKey), isReady: true, hint: null };
  if (saved) return { ...info, key: 'none', isReady: false, hint: otherAddressHint(name, saved, baseUrl) };
  if (!needsKey(type, baseUrl)) return { ...info, key: 'not-needed', isReady: true, hint: withheld };
  if (withheld !== null) return { ...info, key: 'none', isReady: false, hint: withheld };
  const hint = keyHint(sources, name, type);
  return { ...info, key: 'none', isReady: false, hint, keyPlaces: keyPlaces(sources, name, type) };
}

/** Whether a key fits its address is unknown while the vault is locked. */
async function savedKeys({ vault }: ProviderSources): Promise<Map<string, SavedKey | 'locked'>> {
  const saved = new Map<string, SavedKey | 'locked'>();
  for (const { name } of (await vault?.names(savedKeyPrefix)) ?? []) {
    const provider = name.slice(savedKeyPrefix.length);
    const key = await loadSavedKey(vault, provider).catch((error: unknown) => {
      if (error instanceof HubError && error.code === 'UNAVAILABLE') return 'locked' as const;
      throw error;
    });
    if (key) saved.set(provider, key);
  }
  return saved;
}

/** A key is sent only to the address it was entered for. One without a recorded address is sent only to the provider's own. */
function isFor({ baseUrl: entered }: SavedKey, type: ProviderType, baseUrl: string): boolean {
  return entered === undefined ? isOwnAddress(type, baseUrl) : entered === baseUrl;
}

function isOwnAddress(type: ProviderType, baseUrl: string): boolean {
  const own = officialUrls[type];
  return own !== undefined && new URL(own).origin === new URL(baseUrl).origin;
}

function settingsOf({ providers }: ProviderSources, name: string): ProviderSettings | undefined {
  if (Object.hasOwn(providers, name)) return providers[name];
  const type = wellKnownType(name);
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

/**
 * Returns the key of the config or the environment. A variable such as OPENAI_API_KEY is for the provider's own address, or for one that
 * the environment sets as well; the config sends it elsewhere only by naming it.
 */
function configuredKey(
  sources: ProviderSources,
  name: string,
  { type, apiKey }: ProviderSettings,
  { baseUrl, setIn }: ProviderAddress,
): { key?: string; source?: 'config' | 'environment'; variable?: string; withheld?: string } {
  if (apiKey !== undefined && apiKey !== '') return { key: apiKey, source: 'config' };
  const found = variable(sources, name, type, keyVariables[type] ?? []);
  if (!found) return {};
  if ((setIn !== 'config' && setIn !== 'app') || isOwnAddress(type, baseUrl))
    return { key: found.value, source: 'environment', variable: found.variable };
  const [where, how] =
    setIn === 'app'
      ? ['under Models', 'To send a key there, enter it under Models.']
      : ['in the config', `To send it there, add api_key = "\${${found.variable}}" to [providers.${name}].`];
  return { withheld: `${found.variable} is not sent to ${baseUrl}, which is set ${where}. ${how}` };
}

function addressOf(
  sources: ProviderSources,
  name: string,
  { type, baseUrl, isAdded }: ProviderSettings,
): ProviderAddress | undefined {
  if (baseUrl !== undefined)
    return { baseUrl: readUrl(baseUrl, type, `[providers.${name}] base_url`), setIn: isAdded ? 'app' : 'config' };
  const setting = urlVariables[type];
  const found = setting === undefined ? undefined : variable(sources, name, type, [setting]);
  if (found) return { baseUrl: readUrl(found.value, type, found.variable), setIn: 'environment' };
  const own = officialUrls[type];
  return own === undefined ? undefined : { baseUrl: own, setIn: 'default' };
}

/** Returns the address in the form that keys are bound to. Throws INVALID_CONFIG. */
export function readUrl(value: string, type: ProviderType, setting: string): string {
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

function needsKey(type: ProviderType, baseUrl: string): boolean {
  return type === 'anthropic' || type === 'google' || isOpenAi({ type, baseUrl });
}

function keyHint(sources: ProviderSources, name: string, type: ProviderType): string {
  const save = sources.vault ? ', or save a key under Models in the web app' : '';
  return `Provider "${name}" has no key. Set ${keyPlaces(sources, name, type).join(' or ')}${save}.`;
}

function keyPlaces({ vault }: ProviderSources, name: string, type: ProviderType): string[] {
  const inEnvironment = name === type ? keyVariables[type]?.[0] : undefined;
  return [
    ...(inEnvironment ? [`${inEnvironment} in the environment`] : []),
    ...(vault || !inEnvironment ? [`[providers.${name}] api_key in the config`] : []),
  ];
}

function otherAddressHint(name: string, { baseUrl: entered }: SavedKey, baseUrl: string): string {
  const what = entered === undefined ? 'was saved without an address' : `was entered for ${entered}`;
  const how = `Enter it again for this address: under Models in the web app, or with "zoo provider key ${name}".`;
  return `The saved key of provider "${name}" ${what}, so it is not sent to ${baseUrl}. ${how}`;
}

function urlHint({ vault }: ProviderSources, name: string): string {
  const inApp = vault ? 'it under Models in the web app, or set ' : '';
  const inEnvironment = name === 'openai-compatible' ? 'OPENAI_COMPATIBLE_BASE_URL in the environment or ' : '';
  return `Provider "${name}" has no address. Set ${inApp}${inEnvironment}[providers.${name}] base_url in the config.`;
}
