import { CircleCheck, CircleX, PlugZap } from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { ProviderInfo, ProviderTest, ProviderType } from '../../../src/models/language-models.ts';
import { useConnectProvider, useModelFacts, useProviders, useTestProvider } from '../../api/provider-queries.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { Field } from '../../ui/field.tsx';
import { Folding } from '../../ui/folding.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { TextField } from '../../ui/input.tsx';
import { DraftNote } from '../drafts/draft-note.tsx';
import { useFormDraft } from '../drafts/use-form-draft.ts';
import { keyPromise, typeNames } from './describe-provider.ts';
import { KeyInput } from './key-input.tsx';
import { factWords, type KnownModel, knownModels } from './known-models.ts';
import {
  changeOf,
  emptyDraft,
  findProvider,
  missingIn,
  nameOf,
  ownAddresses,
  type ProviderDraft,
  providerTypes,
  takenName,
} from './provider-draft.ts';

export interface ProviderFormProps {
  /** Preselects a provider. */
  first?: Partial<ProviderDraft> | undefined;
  /** The provider to change. Without it, one is added, which replaces no other one. */
  changing?: string | undefined;
  /** An existing provider that is offered first, instead of a new one. */
  offered?: string | undefined;
  /** The label of the last button, such as "Use model". */
  useLabel: string;
  /** Called with a model that has just answered. */
  onModel: (model: string) => Promise<void> | void;
  /** Called as soon as the provider has listed its models. */
  onConnected?: ((provider: ProviderInfo) => void) | undefined;
  /** Called when there is a key that closing the form would lose, and when there is none. */
  onKey?: ((isTyped: boolean) => void) | undefined;
}

/** Connects a provider: choose it, enter a key, see that it can be reached, and choose one of its models. */
export function ProviderForm({ first, changing, offered, useLabel, onModel, onConnected, onKey }: ProviderFormProps) {
  const typed = useFormDraft<ProviderDraft>(
    `provider/${changing ?? 'new'}`,
    { ...emptyDraft, ...first },
    { withoutSecrets },
  );
  const draft = typed.value;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [saved, setSaved] = useState(changing ?? offered);
  const { data: providers } = useProviders();
  const connect = useConnectProvider();
  const keyInput = useRef<HTMLInputElement>(null);
  const name = nameOf(draft, providers ?? [], saved);
  const known = findProvider(providers ?? [], name);
  const change = (fields: Partial<ProviderDraft>) => {
    typed.set((before) => ({ ...before, ...fields }));
    if (fields.type !== undefined) setSaved(changing);
    if (fields.key !== undefined) onKey?.(fields.key.trim() !== '');
    setProblem(null);
    connect.reset();
  };
  const submit = () => {
    if (connect.isPending || !providers) return;
    const taken = takenName(draft, providers, saved);
    const missing = missingIn(draft, known);
    if (taken !== null) return setProblem({ field: 'name', text: taken });
    if (missing !== null) {
      setProblem({ field: missing, text: missing === 'key' ? 'Enter a key.' : 'Enter the address.' });
      if (missing === 'key') keyInput.current?.focus();
      return;
    }
    const wanted = changeOf(draft, name, known);
    if (wanted.kind === 'provider' && known?.from === 'config')
      return setProblem({ field: 'address', text: 'This provider is set in zoo.toml. Change it under Models.' });
    connect.mutate(wanted, {
      onSuccess: ({ provider, failure }) => {
        if (wanted.kind !== 'none') setSaved(name);
        if (failure) return;
        typed.forget();
        onKey?.(false);
        onConnected?.(provider);
      },
    });
  };
  // A local Ollama needs no input: it is enough to look for it.
  const isOllama = draft.type === 'ollama' && draft.address === '' && draft.name === '' && changing === undefined;
  const look = useRef(submit);
  look.current = submit;
  const canLook = isOllama && providers !== undefined && changeOf(draft, name, known).kind === 'none';
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
        <TypeChoice value={draft.type} onChange={(type) => change({ type, name: '', address: '', key: '' })} />
        <ProviderFields
          draft={draft}
          name={name}
          nameNote={saved === undefined ? null : fixedNote}
          known={known}
          problem={problem}
          keyInput={keyInput}
          onChange={change}
        />
        <DraftNote draft={typed} />
        {(!tested || tested.failure) && (
          <div>
            <Button type="submit" variant="primary" icon={<PlugZap aria-hidden />} busy={connect.isPending}>
              {draft.type === 'ollama' ? 'Look for Ollama' : 'Connect and test'}
            </Button>
          </div>
        )}
      </form>
      {connect.error && <Failed message={errorText(connect.error)} />}
      {tested?.failure && <Failed message={tested.failure.message} advice={adviceFor(draft.type, tested.failure)} />}
      {tested && !tested.failure && <ModelChoice tested={tested} useLabel={useLabel} onModel={onModel} />}
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

function TypeChoice({ value, onChange }: { value: ProviderType; onChange: (type: ProviderType) => void }) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-sm">Provider</legend>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-5">
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
              onChange={() => onChange(type)}
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
  keyInput: RefObject<HTMLInputElement | null>;
  onChange: (fields: Partial<ProviderDraft>) => void;
}

function ProviderFields({ draft, name, nameNote, known, problem, keyInput, onChange }: ProviderFieldsProps) {
  const { type, address, key } = draft;
  const baseUrl = address || known?.baseUrl || ownAddresses[type];
  const isCompatible = type === 'openai-compatible';
  const problemOf = (field: Problem['field']) => (problem?.field === field ? problem.text : null);
  const addressField = (
    <TextField
      label="Address"
      value={address}
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
      readOnly={nameNote !== null}
      placeholder={name}
      spellCheck={false}
      autoCapitalize="none"
      hint={nameNote ?? `Its models are called ${name}/…`}
      error={problemOf('name')}
      onChange={(event) => onChange({ name: event.target.value })}
    />
  );
  const hasKey = known?.key === 'vault' || known?.key === 'environment' || known?.key === 'config';
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
          hint={hasKey && key === '' ? 'A key is already set. Leave empty to keep it.' : keyPromise({ baseUrl })}
          error={problemOf('key')}
        >
          {(parts) => (
            <KeyInput
              {...parts}
              ref={keyInput}
              value={key}
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

function Failed({ message, advice }: { message: string; advice?: string | undefined }) {
  return (
    <Banner tone="danger" icon={<CircleX />}>
      <p role="alert" className="[overflow-wrap:anywhere]">
        {message}
      </p>
      {advice && <p className="mt-0.5 text-muted text-xs">{advice}</p>}
    </Banner>
  );
}

const keyPages: Partial<Record<ProviderType, string>> = {
  openai: 'platform.openai.com/api-keys',
  anthropic: 'platform.claude.com/settings/keys',
  google: 'aistudio.google.com/apikey',
};

/** Returns what to do beyond what the message says. */
function adviceFor(type: ProviderType, { reason }: NonNullable<ProviderTest['failure']>): string | undefined {
  const page = keyPages[type];
  if (reason === 'key' && page) return `Copy the key again from ${page}, paste it above and connect again.`;
  if (reason === 'unreachable' && type === 'ollama')
    return 'Install Ollama from ollama.com and start it, or choose another provider.';
  if (reason === 'unreachable' || reason === 'address') return 'Correct the address above and connect again.';
  return undefined;
}

interface ModelChoiceProps {
  tested: ProviderTest;
  useLabel: string;
  onModel: ProviderFormProps['onModel'];
}

/** Chooses one of the provider's models and asks it for a short answer before it is used. */
function ModelChoice({ tested: { provider, listed, latencyMs }, useLabel, onModel }: ModelChoiceProps) {
  const { data: facts } = useModelFacts(true);
  const ask = useTestProvider();
  const list = listed ?? { models: [], facts: {} };
  const known = knownModels([provider], [{ provider: provider.name, list }], facts);
  // Models with known facts are for conversations; a list also has models for speech, images and embeddings.
  const items = known
    .map((model) => ({ ...model, id: model.name.slice(provider.name.length + 1) }))
    .toSorted((one, other) => Number(isKnown(other)) - Number(isKnown(one)));
  const [chosen, setChosen] = useState('');
  const [isUsing, setIsUsing] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const model = chosen || (items.length === 1 ? (items[0]?.id ?? '') : '');
  const use = async () => {
    if (model === '' || isUsing) return;
    setIsUsing(true);
    setError(null);
    try {
      const { failure, answeredBy } = await ask.mutateAsync({ name: provider.name, model });
      if (!failure && answeredBy !== null) await onModel(answeredBy);
    } catch (thrown) {
      setError(thrown);
    }
    setIsUsing(false);
  };
  const failure = ask.data?.failure;
  return (
    <div className="flex flex-col gap-3 border-line border-t pt-4">
      <p role="status" className="flex items-center gap-1.5 text-muted text-sm">
        <CircleCheck aria-hidden className="size-4 shrink-0" />
        {provider.name} lists {formatCount(list.models.length, 'model')} ({latencyMs.toLocaleString('en')} ms).
        {list.models.length > 0 && ' Choose one: the hub asks it for a short answer.'}
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
            void use();
          }}
        >
          <div className="min-w-0 flex-1 basis-64">
            <Combobox
              label="Model"
              items={items}
              value={model}
              onChange={(id) => {
                setChosen(id);
                ask.reset();
              }}
              placeholder="Search its models"
              showLabel="Show models"
              noMatchText="No models match."
              nameOf={({ id }) => id}
              searchTextOf={({ id }) => id}
            >
              {(item) => (
                <>
                  <span className="min-w-0 flex-1 break-all font-mono text-xs">{item.id}</span>
                  <span className="text-2xs text-muted tabular-nums">{factWords(item)}</span>
                </>
              )}
            </Combobox>
          </div>
          <Button type="submit" variant="primary" busy={isUsing} disabled={model === ''}>
            {useLabel}
          </Button>
        </form>
      )}
      {failure && (
        <Failed
          message={failure.message}
          advice={failure.reason === 'key' ? 'Correct the key above and connect again.' : 'Choose another model.'}
        />
      )}
      {error !== null && <Failed message={errorText(error)} />}
    </div>
  );
}

function isKnown({ context, input }: KnownModel): boolean {
  return context !== undefined || input !== undefined;
}
