import { HubError } from '../base/hub-error.ts';
import type { SettingStore } from '../settings/settings.ts';
import { type DefaultModel, ModelName } from './language-models.ts';

const key = 'engine.model';

/** Returns the model of agents that name none. The config file wins over the app. */
export async function readDefaultModel(
  settings: SettingStore | undefined,
  configured: string | undefined,
): Promise<DefaultModel> {
  if (configured !== undefined) return { model: configured, from: 'config', version: null };
  const setting = await settings?.read(key, ModelName);
  return setting
    ? { model: setting.value, from: 'app', version: setting.version }
    : { model: null, from: 'none', version: null };
}

export async function writeDefaultModel(
  settings: SettingStore,
  configured: string | undefined,
  model: string | null,
): Promise<void> {
  if (configured !== undefined) {
    const message = `zoo.toml sets the default model to ${configured}. Change [engine] model there.`;
    throw new HubError('CONFLICT', message);
  }
  if (model === null) await settings.delete(key);
  else await settings.write(key, model);
}
