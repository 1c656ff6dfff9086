import { implement, type Route } from '../http/route.ts';
import type { ChosenEmbeddings } from './embeddings/chosen-embeddings.ts';
import type { LanguageModels, ModelChange, ProviderInfo } from './language-models.ts';
import { modelFacts } from './model-facts.ts';
import { providersContract } from './providers.contract.ts';

interface ProviderRouteParts {
  models: LanguageModels;
  embeddings: Pick<ChosenEmbeddings, 'choice' | 'preview' | 'choose'>;
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
    'POST /api/providers/{name}/connect': async ({ params, body: { trial }, act, signal }) => {
      const connection = await models.connect(params.name, trial, { signal });
      const { isSaved } = connection;
      act.after =
        trial.kind === 'key'
          ? { isSaved, alsoGiven: ['key'] }
          : {
              type: trial.input.type,
              baseUrl: trial.input.baseUrl,
              isSaved,
              ...(trial.input.key && { alsoGiven: ['key'] }),
            };
      return connection;
    },
    'DELETE /api/providers/{name}': async ({ params }) => {
      await models.remove(params.name);
      return { success: true };
    },
    'POST /api/providers/{name}/test': ({ params, body, signal }) =>
      models.test(params.name, { model: body.model, signal }),
    'PUT /api/providers/{name}/key': ({ params, body }) => setKey(params.name, body.key, body.baseUrl),
    'DELETE /api/providers/{name}/key': ({ params }) => setKey(params.name, null),
    'GET /api/providers/{name}/models': ({ params, signal }) => models.list(params.name, { signal }),
    'GET /api/models/facts': async () => modelFacts(),
    'GET /api/models/default': () => models.defaultModel(),
    'PUT /api/models/default': async ({ body, act }) => {
      act.target = body.model ?? 'none';
      act.before = { model: (await models.defaultModel()).model };
      await models.apply({ kind: 'default', ...body });
      return models.defaultModel();
    },
    'GET /api/models/embeddings': () => embeddings.choice(),
    'PUT /api/models/embeddings': async ({ body, act, signal }) => {
      act.target = body.model ?? 'none';
      act.before = { model: (await embeddings.choice()).model };
      await embeddings.choose(body, { signal });
      return embeddings.choice();
    },
    'POST /api/models/preview': ({ body: { change }, signal }) =>
      change.kind === 'embeddings' ? embeddings.preview(change, { signal }) : models.preview(change),
    'POST /api/models': async ({ act, body: { change, hash }, signal }) => {
      Object.assign(act, describeChange(change));
      const applied = await (change.kind === 'embeddings'
        ? embeddings.choose(change, { hash, signal })
        : models.apply(change, { hash }));
      act.after = { ...Object(act.after), in: applied.where };
      return applied;
    },
  });
}

/** Describes a change for the log, without the key. */
function describeChange(change: ModelChange): { target: string; after: Record<string, unknown> } {
  if (change.kind === 'price') return { target: change.model, after: { price: change.price ?? 'removed' } };
  if (change.kind !== 'provider') return { target: change.model ?? 'none', after: { model: change.model } };
  const { name, provider } = change;
  return {
    target: name,
    after: provider === null ? { removed: true } : { type: provider.type, baseUrl: provider.baseUrl },
  };
}
