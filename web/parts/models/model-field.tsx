import { Combobox } from '@base-ui/react/combobox';
import { TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { useDefaultModel, useModelFacts, useModelsOf, useProviders } from '../../api/provider-queries.ts';
import { errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { ListPopup, useListPopup } from '../../ui/list-popup.tsx';
import {
  factWords,
  type KnownModel,
  knownModels,
  type Listed,
  type ModelGroup,
  searchModels,
  wrongName,
} from './known-models.ts';

export interface ModelFieldProps {
  value: string | null;
  isInvalid: boolean;
  readOnly: boolean;
  className: string;
  /** Shown while the field is empty. Default: the default model. */
  placeholder?: string;
  /** The accessible name. */
  label?: string;
  onChange: (model: string | null) => void;
}

/** Chooses a model by searching all models of the providers that are set up. A wrong name stays in the field, with the reason. */
export function ModelField({
  value,
  isInvalid,
  readOnly,
  className,
  placeholder,
  label = 'Model',
  onChange,
}: ModelFieldProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [query, setQuery] = useState('');
  // Asks the providers only while the user is choosing.
  const { models, listed, providers, asOf } = useKnownModels(isOpen && !readOnly);
  const { data: defaultModel } = useDefaultModel();
  const typed = value ?? '';
  const groups = searchModels(models, query);
  const reasonId = useId();
  // While something matches what is being typed, the name is not wrong yet.
  const isTyping = isOpen && query !== '' && groups.length > 0;
  const reason = providers.length === 0 || isTyping ? null : wrongName(typed, providers, listed);
  const popup = useListPopup((next) => {
    setIsOpen(next && !readOnly);
    // The next opening shows every model; typing searches.
    if (!next) setQuery('');
  });
  return (
    <Combobox.Root<KnownModel>
      {...popup.root}
      items={groups}
      filter={null}
      // No model is ever selected: the text is the value, whether it names one or not.
      value={null}
      onValueChange={(model) => model && onChange(model.name)}
      inputValue={typed}
      onInputValueChange={(next, { reason }) => {
        if (reason !== 'input-change') return;
        setQuery(next);
        onChange(next || null);
      }}
      open={isOpen}
      itemToStringLabel={({ name }) => name}
    >
      <span className="flex min-w-0 flex-col gap-1">
        <Combobox.Input
          aria-label={label}
          aria-invalid={isInvalid || reason !== null || undefined}
          aria-describedby={reason === null ? undefined : reasonId}
          readOnly={readOnly}
          placeholder={placeholder ?? defaultModel?.model ?? 'Any'}
          size={Math.max(5, typed.length + 1)}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onBlur={popup.onBlur}
          title="The model for runs on the hub, as provider/model. Leave empty to use the default model."
          className={className}
        />
        {reason !== null && (
          <span id={reasonId} className={isOpen ? 'sr-only' : 'px-1 text-danger text-xs [overflow-wrap:anywhere]'}>
            {reason}
          </span>
        )}
      </span>
      <ListPopup
        align="start"
        className="max-h-[min(24rem,var(--available-height))] w-[min(28rem,calc(100vw-1.5rem))] overflow-hidden"
      >
        <Combobox.Status className="contents">
          {reason !== null && (
            <p className="flex gap-2 border-line border-b bg-warn-soft px-3 py-2 text-warn text-xs [overflow-wrap:anywhere]">
              <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
              {reason}
            </p>
          )}
        </Combobox.Status>
        <Combobox.List className="min-h-0 flex-1 overflow-y-auto p-1">
          {(group: ModelGroup) => (
            <Combobox.Group key={group.provider} items={group.items}>
              {groups.length > 1 && (
                <Combobox.GroupLabel className="px-2 pt-2 pb-1 font-medium text-2xs text-muted">
                  {group.provider}
                </Combobox.GroupLabel>
              )}
              <Combobox.Collection>
                {(model: KnownModel) => (
                  <Combobox.Item
                    key={model.name}
                    value={model}
                    className="flex flex-wrap items-baseline gap-x-3 rounded-lg px-2 py-1.5 outline-none data-highlighted:bg-hover max-md:py-2.5"
                  >
                    <span className="min-w-0 flex-1 basis-40 break-all font-mono text-xs">{model.name}</span>
                    <span className="text-2xs text-muted tabular-nums">{factWords(model)}</span>
                  </Combobox.Item>
                )}
              </Combobox.Collection>
              {group.more > 0 && (
                <p className="px-2 py-1.5 text-faint text-xs">
                  {formatCount(group.more, 'more model')}. Type to narrow the list.
                </p>
              )}
            </Combobox.Group>
          )}
        </Combobox.List>
        <Notes
          listed={listed}
          isEmpty={groups.length === 0}
          isSearch={query.trim() !== ''}
          asOf={asOf}
          prices={groups.flatMap(({ items }) => items).filter(({ input }) => input !== undefined)}
        />
      </ListPopup>
    </Combobox.Root>
  );
}

interface NotesProps {
  listed: readonly Listed[];
  isEmpty: boolean;
  isSearch: boolean;
  /** The day of our own list of prices. */
  asOf: string | undefined;
  /** The models that are shown with a price. */
  prices: readonly KnownModel[];
}

function Notes({ listed, isEmpty, isSearch, asOf, prices }: NotesProps) {
  const failed = listed.filter(({ error }) => error !== undefined);
  const isAsking = listed.some(({ list, error }) => list === undefined && error === undefined);
  return (
    <Combobox.Status className="flex flex-col gap-1 border-line border-t px-3 py-2 text-faint text-xs">
      {isEmpty && !isAsking && (
        <p className="text-muted text-sm">
          {isSearch ? 'No models match. You can still use this name.' : 'No provider is set up. Add one under Models.'}
        </p>
      )}
      {isAsking && <p>Loading the providers’ models…</p>}
      {failed.length > 0 && (
        <p className="truncate">
          {failed.length === 1
            ? `${failed[0]?.provider} did not list its`
            : `${failed.length} providers did not list their`}{' '}
          models. See Models.
        </p>
      )}
      {prices.length > 0 && (
        <p>
          Dollars per million tokens, input / output
          {prices.some(({ isDated }) => isDated)
            ? `, as set under Models, as the provider lists them, or as published on ${asOf}.`
            : '.'}
        </p>
      )}
    </Combobox.Status>
  );
}

/** Returns the models of all providers that are set up. Asks them if wanted. */
function useKnownModels(isWanted: boolean) {
  const { data: providers = [] } = useProviders();
  const { data: facts } = useModelFacts(isWanted);
  const ready = providers.filter(({ isReady }) => isReady);
  const replies = useModelsOf(
    ready.map(({ name }) => name),
    isWanted,
  );
  const listed = ready.map(({ name }, index): Listed => {
    const reply = replies[index];
    return { provider: name, list: reply?.data, ...(reply?.error && { error: errorText(reply.error) }) };
  });
  return { models: knownModels(providers, listed, facts), listed, providers, asOf: facts?.asOf };
}
