import { useAskForModels, useProviders } from '../../api/provider-queries.ts';
import { confirm } from '../../ui/confirm.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { type Listed, wrongName } from './known-models.ts';

/**
 * Returns a function that asks the user about a model that its provider does not list, because some providers have models that they do
 * not list. It resolves to whether the model is wanted. Everything else that is wrong with a name is left to the hub.
 */
export function useConfirmedModel(): (model: string) => Promise<boolean> {
  const { data: providers = [] } = useProviders();
  const list = useAskForModels();
  return async (model) => {
    const provider = providers.find(({ name, isReady }) => isReady && model.startsWith(`${name}/`))?.name;
    if (provider === undefined) return true;
    const listed: Listed = await list(provider).then(
      (reply) => ({ provider, list: reply }),
      (error: unknown) => ({ provider, list: undefined, error: errorText(error) }),
    );
    const doubt = wrongName(model, providers, [listed]);
    if (doubt === null) return true;
    return confirm({
      title: `Use ${model} anyway?`,
      message: doubt,
      confirmLabel: 'Save anyway',
      cancelLabel: 'Change it',
    });
  };
}
