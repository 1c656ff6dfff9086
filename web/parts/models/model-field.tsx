import { useId, useState } from 'react';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { useProviderModels, useProviders } from '../../api/provider-queries.ts';
import { useDebounced } from '../../ui/use-debounced.ts';

export interface ModelFieldProps {
  value: string | null;
  isInvalid: boolean;
  readOnly: boolean;
  className: string;
  /** What holds while it is empty. */
  placeholder?: string;
  onChange: (model: string | null) => void;
}

/** `provider/model`, with the providers that are ready and, once one is named, the models that it lists. */
export function ModelField({ value, isInvalid, readOnly, className, placeholder = 'any', onChange }: ModelFieldProps) {
  const id = useId();
  const [isFocused, setIsFocused] = useState(false);
  const { data: providers = [] } = useProviders();
  const wanted = typedProvider(useDebounced(value ?? '', 300), providers);
  // A provider is only asked for somebody who chooses.
  const { data: models } = useProviderModels(wanted ?? '', wanted !== undefined && isFocused && !readOnly);
  return (
    <>
      <input
        aria-label="Model"
        aria-invalid={isInvalid || undefined}
        value={value ?? ''}
        readOnly={readOnly}
        list={id}
        placeholder={placeholder}
        // The browser's mark of a list takes the room of a few letters.
        size={Math.max(5, (value?.length ?? 0) + 3)}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        title="provider/model for runs on the hub, or empty for whatever the client uses"
        onFocus={() => setIsFocused(true)}
        onBlur={() => setIsFocused(false)}
        onChange={(event) => onChange(event.target.value || null)}
        className={className}
      />
      <datalist id={id}>
        {suggestedModels(providers, wanted, models ?? []).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

type Provider = Pick<ProviderInfo, 'name' | 'isReady'>;

const maxSuggested = 200;

/** The provider that stands before the slash, when it is one that can be asked. */
export function typedProvider(model: string, providers: readonly Provider[]): string | undefined {
  const [name, ...rest] = model.split('/');
  return rest.length > 0 && providers.some((each) => each.isReady && each.name === name) ? name : undefined;
}

export function suggestedModels(
  providers: readonly Provider[],
  provider: string | undefined,
  models: readonly string[],
): string[] {
  if (provider !== undefined && models.length > 0)
    return models.slice(0, maxSuggested).map((model) => `${provider}/${model}`);
  return providers.filter((each) => each.isReady).map((each) => `${each.name}/`);
}
