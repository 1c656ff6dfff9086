import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import type { ProviderInfo } from '../../models/language-models.ts';
import { defineRoute, type Route } from '../route.ts';
import { ModelListBody, ProviderBody, ProviderKey, ProviderListBody } from '../server-schemas.ts';
import type * as Api from '../server-types.ts';

const group = 'Models';

export function providerRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/providers',
      group,
      summary: 'List providers of models',
      answer: { status: 200, description: 'Which are ready, and what the others need.', schema: ProviderListBody },
      handle: async ({ context }) => {
        const { models } = hub;
        return context.json({ providers: await models.providers() } satisfies Api.ProviderListBody);
      },
    }),
    defineRoute({
      method: 'put',
      path: '/api/providers/{name}/key',
      group,
      summary: "Keep a provider's key",
      description: 'Encrypted. It is never shown again.',
      body: { schema: ProviderKey, example: { key: 'the-key-of-the-provider' } },
      answer: { status: 200, description: 'The provider.', schema: ProviderBody },
      errors: [400, 404, 503],
      handle: async ({ context, param, body }) => {
        const { key } = parseWith(ProviderKey, body);
        await hub.models.setKey(param('name'), key);
        return context.json(await provider(hub, param('name')));
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/api/providers/{name}/key',
      group,
      summary: "Forget a provider's key",
      answer: { status: 200, description: 'The provider.', schema: ProviderBody },
      errors: [404],
      handle: async ({ context, param }) => {
        await hub.models.setKey(param('name'), null);
        return context.json(await provider(hub, param('name')));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/providers/{name}/models',
      hasOwnLimits: true,
      group,
      summary: "List a provider's models",
      answer: { status: 200, description: 'As the provider calls them.', schema: ModelListBody },
      errors: [400, 404, 502],
      handle: async ({ context, param, signal }) => {
        const models = await hub.models.list(param('name'), { signal });
        return context.json({ models } satisfies Api.ModelListBody);
      },
    }),
  ];
}

async function provider(hub: Hub, name: string): Promise<ProviderInfo> {
  const providers = await hub.models.providers();
  const found = providers.find((each) => each.name === name);
  if (found) return found;
  const names = providers.map((each) => each.name).join(', ');
  throw new HubError('NOT_FOUND', `There is no provider "${name.slice(0, 80)}". There are: ${names}.`);
}
