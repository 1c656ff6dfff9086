import { useId, useState } from 'react';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { useProviderModels, useProviders } from '../../api/provider-queries.ts';
import { useDebounced } from '../../ui/use-debounced.ts';

export interface ModelFieldProps {
  value: string | null;
  isInvalid: boolean;
  readOnly: boolean;
  className: string;
  /** Shown while the field is empty. */
  placeholder?: string;
  onChange: (model: string | null) => void;
}

/** An input for `provider/model` that suggests ready providers and then the models of the typed one. */
export function ModelField({ value, isInvalid, readOnly, className, placeholder = 'Any', onChange }: ModelFieldProps) {
  const id = useId();
  const [isFocused, setIsFocused] = useState(false);
  const { data: providers = [] } = useProviders();
  const provider = typedProvider(useDebounced(value ?? '', 300), providers);
  // Asks the provider only while the user is choosing.
  const { data: models } = useProviderModels(provider ?? '', provider !== undefined && isFocused && !readOnly);
  return (
    <>
      <input
        aria-label="Model"
        aria-invalid={isInvalid || undefined}
        value={value ?? ''}
        readOnly={readOnly}
        list={id}
        placeholder={placeholder}
        // Leaves room for the browser's list arrow.
        size={Math.max(5, (value?.length ?? 0) + 3)}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        title="The model for runs on the hub, as provider/model. Leave empty to use any model."
        onFocus={() => setIsFocused(true)}
        onBlur={() => setIsFocused(false)}
        onChange={(event) => onChange(event.target.value || null)}
        className={className}
      />
      <datalist id={id}>
        {suggestedModels(providers, provider, models ?? []).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

type Provider = Pick<ProviderInfo, 'name' | 'isReady'>;

const maxSuggestions = 200;

/** Returns the provider before the slash if it is ready. */
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
    return models.slice(0, maxSuggestions).map((model) => `${provider}/${model}`);
  return providers.filter((each) => each.isReady).map((each) => `${each.name}/`);
}
