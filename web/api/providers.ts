import type { ModelListBody, ProviderListBody } from '../../src/http/server-types.ts';
import type { ProviderInfo } from '../../src/models/language-models.ts';
import { send } from './client.ts';

export const providersApi = {
  list: (signal?: AbortSignal) => send<ProviderListBody>('GET', '/api/providers', { signal }),
  setKey: (name: string, key: string) => send<ProviderInfo>('PUT', `${pathOf(name)}/key`, { body: { key } }),
  removeKey: (name: string) => send<ProviderInfo>('DELETE', `${pathOf(name)}/key`),
  /** Asks the provider itself, so it is also the test of its key. */
  models: (name: string, signal?: AbortSignal) => send<ModelListBody>('GET', `${pathOf(name)}/models`, { signal }),
};

function pathOf(name: string): string {
  return `/api/providers/${encodeURIComponent(name)}`;
}
