import { implement, type Route } from '../http/route.ts';
import type { ChosenEmbeddings } from './embeddings/chosen-embeddings.ts';
import type { LanguageModels, ProviderInfo } from './language-models.ts';
import { modelFacts } from './model-facts.ts';
import { providersContract } from './providers.contract.ts';

interface ProviderRouteParts {
  models: LanguageModels;
  embeddings: Pick<ChosenEmbeddings, 'choice' | 'choose'>;
}

export function providerRoutes({ models, embeddings }: ProviderRouteParts): Route[] {
  async function setKey(name: string, key: string | null, baseUrl?: string): Promise<ProviderInfo> {
    await models.setKey(name, key, { baseUrl });
    return models.provider(name);
  }

  return implement(providersContract)({
    'GET /api/providers': async () => ({ providers: await models.providers() }),
    'PUT /api/providers/{name}': async ({ params, body }) => {
      await models.save(params.name, body);
      return models.provider(params.name);
    },
    'DELETE /api/providers/{name}': async ({ params }) => {
      await models.remove(params.name);
      return { success: true };
    },
    'POST /api/providers/{name}/test': ({ params, body, signal }) =>
      models.test(params.name, { model: body.model, signal }),
    'PUT /api/providers/{name}/key': ({ params, body }) => setKey(params.name, body.key, body.baseUrl),
    'DELETE /api/providers/{name}/key': ({ params }) => setKey(params.name, null),
    'GET /api/providers/{name}/models': async ({ params, signal }) => ({
      models: await models.list(params.name, { signal }),
    }),
    'GET /api/models/facts': async () => modelFacts(),
    'GET /api/models/default': () => models.defaultModel(),
    'PUT /api/models/default': async ({ body, act }) => {
      act.target = body.model ?? 'none';
      act.before = { model: (await models.defaultModel()).model };
      await models.setDefaultModel(body.model);
      return models.defaultModel();
    },
    'GET /api/models/embeddings': () => embeddings.choice(),
    'PUT /api/models/embeddings': async ({ body, act, signal }) => {
      act.target = body.model ?? 'none';
      act.before = { model: (await embeddings.choice()).model };
      await embeddings.choose(body.model, signal);
      return embeddings.choice();
    },
  });
}
