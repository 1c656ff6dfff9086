import { FolderHeart, Plus, X } from 'lucide-react';
import type { FormEvent } from 'react';
import { useClearWorkspace, useSetWorkspace, useWorkspaces } from '../../../api/queries.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { FormError } from '../../../ui/form-dialog.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';

export interface DefaultFoldersDialogProps {
  agent: { id: string; name: string };
  onClose: () => void;
}

/** The folders in which clients are offered this agent first. */
export function DefaultFoldersDialog({ agent, onClose }: DefaultFoldersDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Default for folders"
      description={`Clients that work in one of these folders, or below it, see “${agent.name}” as the suggested agent.`}
      footer={<Button onClick={onClose}>Done</Button>}
    >
      <div className="flex flex-col gap-4">
        <AddFolder agentId={agent.id} />
        <Folders agentId={agent.id} />
      </div>
    </Dialog>
  );
}

function AddFolder({ agentId }: { agentId: string }) {
  const draft = useFormDraft(`folder/${agentId}`, '');
  const folder = draft.value;
  const set = useSetWorkspace();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    draft.save(set.mutateAsync({ folder: folder.trim(), agentId }), {
      whileOpen: () => draft.set((now) => (now === folder ? '' : now)),
    });
  };
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-2">
      <DraftNote draft={draft} />
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          label="Folder on the hub’s machine"
          placeholder="/home/me/project"
          value={folder}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => draft.set(event.target.value)}
          className="min-w-0 flex-1 basis-52"
          inputClass="font-mono"
        />
        <Button type="submit" icon={<Plus aria-hidden />} busy={set.isPending} disabled={folder.trim() === ''}>
          Add folder
        </Button>
      </div>
      <FormError error={set.error} />
    </form>
  );
}

function Folders({ agentId }: { agentId: string }) {
  const { data, error, refetch } = useWorkspaces();
  const clear = useClearWorkspace();
  const set = useSetWorkspace();
  const remove = async (folder: string) => {
    try {
      await clear.mutateAsync(folder);
    } catch (failure) {
      showError('The folder could not be removed', failure);
      return;
    }
    const undo = () =>
      set
        .mutateAsync({ folder, agentId })
        .catch((failure: unknown) => showError('The folder could not be added again', failure));
    showToast(`Removed ${folder}`, { action: { label: 'Undo', onClick: () => void undo() } });
  };
  if (!data)
    return error ? (
      <ErrorState title="The folders could not be loaded" error={error} onRetry={() => void refetch()} />
    ) : (
      <div role="status" aria-busy="true" aria-label="Loading folders">
        <Skeleton className="h-10 w-full rounded-xl" />
      </div>
    );
  const own = data.workspaces.filter((each) => each.agentId === agentId);
  return (
    <>
      {own.length === 0 ? (
        <EmptyState art={<FolderHeart className="size-8" strokeWidth={1.5} />} title="No folders yet">
          Add a folder above, or run{' '}
          <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">zoo agent default {agentId}</code> in it.
        </EmptyState>
      ) : (
        <ul aria-label="Folders" className="flex flex-col gap-1.5">
          {own.map(({ folder }) => (
            <li key={folder} className="flex items-center gap-2 rounded-xl border border-line bg-raised py-1 pr-1 pl-3">
              <span className="min-w-0 flex-1 break-all font-mono text-sm">{folder}</span>
              <IconButton
                size="sm"
                label={`Remove ${folder}`}
                icon={<X aria-hidden />}
                disabled={clear.isPending}
                onClick={() => void remove(folder)}
              />
            </li>
          ))}
        </ul>
      )}
      {data.configured === agentId && (
        <p className="text-muted text-sm">
          It is also the default of this hub’s config: <code className="font-mono text-xs">[workspace] agent</code>.
        </p>
      )}
    </>
  );
}
