import { PlugZap } from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { ProviderInfo, ProviderType } from '../../../src/models/language-models.ts';
import { type ProviderChange, useConnectProvider, useProviders, useSaveTrial } from '../../api/provider-queries.ts';
import { Button } from '../../ui/button.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { Field } from '../../ui/field.tsx';
import { Folding } from '../../ui/folding.tsx';
import { TextField } from '../../ui/input.tsx';
import { DraftNote } from '../drafts/draft-note.tsx';
import { useFormDraft } from '../drafts/use-form-draft.ts';
import { adviceFor, keyPromise, typeNames } from './describe-provider.ts';
import { KeyInput } from './key-input.tsx';
import { ModelChoice, type ModelChoiceProps } from './model-choice.tsx';
import {
  changeOf,
  emptyDraft,
  findProvider,
  keyHint,
  missingIn,
  nameOf,
  ownAddresses,
  type ProviderDraft,
  providerTypes,
  takenName,
} from './provider-draft.ts';
import { ProviderFailure } from './provider-failure.tsx';

export interface ProviderFormProps extends Pick<ModelChoiceProps, 'useLabel' | 'onModel'> {
  /** Preselects a provider. */
  first?: Partial<ProviderDraft> | undefined;
  /** The provider to change. Without it, one is added, which replaces no other one. */
  changing?: string | undefined;
  /** An existing provider that is offered first, instead of a new one. */
  offered?: string | undefined;
  /** Called as soon as the provider has listed its models. */
  onConnected?: ((provider: ProviderInfo) => void) | undefined;
  /** Called when the provider was saved although it did not answer. */
  onSavedAnyway?: ((name: string) => void) | undefined;
  /** Called when there is a key that closing the form would lose, and when there is none. */
  onKey?: ((isTyped: boolean) => void) | undefined;
}

/** Connects a provider: choose it, enter a key, see that it can be reached, and choose one of its models. */
export function ProviderForm({
  first,
  changing,
  offered,
  useLabel,
  onModel,
  onConnected,
  onSavedAnyway,
  onKey,
}: ProviderFormProps) {
  const typed = useFormDraft<ProviderDraft>(
    `provider/${changing ?? 'new'}`,
    { ...emptyDraft, ...first },
    { withoutSecrets },
  );
  const draft = typed.value;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [saved, setSaved] = useState(changing ?? offered);
  const { data: providers, error: loadError, isFetching, refetch } = useProviders();
  const connect = useConnectProvider();
  const save = useSaveTrial();
  const keyInput = useRef<HTMLInputElement>(null);
  const isBusy = connect.isPending || save.isPending;
  // What is typed meanwhile would be lost with the reply. A request that saves nothing, as the one to Ollama, locks nothing.
  const isLocked = save.isPending || (connect.isPending && connect.variables.trial !== null);
  const name = nameOf(draft, providers ?? [], saved);
  const known = findProvider(providers ?? [], name);
  const change = (fields: Partial<ProviderDraft>) => {
    typed.set((before) => ({ ...before, ...fields }));
    if (fields.type !== undefined) setSaved(changing);
    if (fields.key !== undefined) onKey?.(fields.key.trim() !== '');
    setProblem(null);
    connect.reset();
    save.reset();
  };
  const keep = () => {
    setSaved(name);
    typed.forget();
    onKey?.(false);
  };
  const submit = () => {
    if (isBusy) return;
    if (!providers) return void refetch();
    const taken = takenName(draft, providers, saved);
    const missing = missingIn(draft, known);
    if (taken !== null) return setProblem({ field: 'name', text: taken });
    if (missing !== null) {
      setProblem({ field: missing, text: missing === 'key' ? 'Enter a key.' : 'Enter the address.' });
      if (missing === 'key') keyInput.current?.focus();
      return;
    }
    const wanted = changeOf(draft, name, known);
    if (wanted.trial?.kind === 'provider' && known?.from === 'config')
      return setProblem({ field: 'address', text: 'This provider is set in zoo.toml. Change it under Models.' });
    connect.mutate(wanted, {
      onSuccess: ({ provider, isSaved, failure }) => {
        if (wanted.trial !== null && isSaved) keep();
        if (!failure && provider) onConnected?.(provider);
      },
    });
  };
  const saveAnyway = ({ name, trial }: ProviderChange) => {
    if (trial === null || isBusy) return;
    save.mutate(
      { name, trial },
      {
        onSuccess: () => {
          keep();
          onSavedAnyway?.(name);
        },
      },
    );
  };
  // A local Ollama needs no input: it is enough to look for it.
  const isOllama = draft.type === 'ollama' && draft.address === '' && draft.name === '' && changing === undefined;
  const look = useRef(submit);
  look.current = submit;
  const canLook = isOllama && providers !== undefined && changeOf(draft, name, known).trial === null;
  useEffect(() => {
    if (canLook) look.current();
  }, [canLook]);

  const tested = connect.data;
  return (
    <div className="flex flex-col gap-4">
      <form
        noValidate
        autoComplete="off"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TypeChoice
          value={draft.type}
          disabled={isLocked}
          onChange={(type) => change({ type, name: '', address: '', key: '' })}
        />
        <ProviderFields
          draft={draft}
          name={name}
          nameNote={saved === undefined ? null : fixedNote}
          known={known}
          problem={problem}
          readOnly={isLocked}
          keyInput={keyInput}
          onChange={change}
        />
        <DraftNote draft={typed} />
        {(!tested || tested.failure) && (
          <div>
            <Button
              type="submit"
              variant="primary"
              icon={<PlugZap aria-hidden />}
              busy={isBusy || (!providers && isFetching)}
            >
              {!providers && loadError ? 'Try again' : draft.type === 'ollama' ? 'Look for Ollama' : 'Connect and test'}
            </Button>
          </div>
        )}
      </form>
      {!providers && loadError && <ProviderFailure message={errorText(loadError)} />}
      {save.error && <ProviderFailure message={errorText(save.error)} />}
      {connect.error && <ProviderFailure message={errorText(connect.error)} />}
      {tested?.failure && (
        <ProviderFailure
          message={tested.failure.message}
          advice={adviceFor(draft, tested.failure)}
          actions={
            tested.isSaved || save.isSuccess ? undefined : (
              <Button busy={save.isPending} onClick={() => connect.variables && saveAnyway(connect.variables)}>
                Save anyway
              </Button>
            )
          }
        />
      )}
      {save.isSuccess && (
        <p role="status" className="text-muted text-sm">
          {name} is saved, although it did not answer. Test it under Models once it should work.
        </p>
      )}
      {tested?.provider && !tested.failure && (
        <ModelChoice tested={{ ...tested, provider: tested.provider }} useLabel={useLabel} onModel={onModel} />
      )}
    </div>
  );
}

interface Problem {
  field: 'name' | 'address' | 'key';
  text: string;
}

const fixedNote = 'Agents and chats use this name. For another name, add another provider.';

function withoutSecrets(draft: ProviderDraft): ProviderDraft {
  return { ...draft, key: '' };
}

interface TypeChoiceProps {
  value: ProviderType;
  disabled: boolean;
  onChange: (type: ProviderType) => void;
}

function TypeChoice({ value, disabled, onChange }: TypeChoiceProps) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-sm">Provider</legend>
      <div className="grid grid-cols-2 gap-2 max-sm:[&>:last-child]:col-span-2 sm:grid-cols-5">
        {providerTypes.map((type) => (
          <label
            key={type}
            className="flex min-h-10 cursor-pointer items-center justify-center rounded-lg border border-control bg-raised px-2 py-1.5 text-center text-sm leading-tight transition-colors hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent-text has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={type}
              checked={type === value}
              aria-disabled={disabled || undefined}
              onChange={() => !disabled && onChange(type)}
              className="sr-only"
            />
            {typeNames[type]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface ProviderFieldsProps {
  draft: ProviderDraft;
  /** The name under which the provider is saved. */
  name: string;
  /** Why the name cannot be changed; null if it can. */
  nameNote: string | null;
  known: ProviderInfo | undefined;
  problem: Problem | null;
  readOnly: boolean;
  keyInput: RefObject<HTMLInputElement | null>;
  onChange: (fields: Partial<ProviderDraft>) => void;
}

function ProviderFields({ draft, name, nameNote, known, problem, readOnly, keyInput, onChange }: ProviderFieldsProps) {
  const { type, address, key } = draft;
  const baseUrl = address || known?.baseUrl || ownAddresses[type];
  const isCompatible = type === 'openai-compatible';
  const problemOf = (field: Problem['field']) => (problem?.field === field ? problem.text : null);
  const addressField = (
    <TextField
      label="Address"
      value={address}
      readOnly={readOnly}
      placeholder={isCompatible ? ownAddresses[type] : (known?.baseUrl ?? ownAddresses[type])}
      inputMode="url"
      spellCheck={false}
      autoCapitalize="none"
      hint={isCompatible ? 'Any OpenAI-compatible server, such as OpenRouter, Mistral, vLLM or LM Studio.' : undefined}
      error={problemOf('address')}
      onChange={(event) => onChange({ address: event.target.value })}
    />
  );
  const nameField = (
    <TextField
      label="Name"
      value={nameNote === null ? draft.name : name}
      readOnly={readOnly || nameNote !== null}
      placeholder={name}
      spellCheck={false}
      autoCapitalize="none"
      hint={nameNote ?? `Its models are called ${name}/…`}
      error={problemOf('name')}
      onChange={(event) => onChange({ name: event.target.value })}
    />
  );
  return (
    <>
      {isCompatible && (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-[2fr_1fr]">
          {addressField}
          {nameField}
        </div>
      )}
      {type !== 'ollama' && (
        <Field
          label={isCompatible ? 'API key, if it needs one' : 'API key'}
          hint={keyHint(draft, known) ?? keyPromise({ baseUrl })}
          error={problemOf('key')}
        >
          {(parts) => (
            <KeyInput
              {...parts}
              ref={keyInput}
              value={key}
              readOnly={readOnly}
              onChange={(event) => onChange({ key: event.target.value })}
            />
          )}
        </Field>
      )}
      {!isCompatible && (
        <Folding
          isOpenFirst={draft.name !== '' || address !== ''}
          summary={<span className="text-muted text-sm">Use another address or name</span>}
        >
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-[2fr_1fr]">
            {addressField}
            {nameField}
          </div>
        </Folding>
      )}
    </>
  );
}
