import { useState } from 'react';
import type { ModelFact } from '../../../src/models/language-models.ts';
import { useModelFacts, useProviders } from '../../api/provider-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { datedFact } from '../../parts/models/known-models.ts';
import { ModelField } from '../../parts/models/model-field.tsx';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { TextField } from '../../ui/input.tsx';
import { modelFieldClass } from './default-model-section.tsx';

export interface PriceDialogProps {
  /** `provider/model`, or `provider/` to choose one of its models. */
  model: string;
  onClose: () => void;
}

const fields = [
  { name: 'input', label: 'Input' },
  { name: 'output', label: 'Output' },
  { name: 'cachedInput', label: 'Cached input (optional)' },
] as const;
type Field = (typeof fields)[number]['name'];
type Prices = Partial<Record<Field, number | undefined>>;

/** Sets the price of a model. Our dated list fills the form in; saving it confirms the price. */
export function PriceDialog({ model: first, onClose }: PriceDialogProps) {
  const { data: providers = [] } = useProviders();
  const { data: facts } = useModelFacts(true);
  const empty = { model: first, input: null, output: null, cachedInput: null };
  const draft = useFormDraft<{ model: string } & Record<Field, string | null>>(`price/${first}`, empty);
  const [isChecked, setIsChecked] = useState(false);
  const model = draft.value.model.trim();
  const [name = '', ...rest] = model.split('/');
  const modelId = rest.join('/');
  const provider = providers.find((each) => each.name === name);
  const current = provider?.prices.find((each) => each.model === modelId);
  const published: ModelFact | undefined = provider && datedFact(facts, provider.type, modelId);
  const known: Prices = current ?? { input: published?.input, output: published?.output };
  const texts = Object.fromEntries(
    fields.map((each) => [each.name, draft.value[each.name] ?? String(known[each.name] ?? '')]),
  ) as Record<Field, string>;
  const problem = (field: Field) => priceProblem(texts[field], field === 'cachedInput');
  const isPublished = !current && published?.input !== undefined;
  return (
    <ChangeDialog
      title={current ? `Change the price of ${modelId}` : 'Set the price of a model'}
      description="In US dollars per million tokens; 0 if the model is free. Costs and budgets in dollars use it from the next call on."
      submit="Save price"
      change={() => {
        setIsChecked(true);
        if (modelId === '' || fields.some((each) => problem(each.name) !== null)) return null;
        const { input, output, cachedInput } = texts;
        const cached = cachedInput.trim() === '' ? {} : { cachedInput: Number(cachedInput) };
        const price = { input: Number(input), output: Number(output), ...cached };
        return { kind: 'price', model, price, version: current?.version ?? null };
      }}
      draft={draft}
      onClose={onClose}
    >
      <div className="flex flex-col gap-1.5">
        <span className="font-medium text-sm">Model</span>
        <ModelField
          value={draft.value.model || null}
          isInvalid={isChecked && modelId === ''}
          readOnly={false}
          placeholder="provider/model"
          onChange={(next) => draft.set({ ...empty, model: next ?? '' })}
          className={modelFieldClass}
        />
        {isChecked && modelId === '' && <span className="text-danger text-xs">Choose a model.</span>}
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        {fields.map((each) => (
          <TextField
            key={each.name}
            label={each.label}
            inputMode="decimal"
            autoComplete="off"
            value={texts[each.name]}
            error={isChecked ? problem(each.name) : null}
            onChange={(event) => draft.set({ ...draft.value, [each.name]: event.currentTarget.value })}
          />
        ))}
      </div>
      {isPublished && (
        <p className="text-muted text-xs">
          Filled in as published on {facts?.asOf}. Compare it with your provider’s price list before you save it.
        </p>
      )}
      <DraftNote draft={draft} />
    </ChangeDialog>
  );
}

function priceProblem(text: string, isOptional: boolean): string | null {
  if (isOptional && text.trim() === '') return null;
  const value = Number(text);
  const isPrice = text.trim() !== '' && value >= 0 && value <= 1_000_000;
  return isPrice ? null : 'Enter dollars, such as 1.25.';
}
