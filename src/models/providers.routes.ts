import { HubError } from '../base/hub-error.ts';
import { implement, type Route } from '../http/route.ts';
import type { LanguageModels, ProviderInfo } from './language-models.ts';
import { providersContract } from './providers.contract.ts';

export function providerRoutes(models: LanguageModels): Route[] {
  async function setKey(name: string, key: string | null, baseUrl?: string): Promise<ProviderInfo> {
    await models.setKey(name, key, { baseUrl });
    const providers = await models.providers();
    const found = providers.find((each) => each.name === name);
    if (found) return found;
    const names = providers.map((each) => each.name).join(', ');
    throw new HubError('NOT_FOUND', `There is no provider "${name.slice(0, 80)}". Available: ${names}.`);
  }

  return implement(providersContract)({
    'GET /api/providers': async () => ({ providers: await models.providers() }),
    'PUT /api/providers/{name}/key': ({ params, body }) => setKey(params.name, body.key, body.baseUrl),
    'DELETE /api/providers/{name}/key': ({ params }) => setKey(params.name, null),
    'GET /api/providers/{name}/models': async ({ params, signal }) => ({
      models: await models.list(params.name, { signal }),
    }),
  });
}
