import { useState } from 'react';
import type { DefaultModel } from '../../../src/models/language-models.ts';
import { useDefaultModel, useSetDefaultModel } from '../../api/provider-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { ModelField } from '../../parts/models/model-field.tsx';
import { useConfirmedModel } from '../../parts/models/use-confirmed-model.ts';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { controlClass } from '../../ui/field.tsx';
import { FormError } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { ChoiceSection, FileChoice, MissingChoice } from './choice-section.tsx';
import { useDraftOver } from './use-draft-over.ts';

/** Shows and sets the model of agents that name none. */
export function DefaultModelSection() {
  const { data, error, refetch } = useDefaultModel();
  return (
    <ChoiceSection
      title="Default model"
      isFromFile={data?.from === 'config'}
      description={
        data?.model === null
          ? 'Agents without a model need a default. Choose one.'
          : 'Used when an agent or chat sets no model.'
      }
    >
      {data === undefined ? (
        <MissingChoice error={error} onRetry={() => void refetch()} />
      ) : data.from === 'config' ? (
        <FileDefaultModel model={data.model} />
      ) : (
        <DefaultModelForm {...data} />
      )}
    </ChoiceSection>
  );
}

function DefaultModelForm({ model: current, version }: DefaultModel) {
  const save = useSetDefaultModel();
  const typed = useDraftOver('models/default', current ?? '', String(version));
  const wanted = typed.value.trim() || null;
  const isChanged = wanted !== current;
  const { isAsking, isWanted } = useConfirmedModel();
  const isBusy = isAsking || save.isPending;
  const submit = async () => {
    if (!isChanged || isBusy) return;
    if (wanted !== null && !(await isWanted(wanted))) return;
    save.mutate(
      { model: wanted, version },
      {
        onSuccess: ({ model }) => {
          typed.forget();
          showToast(model === null ? 'Default model removed' : `${model} is the default model`);
        },
      },
    );
  };
  return (
    <form
      className="mt-3 flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1 basis-64">
          <ModelField
            label="Default model"
            value={typed.value || null}
            isInvalid={save.error !== null}
            readOnly={isBusy}
            placeholder="Search models"
            onChange={(model) => {
              save.reset();
              typed.set(model ?? '');
            }}
            className={modelFieldClass}
          />
        </div>
        <Button type="submit" variant={isChanged ? 'primary' : 'secondary'} disabled={!isChanged} busy={isBusy}>
          Save
        </Button>
      </div>
      <DraftNote draft={typed} onlyAfterReload />
      <FormError error={save.error} />
    </form>
  );
}

/** The default model as it is in the config file. */
function FileDefaultModel({ model: current }: { model: string | null }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <FileChoice value={current} label="Change the default model" onChange={() => setIsOpen(true)}>
      {isOpen && <FileDefaultModelDialog current={current} onClose={() => setIsOpen(false)} />}
    </FileChoice>
  );
}

function FileDefaultModelDialog({ current, onClose }: { current: string | null; onClose: () => void }) {
  const typed = useFormDraft('models/default', current ?? '');
  const { isAsking, isWanted } = useConfirmedModel();
  return (
    <ChangeDialog
      title="Change the default model"
      description="It is set in the config file. The hub shows you the change before it writes it."
      submit="Show the change"
      change={async () => {
        const model = typed.value.trim() || null;
        return model === null || (await isWanted(model)) ? { kind: 'default', model } : null;
      }}
      draft={typed}
      onClose={onClose}
    >
      <ModelField
        label="Default model"
        value={typed.value || null}
        isInvalid={false}
        readOnly={isAsking}
        placeholder="Search models"
        onChange={(model) => typed.set(model ?? '')}
        className={modelFieldClass}
      />
      <DraftNote draft={typed} />
    </ChangeDialog>
  );
}

export const modelFieldClass = classes(controlClass, 'h-8 px-2.5 font-mono text-xs max-md:h-10');
