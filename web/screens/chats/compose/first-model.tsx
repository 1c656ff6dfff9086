import { BrainCircuit } from 'lucide-react';
import { useState } from 'react';
import type { DefaultModel, ProviderInfo, ProviderType, SeenState } from '../../../../src/models/language-models.ts';
import { useDefaultModel, useProviders, useSetDefaultModel } from '../../../api/provider-queries.ts';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { modelAdvice } from '../../../parts/models/describe-provider.ts';
import type { ModelChoiceProps } from '../../../parts/models/model-choice.tsx';
import { ModelField } from '../../../parts/models/model-field.tsx';
import { ProviderFailure } from '../../../parts/models/provider-failure.tsx';
import { ProviderForm } from '../../../parts/models/provider-form.tsx';
import { useAskedModel } from '../../../parts/models/use-asked-model.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { ErrorBanner } from '../../../ui/error-banner.tsx';
import { errorText } from '../../../ui/error-state.tsx';
import { controlClass } from '../../../ui/field.tsx';
import { Folding } from '../../../ui/folding.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';

export interface FirstModelProps {
  /** The model that the agent asks for, whose provider is not set up; null if it asks for none. */
  wanted: string | null;
  /** A message waits for the model. */
  isWaiting: boolean;
  /** Called with a model that has just answered. */
  onModel: (model: string) => Promise<void>;
}

/** Connects or chooses a model inside the chat, for a hub that has none yet. It also becomes the default model. */
export function FirstModel(props: FirstModelProps) {
  const { data: providers, error: providersError, refetch: refetchProviders } = useProviders();
  const { data: before, error: beforeError, refetch: refetchBefore } = useDefaultModel();
  const retry = () => {
    void refetchProviders();
    void refetchBefore();
  };
  if (!providers && providersError)
    return <ErrorBanner title="The providers could not be loaded." error={providersError} onRetry={retry} />;
  if (!before && beforeError)
    return <ErrorBanner title="The default model could not be loaded." error={beforeError} onRetry={retry} />;
  if (!providers || !before)
    return (
      <div role="status" aria-busy="true" aria-label="Loading providers">
        <Skeleton className="h-40 rounded-card" />
      </div>
    );
  return <LoadedFirstModel {...props} providers={providers} before={before} />;
}

interface LoadedFirstModelProps extends FirstModelProps {
  providers: readonly ProviderInfo[];
  /** The default model so far. */
  before: DefaultModel;
}

function LoadedFirstModel({ wanted, isWaiting, onModel, providers, before }: LoadedFirstModelProps) {
  const setDefault = useSetDefaultModel();
  const name = wanted?.split('/')[0];
  const known = providers.find((each) => each.name === name);
  // A provider that is connected here goes on in its own form.
  const [hasProvider] = useState(providers.some(({ isReady, seen }) => isReady && isUsable(seen)));
  const isConnected = wanted === null && hasProvider;
  const type: ProviderType = known?.type ?? 'openai';
  const useLabel = isWaiting ? 'Use model and send' : 'Use model';
  const use = async (model: string) => {
    if (before.model === null) await setDefault.mutateAsync({ model, version: before.version });
    await onModel(model);
  };
  const form = (
    <ProviderForm
      first={{ type, address: (known?.name !== type && known?.baseUrl) || '' }}
      offered={known?.name}
      useLabel={useLabel}
      onModel={use}
    />
  );
  return (
    <section
      aria-labelledby="first-model"
      className="flex flex-col gap-4 rounded-card border border-line bg-surface p-4 shadow-card"
    >
      <div className="flex items-start gap-3">
        <BrainCircuit aria-hidden className="mt-0.5 size-5 shrink-0 text-accent-text" />
        <div className="min-w-0">
          <h2 id="first-model" className="font-semibold text-base">
            {wanted !== null ? `Connect ${name} first` : isConnected ? 'Choose a model first' : 'Connect a model first'}
          </h2>
          <p role="status" className="text-pretty text-muted text-sm">
            {isWaiting
              ? 'Your message is kept. It will be sent once a model works.'
              : isConnected
                ? 'Agents without a model of their own use the one you choose here. You only need to do this once.'
                : 'Agents need a model, from a provider or on this machine. You only need to do this once.'}
          </p>
        </div>
      </div>
      {isConnected && <ConnectedModel useLabel={useLabel} onModel={use} />}
      {isConnected ? (
        <Folding summary={<span className="text-sm">Connect another provider</span>}>{form}</Folding>
      ) : (
        form
      )}
    </section>
  );
}

/** Chooses a model of the providers that are connected already. */
function ConnectedModel({ useLabel, onModel }: Pick<ModelChoiceProps, 'useLabel' | 'onModel'>) {
  const { value: model, set: setModel, forget } = useFormDraft('chat/first-model', '');
  const asked = useAskedModel(async (answered) => {
    await onModel(answered);
    forget();
  });
  const [provider = '', ...rest] = model.trim().split('/');
  const isNamed = provider !== '' && rest.join('/') !== '';
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isNamed) void asked.use(provider, rest.join('/'));
      }}
    >
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1 basis-64">
          <ModelField
            value={model || null}
            isInvalid={asked.failure !== null}
            readOnly={false}
            placeholder="Search models"
            onChange={(next) => {
              setModel(next ?? '');
              asked.reset();
            }}
            className={classes(controlClass, 'h-8 px-2.5 font-mono text-xs max-md:h-10')}
          />
        </div>
        <Button type="submit" variant="primary" busy={asked.isAsking} disabled={!isNamed}>
          {useLabel}
        </Button>
      </div>
      {asked.failure && (
        <ProviderFailure message={asked.failure.message} advice={modelAdvice(asked.failure.reason, 'in Models')} />
      )}
      {asked.error !== null && <ProviderFailure message={errorText(asked.error)} />}
    </form>
  );
}

/** Whether the provider answered when it was last asked. */
function isUsable({ state }: SeenState): boolean {
  return state === 'reached' || state === 'worked';
}
