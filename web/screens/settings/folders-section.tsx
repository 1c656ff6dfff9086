import { FolderCheck, FolderOpen, FolderSearch, ShieldCheck, Undo2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { FolderBody } from '../../../src/settings/app-settings.ts';
import { useFolders, useInspectFolder, useTrustFolder, useUntrustFolder } from '../../api/settings-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { FolderBrowser } from '../../parts/folders/folder-browser.tsx';
import { FolderParts } from '../../parts/settings/folder-parts.tsx';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState, errorText } from '../../ui/error-state.tsx';
import { Folding } from '../../ui/folding.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { useTitle } from '../../ui/use-title.ts';
import type { Place } from '../../ui/virtual-list.tsx';
import { type FolderState, folderState, isHeld } from './folder-state.ts';
import { Section } from './section.tsx';

/** The folders whose configs may execute, connect and send. */
export function FoldersSection() {
  useTitle('Trusted folders');
  const { data, error, refetch } = useFolders();
  const [shown, setShown] = useState<FolderBody>();
  return (
    <Section
      title="Trusted folders"
      description="A config that came with a folder, such as a cloned repository, may start programs, connect to servers and send data only if you trust it. If it changes later, it waits for you to review it."
    >
      <div className="flex flex-col gap-3">
        <LookForm onFound={setShown} />
        {data ? (
          data.length === 0 ? (
            <EmptyState art={<FolderCheck className="size-10" strokeWidth={1.5} />} title="No folder is trusted yet">
              Choose a folder above to see what its config would do.
            </EmptyState>
          ) : (
            <LongList
              label="Trusted folders"
              items={data}
              keyOf={({ folder }) => folder}
              estimateSize={140}
              gap={12}
              hasOwnItems
            >
              {(folder, _, place) => <FolderCard folder={folder} place={place} onReview={() => setShown(folder)} />}
            </LongList>
          )
        ) : error ? (
          <ErrorState title="The folders could not be loaded" error={error} onRetry={() => void refetch()} />
        ) : (
          <div role="status" aria-busy="true" aria-label="Loading folders">
            <Skeleton className="h-24 rounded-card" />
          </div>
        )}
      </div>
      {shown && <ReviewDialog folder={shown} onClose={() => setShown(undefined)} />}
    </Section>
  );
}

function LookForm({ onFound }: { onFound: (folder: FolderBody) => void }) {
  const inspect = useInspectFolder();
  const draft = useFormDraft('setting/folder', '');
  const { value: path, set: setPath } = draft;
  const [isBrowsing, setIsBrowsing] = useState(false);
  const look = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim() === '') return;
    inspect.mutate(path.trim(), {
      onSuccess: (folder) => {
        draft.forget();
        onFound(folder);
      },
    });
  };
  return (
    <form noValidate onSubmit={look} className="flex flex-col gap-1.5">
      <div className="flex gap-2">
        <Input
          aria-label="Path of a folder"
          placeholder="~/code/project"
          autoComplete="off"
          spellCheck={false}
          value={path}
          onChange={(event) => setPath(event.target.value)}
          className="flex-1 font-mono"
        />
        <Button
          icon={<FolderOpen aria-hidden />}
          aria-expanded={isBrowsing}
          onClick={() => setIsBrowsing(!isBrowsing)}
          className="max-md:h-10"
        >
          Browse
        </Button>
        <Button
          type="submit"
          className="max-md:h-10"
          icon={<FolderSearch aria-hidden />}
          busy={inspect.isPending}
          disabled={path.trim() === ''}
        >
          Inspect
        </Button>
      </div>
      <DraftNote draft={draft} onlyAfterReload />
      {isBrowsing && <FolderBrowser start={path} onPick={setPath} />}
      {inspect.error && (
        <p role="alert" className="text-danger text-sm [overflow-wrap:anywhere]">
          {errorText(inspect.error)}
        </p>
      )}
    </form>
  );
}

const stateBadges: Record<FolderState, { tone: BadgeTone; label: string }> = {
  trusted: { tone: 'accent', label: 'trusted' },
  waiting: { tone: 'warn', label: 'waiting for you' },
  declined: { tone: 'neutral', label: 'not trusted' },
  harmless: { tone: 'neutral', label: 'needs no trust' },
  empty: { tone: 'neutral', label: 'no config' },
  broken: { tone: 'danger', label: 'cannot be read' },
};

const untrustedWords: Partial<Record<FolderState, string>> = {
  declined: 'You chose not to trust it',
  harmless: 'Nothing in its config needs trust',
};

function FolderCard({ folder, place, onReview }: { folder: FolderBody; place: Place; onReview: () => void }) {
  const untrust = useUntrustFolder();
  const state = folderState(folder);
  const badge = stateBadges[state];
  const stop = async () => {
    const isSure = await confirm({
      title: 'Stop trusting this folder?',
      message: `The config in ${folder.folder} can no longer start programs, connect to servers or send data, in any of your hubs.`,
      confirmLabel: 'Stop trusting',
      danger: true,
    });
    if (!isSure) return;
    untrust.mutate(folder.folder, {
      onSuccess: () => showToast('No longer trusted', { description: folder.folder }),
      onError: (error) => showError('The folder is still trusted', error),
    });
  };
  return (
    <li
      aria-label={folder.folder}
      {...place}
      tabIndex={-1}
      className="flex flex-col gap-2.5 rounded-card border border-line bg-surface p-4 shadow-card"
    >
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <h3 className="font-mono font-medium text-sm [overflow-wrap:anywhere]">{folder.folder}</h3>
          <p className="text-muted text-xs">
            {folder.trustedAt === null ? (
              (untrustedWords[state] ?? 'Never trusted')
            ) : (
              <>
                Trusted <RelativeTime at={folder.trustedAt} />
              </>
            )}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {isHeld(folder) && (
            <Button
              size="sm"
              variant="primary"
              icon={<ShieldCheck aria-hidden />}
              onClick={onReview}
              aria-label={`Review ${folder.folder}`}
            >
              Review
            </Button>
          )}
          {folder.trustedAt !== null && (
            <Button
              size="sm"
              icon={<Undo2 aria-hidden />}
              busy={untrust.isPending}
              onClick={() => void stop()}
              aria-label={`Stop trusting ${folder.folder}`}
            >
              Stop trusting
            </Button>
          )}
        </div>
      </div>
      <div className="flex flex-wrap gap-1.5">
        {folder.isHub && <Badge tone="info">used by this hub</Badge>}
        <Badge tone={badge.tone}>{badge.label}</Badge>
      </div>
      {folder.problem && <p className="text-danger text-sm [overflow-wrap:anywhere]">{folder.problem}</p>}
      {folder.parts.length > 0 && (
        <Folding summary={<span className="text-sm">What it {isHeld(folder) ? 'would do' : 'may do'}</span>}>
          <FolderParts folder={folder} />
        </Folding>
      )}
    </li>
  );
}

/** Shows what a folder would do, and asks. */
function ReviewDialog({ folder, onClose }: { folder: FolderBody; onClose: () => void }) {
  const trust = useTrustFolder();
  if (folder.file === null || !isHeld(folder)) {
    const text =
      folder.file === null
        ? 'This folder has no config, so there is nothing to trust.'
        : folder.parts.length === 0
          ? 'Nothing in its config needs trust: it only defines agents, and sources inside the folder.'
          : 'You trust this folder, and it has not changed.';
    return (
      <Dialog open onClose={onClose} title={folder.folder} footer={<Button onClick={onClose}>Close</Button>}>
        <p className="text-sm">{text}</p>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={folder.trustedAt === null ? 'Trust this folder?' : 'This folder has changed'}
      description={
        <>
          <code className="font-mono text-xs [overflow-wrap:anywhere]">{folder.file}</code>. Trust it only if you know
          who wrote it. It would then do the following.
        </>
      }
      submit="Trust"
      submitIcon={<ShieldCheck aria-hidden />}
      onSubmit={() =>
        trust.mutate(
          { folder: folder.folder, seen: folder.seen },
          {
            onSuccess: () => {
              onClose();
              showToast('Trusted', { description: folder.folder });
            },
          },
        )
      }
      onClose={onClose}
      request={trust}
    >
      <FolderParts folder={folder} />
    </FormDialog>
  );
}
