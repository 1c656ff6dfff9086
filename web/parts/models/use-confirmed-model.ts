import { useState } from 'react';
import { useAskForModels, useProviders } from '../../api/provider-queries.ts';
import { confirm } from '../../ui/confirm.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { type Listed, wrongName } from './known-models.ts';

interface ConfirmedModel {
  /** Whether the provider is being asked for its models. */
  isAsking: boolean;
  /** Resolves to whether the model is wanted. */
  isWanted: (model: string) => Promise<boolean>;
}

/**
 * Asks the user about a model that its provider does not list, because some providers have models that they do not list. Everything else
 * that is wrong with a name is left to the hub.
 */
export function useConfirmedModel(): ConfirmedModel {
  const { data: providers = [] } = useProviders();
  const list = useAskForModels();
  const [isAsking, setIsAsking] = useState(false);
  const isWanted = async (model: string) => {
    const provider = providers.find(({ name, isReady }) => isReady && model.startsWith(`${name}/`))?.name;
    if (provider === undefined) return true;
    setIsAsking(true);
    const listed: Listed = await list(provider).then(
      (reply) => ({ provider, list: reply }),
      (error: unknown) => ({ provider, list: undefined, error: errorText(error) }),
    );
    setIsAsking(false);
    const doubt = wrongName(model, providers, [listed]);
    if (doubt === null) return true;
    return confirm({
      title: `Use ${model} anyway?`,
      message: doubt,
      confirmLabel: 'Save anyway',
      cancelLabel: 'Change it',
    });
  };
  return { isAsking, isWanted };
}
