import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { type EditableConfig, type FileEdit, hubChange, type PlannedChange } from '../settings/config-file.ts';
import type { SettingStore } from '../settings/settings.ts';
import { addedProviders, checkInput, removeProvider, saveProvider } from './added-providers.ts';
import { configuredType, definesProvider } from './configured-providers.ts';
import { type ConfiguredProvider, type DefaultModel, ModelName, type ProviderInput } from './language-models.ts';
import { readUrl } from './provider-access.ts';

/** What the config file sets, as it applies now. */
export interface ConfiguredModels {
  providers: Readonly<Record<string, ConfiguredProvider>>;
  /** `[engine] model`. */
  model: string | undefined;
}

/** The config file of the hub. */
export interface ModelsFile extends EditableConfig {
  read(): Promise<ConfiguredModels>;
}

export interface ChangeParts {
  file: ModelsFile | undefined;
  settings: SettingStore | undefined;
}

const defaultKey = 'engine.model';
const defaultPath = defaultKey.split('.');

/** Returns the model of agents that name none. The config file wins over the app. */
export async function readDefaultModel({ file, settings }: ChangeParts): Promise<DefaultModel> {
  const configured = (await file?.read())?.model;
  if (configured !== undefined) return { model: configured, from: 'config', version: null };
  const setting = await settings?.read(defaultKey, ModelName);
  return setting
    ? { model: setting.value, from: 'app', version: setting.version }
    : { model: null, from: 'none', version: null };
}

/** A default model that is in the file is changed there; otherwise it is stored in the hub. */
export async function planDefaultModel(
  { file, settings }: ChangeParts,
  { model, version }: { model: string | null; version?: number | null | undefined },
  hash: string | undefined,
): Promise<PlannedChange> {
  if (file && (await file.value(defaultPath)) !== undefined)
    return file.plan([{ path: defaultPath, value: model }], { hash });
  const store = requireSettings(settings);
  return hubChange(async () => {
    if (model !== null) await store.write(defaultKey, model, version);
    else await store.delete(defaultKey, version);
  });
}

/** Tells whether the config file defines the provider, so that a change of it is written there. */
export async function isInFile(file: ModelsFile | undefined, name: string): Promise<boolean> {
  const written = await file?.value(['providers', name]);
  return isRecord(written) && definesProvider(written);
}

/** A provider that is in the file is changed there. A key goes into the vault instead, unless it is the name of a variable, such as `${KEY}`. */
export async function planProvider(
  { file, settings }: ChangeParts,
  name: string,
  input: ProviderInput | null,
  hash: string | undefined,
): Promise<PlannedChange & { storesKey: boolean }> {
  const written = await file?.value(['providers', name]);
  const changesFile = (await isInFile(file, name)) || (input === null && !(await isAdded(settings, name)));
  if (file && isRecord(written) && changesFile) {
    const configured = (await file.read()).providers[name] ?? {};
    const edits =
      input === null
        ? [{ path: ['providers', name], value: null }]
        : providerEdits(name, { written, configured }, input);
    const change = await file.plan(edits, { hash });
    return { ...change, storesKey: !isVariable(input?.key) };
  }
  const store = requireSettings(settings);
  const change = hubChange(() => (input === null ? removeProvider(store, name) : saveProvider(store, name, input)));
  return { ...change, storesKey: true };
}

async function isAdded(settings: SettingStore | undefined, name: string): Promise<boolean> {
  return Object.hasOwn((await addedProviders(settings)).settings, name);
}

interface FileProvider {
  /** As it is in the file. */
  written: Record<string, unknown>;
  /** With the variables replaced. */
  configured: ConfiguredProvider;
}

function providerEdits(name: string, { written, configured }: FileProvider, input: ProviderInput): FileEdit[] {
  const path = ['providers', name];
  const { type, key } = input;
  const address = checkInput(name, input);
  const isSameType = configuredType(name, configured) === type;
  const typeAfter = configuredType(name, { type: configured.type, baseUrl: address });
  // Without an address, each type has its own.
  const isSameAddress =
    (address !== undefined || isSameType) &&
    [written.base_url, configured.baseUrl].some((before) => canonical(before, type) === address);
  const isSecret = written.api_key !== undefined || written.headers !== undefined;
  // Otherwise the secrets of the file would go to an address that they were not written for.
  if (!isSameAddress && isSecret && (key === undefined || written.headers !== undefined)) {
    const what = written.headers === undefined ? 'Enter its key again.' : 'Change it and the headers in the file.';
    throw new HubError('INVALID_ARGUMENTS', `The address of provider "${name}" would change. ${what}`);
  }
  return [
    ...(typeAfter === type ? [] : [{ path: [...path, 'type'], value: type }]),
    ...(isSameAddress || (address === undefined && written.base_url === undefined)
      ? []
      : [{ path: [...path, 'base_url'], value: address ?? null }]),
    ...(key === undefined ? [] : [{ path: [...path, 'api_key'], value: isVariable(key) ? key : null }]),
  ];
}

function isVariable(key: string | undefined): boolean {
  return key !== undefined && /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(key.trim());
}

/** Returns the address in the form that keys are bound to; one with a variable as it is. */
function canonical(baseUrl: unknown, type: ProviderInput['type']): unknown {
  if (typeof baseUrl !== 'string') return baseUrl;
  try {
    return readUrl(baseUrl, type, '');
  } catch {
    return baseUrl;
  }
}

export function requireSettings(settings: SettingStore | undefined): SettingStore {
  if (settings) return settings;
  throw new HubError('UNAVAILABLE', 'This hub stores no settings. Change the config file instead.', {
    details: { retryable: false },
  });
}
