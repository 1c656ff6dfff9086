import { useState } from 'react';
import type { EmbeddingChoice } from '../../../src/models/embeddings/embedding-settings.ts';
import { useChooseEmbeddings, useEmbeddings } from '../../api/provider-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { ModelField } from '../../parts/models/model-field.tsx';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { FormError } from '../../ui/form-dialog.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { showToast } from '../../ui/toast.tsx';
import { ChoiceSection, FileChoice, MissingChoice } from './choice-section.tsx';
import { modelFieldClass } from './default-model-section.tsx';
import { SeenBadge } from './seen-badge.tsx';
import { useDraftOver } from './use-draft-over.ts';

type Place = 'off' | 'local' | 'provider';

/** What is being chosen; the model is only used with a provider. */
interface Choice {
  place: Place;
  model: string | null;
}

const places: { value: Place; label: string }[] = [
  { value: 'off', label: 'Off' },
  { value: 'local', label: 'On this machine' },
  { value: 'provider', label: 'From a provider' },
];

const draftName = 'models/embeddings';

/** Shows and chooses the embeddings for search by meaning. */
export function EmbeddingsSection() {
  const { data, error, refetch } = useEmbeddings();
  return (
    <ChoiceSection
      title="Search by meaning"
      isFromFile={data?.from === 'config'}
      badge={data?.model != null && <SeenBadge seen={data.seen} />}
      description="An embedding model finds passages that say the same thing in other words. If you choose a provider, it receives the text of your passages."
    >
      {data?.seen.state === 'failed' && (
        <p className="mt-2 text-danger text-sm [overflow-wrap:anywhere]">{data.seen.message}</p>
      )}
      {data === undefined ? (
        <MissingChoice error={error} onRetry={() => void refetch()} />
      ) : data.from === 'config' ? (
        <FileEmbeddings model={data.model} />
      ) : (
        <EmbeddingsForm {...data} />
      )}
    </ChoiceSection>
  );
}

function toChoice(model: string | null): Choice {
  if (model === null) return { place: 'off', model: null };
  return model === 'local' ? { place: 'local', model: null } : { place: 'provider', model };
}

/** Returns the model to choose, or null for none; undefined while a provider's model is missing. */
function toModel({ place, model }: Choice): string | null | undefined {
  if (place === 'off') return null;
  return place === 'local' ? 'local' : model?.trim() || undefined;
}

function EmbeddingsForm({ model: current, version }: EmbeddingChoice) {
  const choose = useChooseEmbeddings();
  const typed = useDraftOver(draftName, toChoice(current), String(version));
  const { value } = typed;
  const wanted = toModel(value);
  const canSave = wanted !== undefined && wanted !== current;
  const submit = () => {
    if (!canSave || choose.isPending) return;
    choose.mutate(
      { model: wanted, version },
      {
        onSuccess: ({ model }) => {
          typed.forget();
          showToast(model === null ? 'Search by meaning is off' : `${model} works. Embedding your passages…`);
        },
      },
    );
  };
  return (
    <form
      className="mt-3 flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="flex flex-wrap items-start gap-2">
        <EmbeddingFields
          value={value}
          isInvalid={choose.error !== null}
          onChange={(next) => {
            choose.reset();
            typed.set(next);
          }}
        />
        {typed.isChanged && (
          <Button type="submit" variant="primary" disabled={!canSave} busy={choose.isPending}>
            {value.place === 'off' ? 'Turn off' : 'Test and use'}
          </Button>
        )}
      </div>
      <DraftNote draft={typed} onlyAfterReload />
      <FormError error={choose.error} />
    </form>
  );
}

interface EmbeddingFieldsProps {
  value: Choice;
  isInvalid: boolean;
  onChange: (next: Choice) => void;
}

function EmbeddingFields({ value: { place, model }, isInvalid, onChange }: EmbeddingFieldsProps) {
  return (
    <>
      <Segmented
        label="Embeddings"
        value={place}
        options={places}
        onChange={(next) => onChange({ place: next, model })}
      />
      {place === 'provider' && (
        <div className="min-w-0 flex-1 basis-64">
          <ModelField
            label="Embedding model"
            value={model}
            isInvalid={isInvalid}
            readOnly={false}
            placeholder="openai/text-embedding-3-small"
            onChange={(next) => onChange({ place, model: next })}
            className={modelFieldClass}
          />
        </div>
      )}
    </>
  );
}

/** The embeddings as they are in the config file. */
function FileEmbeddings({ model }: { model: string | null }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <FileChoice
      value={model === 'local' ? 'On this machine' : model}
      label="Change the embeddings"
      onChange={() => setIsOpen(true)}
    >
      {isOpen && <FileEmbeddingsDialog current={model} onClose={() => setIsOpen(false)} />}
    </FileChoice>
  );
}

function FileEmbeddingsDialog({ current, onClose }: { current: string | null; onClose: () => void }) {
  const typed = useFormDraft<Choice>(draftName, toChoice(current));
  const wanted = toModel(typed.value);
  return (
    <ChangeDialog
      title="Change the embeddings"
      description="They are set in the config file. The hub tests the model and shows you the change before it writes it. If the file cannot express your choice, the hub removes the lines and stores the choice itself."
      submit="Test and show the change"
      change={() => (wanted === undefined ? null : { kind: 'embeddings', model: wanted })}
      draft={typed}
      onClose={onClose}
    >
      <div className="flex flex-wrap items-start gap-2">
        <EmbeddingFields value={typed.value} isInvalid={false} onChange={typed.set} />
      </div>
      <DraftNote draft={typed} />
    </ChangeDialog>
  );
}
