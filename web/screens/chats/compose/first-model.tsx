import { BrainCircuit } from 'lucide-react';
import type { ProviderType } from '../../../../src/models/language-models.ts';
import { useDefaultModel, useProviders, useSetDefaultModel } from '../../../api/provider-queries.ts';
import { ProviderForm } from '../../../parts/models/provider-form.tsx';

export interface FirstModelProps {
  /** The model that the agent asks for, whose provider is not set up; null if it asks for none. */
  wanted: string | null;
  /** A message waits for the model. */
  isWaiting: boolean;
  /** Called with a model that has just answered. */
  onModel: (model: string) => Promise<void>;
}

/** Connects a model inside the chat, for a hub that has none yet. It also becomes the default model. */
export function FirstModel({ wanted, isWaiting, onModel }: FirstModelProps) {
  const { data: providers } = useProviders();
  const { data: before } = useDefaultModel();
  const setDefault = useSetDefaultModel();
  const name = wanted?.split('/')[0];
  const known = providers?.find((each) => each.name === name);
  if (!providers || !before) return null;
  const type: ProviderType = known?.type ?? 'openai';
  return (
    <section
      aria-labelledby="first-model"
      className="flex flex-col gap-4 rounded-card border border-line bg-surface p-4 shadow-card"
    >
      <div className="flex items-start gap-3">
        <BrainCircuit aria-hidden className="mt-0.5 size-5 shrink-0 text-accent-text" />
        <div className="min-w-0">
          <h2 id="first-model" className="font-semibold text-base">
            {wanted === null ? 'Connect a model first' : `Connect ${name} first`}
          </h2>
          <p role="status" className="text-pretty text-muted text-sm">
            {isWaiting
              ? 'Your message is kept. It is sent as soon as a model answers.'
              : 'Agents need a model, from a provider or on this machine. You set it up only once.'}
          </p>
        </div>
      </div>
      <ProviderForm
        first={{ type, address: (known?.name !== type && known?.baseUrl) || '' }}
        offered={known?.name}
        useLabel={isWaiting ? 'Use model and send' : 'Use model'}
        onModel={async (model) => {
          if (before.model === null) await setDefault.mutateAsync({ model, version: before.version });
          await onModel(model);
        }}
      />
    </section>
  );
}
