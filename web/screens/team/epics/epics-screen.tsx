import { useNavigate, useSearch } from '@tanstack/react-router';
import { FolderKanban } from 'lucide-react';
import { useRef, useState } from 'react';
import { type EpicWithTasks, workLimits } from '../../../../src/team/work/work.ts';
import { useDeleted } from '../../../api/pending-deletions.ts';
import { useChangeEpic, useCreateEpic, useEpics } from '../../../api/work-queries.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { TextField } from '../../../ui/input.tsx';
import { LongList } from '../../../ui/long-list.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { EpicCard } from './epic-card.tsx';

export function EpicsScreen() {
  useTitle('Epics');
  const { data: all, error, refetch } = useEpics();
  const deleted = useDeleted();
  const data = all?.filter(({ id }) => !deleted.has(`epic/${id}`));
  const { add, epic: editId } = useSearch({ from: '/team/epics' });
  const navigate = useNavigate({ from: '/team/epics' });
  const edited = data?.find(({ id }) => id === editId);
  const close = () => void navigate({ search: {}, replace: true, resetScroll: false });
  return (
    <div className="mx-auto max-w-6xl">
      {data ? (
        data.length === 0 ? (
          <EmptyState
            art={<FolderKanban className="size-12" strokeWidth={1.25} />}
            title="No epics yet"
            actions={
              <Button
                variant="primary"
                size="lg"
                icon={<FolderKanban aria-hidden />}
                onClick={() => void navigate({ search: { add: true } })}
              >
                New epic
              </Button>
            }
          >
            Create an epic for a larger goal and group its tasks. An orchestrator can manage it.
          </EmptyState>
        ) : (
          <LongList
            label="Epics"
            items={openFirst(data)}
            keyOf={({ id }) => id}
            estimateSize={130}
            gap={12}
            hasOwnItems
          >
            {(epic, _, place) => <EpicCard epic={epic} place={place} />}
          </LongList>
        )
      ) : error ? (
        <ErrorState title="The epics could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading epics" className="flex flex-col gap-3">
          <Skeleton className="h-28 rounded-card" />
          <Skeleton className="h-28 rounded-card" />
        </div>
      )}
      {add && <EpicDialog onClose={close} />}
      {edited && <EpicDialog key={edited.id} epic={edited} onClose={close} />}
    </div>
  );
}

/** Puts closed epics last and otherwise keeps the order. */
function openFirst(epics: readonly EpicWithTasks[]): EpicWithTasks[] {
  const isClosed = ({ state }: EpicWithTasks) => state === 'COMPLETED' || state === 'CANCELLED';
  return [...epics.filter((epic) => !isClosed(epic)), ...epics.filter(isClosed)];
}

interface EpicDialogProps {
  /** The epic to edit; omit it to create one. */
  epic?: EpicWithTasks;
  onClose: () => void;
}

function EpicDialog({ epic, onClose }: EpicDialogProps) {
  const titleInput = useRef<HTMLInputElement>(null);
  const create = useCreateEpic();
  const change = useChangeEpic(epic?.id ?? '');
  const save = epic ? change : create;
  const saved = {
    title: epic?.title ?? '',
    description: epic?.description ?? '',
    linearIssueId: epic?.linearIssueId ?? '',
    linearIssueUrl: epic?.linearIssueUrl ?? '',
  };
  const draft = useFormDraft(`epic/${epic?.id ?? 'new'}`, saved, { base: JSON.stringify(saved) });
  const form = draft.value;
  const [wasSent, setWasSent] = useState(false);
  const hasTitle = form.title.trim() !== '';
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      draft.set({ ...form, [name]: event.currentTarget.value }),
  });

  const onSubmit = () => {
    setWasSent(true);
    if (!hasTitle || save.isPending) return;
    const values = {
      title: form.title.trim(),
      description: form.description,
      linearIssueId: form.linearIssueId.trim() || null,
      linearIssueUrl: form.linearIssueUrl.trim() || null,
    };
    draft.save<unknown>(epic ? change.mutateAsync(values) : create.mutateAsync(values), {
      onSaved: () => showToast(`${epic ? 'Saved' : 'Created'} “${values.title}”`),
      whileOpen: onClose,
    });
  };

  return (
    <FormDialog
      onClose={onClose}
      title={epic ? 'Edit epic' : 'New epic'}
      initialFocus={titleInput}
      submit={epic ? 'Save' : 'Create epic'}
      onSubmit={onSubmit}
      request={save}
    >
      <DraftNote draft={draft} />
      <TextField
        ref={titleInput}
        label="Title"
        placeholder="User management"
        maxLength={workLimits.title}
        autoComplete="off"
        error={wasSent && !hasTitle ? 'Enter a title.' : null}
        {...field('title')}
      />
      <TextareaField
        label="Description"
        hint="The goal of the epic. Markdown is supported."
        maxLength={workLimits.description}
        inputClass="min-h-28 max-h-72"
        {...field('description')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Linear issue" placeholder="LIN-123" autoComplete="off" {...field('linearIssueId')} />
        <TextField
          label="Issue URL"
          placeholder="https://linear.app/…"
          autoComplete="off"
          {...field('linearIssueUrl')}
        />
      </div>
    </FormDialog>
  );
}
