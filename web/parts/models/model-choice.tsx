import { CircleCheck } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import type { ProviderTest } from '../../../src/models/language-models.ts';
import { useModelFacts } from '../../api/provider-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { modelAdvice } from './describe-provider.ts';
import { factWords, type KnownModel, knownModels } from './known-models.ts';
import { ProviderFailure } from './provider-failure.tsx';
import { useAskedModel } from './use-asked-model.ts';

export interface ModelChoiceProps {
  tested: ProviderTest;
  /** The label of the button, such as "Use model". */
  useLabel: string;
  /** Called with a model that has just answered. */
  onModel: (model: string) => Promise<void> | void;
}

/** Chooses one of the provider's models and asks it for a short answer before it is used. */
export function ModelChoice({ tested: { provider, listed, latencyMs }, useLabel, onModel }: ModelChoiceProps) {
  const { data: facts } = useModelFacts(true);
  const asked = useAskedModel(onModel);
  const list = listed ?? { models: [], facts: {} };
  const known = knownModels([provider], [{ provider: provider.name, list }], facts);
  // Models with known facts are for conversations; a list also has models for speech, images and embeddings.
  const items = known
    .map((model) => ({ ...model, id: model.name.slice(provider.name.length + 1) }))
    .toSorted((one, other) => Number(isKnown(other)) - Number(isKnown(one)));
  const [chosen, setChosen] = useState('');
  const model = chosen || (items.length === 1 ? (items[0]?.id ?? '') : '');
  const { failure, error } = asked;
  // The button that led here is gone.
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) field.current?.focus();
  }, []);
  return (
    <div className="flex flex-col gap-3 border-line border-t pt-4">
      <p role="status" className="flex items-center gap-1.5 text-muted text-sm">
        <CircleCheck aria-hidden className="size-4 shrink-0" />
        {provider.name} lists {formatCount(list.models.length, 'model')} ({latencyMs.toLocaleString('en')} ms).
        {list.models.length > 0 && ' Choose a model to test.'}
      </p>
      {items.length === 0 ? (
        <p className="text-muted text-sm">
          {provider.type === 'ollama'
            ? 'Ollama has no models yet. Get one with "ollama pull qwen3", then look for Ollama again.'
            : 'The provider lists no models. Check the address, or choose another provider.'}
        </p>
      ) : (
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (model !== '') void asked.use(provider.name, model);
          }}
        >
          <div className="min-w-0 flex-1 basis-64">
            <Combobox
              label="Model"
              inputRef={field}
              items={items}
              value={model}
              onChange={(id) => {
                setChosen(id);
                asked.reset();
              }}
              placeholder="Search its models"
              showLabel="Show models"
              noMatchText="No models match."
              nameOf={({ id }) => id}
            >
              {(item) => (
                <>
                  <span className="min-w-0 flex-1 break-all font-mono text-xs">{item.id}</span>
                  <span className="text-2xs text-muted tabular-nums">{factWords(item)}</span>
                </>
              )}
            </Combobox>
          </div>
          <Button type="submit" variant="primary" busy={asked.isAsking} disabled={model === ''}>
            {useLabel}
          </Button>
        </form>
      )}
      {failure && <ProviderFailure message={failure.message} advice={modelAdvice(failure.reason, 'above')} />}
      {error !== null && <ProviderFailure message={errorText(error)} />}
    </div>
  );
}

function isKnown({ context, input }: KnownModel): boolean {
  return context !== undefined || input !== undefined;
}
