import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FolderPlus, GitBranchPlus, Library, RefreshCw, Sparkles } from 'lucide-react';
import type { KnowledgeBody } from '../../../src/knowledge/knowledge.contract.ts';
import type { EmbeddingState } from '../../../src/knowledge/knowledge.ts';
import { useEmbed, useEmbeddingNews, useKnowledge, useSync } from '../../api/knowledge-queries.ts';
import { useDeleted } from '../../api/pending-deletions.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { LongList } from '../../ui/long-list.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { AddSourceDialog } from './add-source-dialog.tsx';
import { actionsOf } from './describe-sync.ts';
import { SourceCard } from './source-card.tsx';

export function SourcesScreen() {
  useTitle('Knowledge');
  const { data: all, error, refetch } = useKnowledge();
  const deleted = useDeleted();
  const data = all && { ...all, sources: all.sources.filter(({ source }) => !deleted.has(`source/${source}`)) };
  const { add } = useSearch({ from: '/knowledge/' });
  const navigate = useNavigate({ from: '/knowledge/' });
  const open = (type: 'folder' | 'repository') => void navigate({ search: { add: type } });
  return (
    <>
      {data ? (
        data.sources.length === 0 ? (
          <FirstSource onAdd={open} />
        ) : (
          <Sources body={data} />
        )
      ) : error ? (
        <ErrorState title="The knowledge base could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingSources />
      )}
      {add && (
        <AddSourceDialog
          key={add}
          type={add === 'folder' ? 'filesystem' : 'git'}
          taken={data?.sources.map((each) => each.source) ?? []}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
    </>
  );
}

function Sources({ body }: { body: KnowledgeBody }) {
  const sync = useSync();
  const canSync = body.sources.some((source) => actionsOf(source).canSync);
  const syncAll = () =>
    sync.mutate({ target: 'all' }, { onError: (error) => showError('The sync could not start', error) });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 flex-1 text-muted text-sm tabular-nums">
          {formatCount(body.documents, 'document')}, {formatCount(body.chunks, 'passage')}, {describeSize(body.size)} of
          text
        </p>
        {body.sources.length > 1 && (
          <Button
            size="sm"
            icon={<RefreshCw aria-hidden />}
            disabled={!canSync}
            busy={sync.isPending}
            onClick={syncAll}
          >
            Sync all
          </Button>
        )}
      </div>
      <LongList
        label="Sources"
        items={body.sources}
        keyOf={({ source }) => source}
        estimateSize={120}
        gap={12}
        hasOwnItems
      >
        {(source, _, place) => <SourceCard source={source} place={place} />}
      </LongList>
      <EmbeddingsLine state={body.embeddings} />
    </div>
  );
}

function FirstSource({ onAdd }: { onAdd: (type: 'folder' | 'repository') => void }) {
  return (
    <EmptyState
      art={<Library className="size-12" strokeWidth={1.25} />}
      title="No sources yet"
      actions={
        <>
          <Button variant="primary" size="lg" icon={<FolderPlus aria-hidden />} onClick={() => onAdd('folder')}>
            Add folder
          </Button>
          <Button size="lg" icon={<GitBranchPlus aria-hidden />} onClick={() => onAdd('repository')}>
            Add repository
          </Button>
        </>
      }
    >
      Add notes, runbooks, documentation or code for your agents to read. The hub reads Markdown, text, HTML, PDF, Word
      and source files.
    </EmptyState>
  );
}

function LoadingSources() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading sources" className="flex flex-col gap-3">
      <Skeleton className="h-4 w-64 max-w-full" />
      {['a', 'b', 'c'].map((key) => (
        <div key={key} className="flex gap-3 rounded-card border border-line bg-surface p-4">
          <Skeleton className="size-10 rounded-xl" />
          <div className="flex flex-1 flex-col gap-2 pt-1">
            <Skeleton className="h-4 w-1/4" />
            <Skeleton className="h-3 w-2/3" />
          </div>
        </div>
      ))}
    </div>
  );
}

function describeSize(characters: number): string {
  if (characters < 1_000) return formatCount(characters, 'character');
  if (characters < 1_000_000) return `${Math.round(characters / 1_000)} KB`;
  return `${(characters / 1_000_000).toFixed(1)} MB`;
}

/** Shows whether search by meaning is enabled. */
function EmbeddingsLine({ state }: { state: EmbeddingState }) {
  return (
    <section
      aria-label="Embeddings"
      className="flex flex-col gap-3 rounded-card border border-line border-dashed px-4 py-3 text-sm"
    >
      {'model' in state ? <Enabled state={state} /> : <Disabled />}
    </section>
  );
}

function Disabled() {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Sparkles aria-hidden className="size-4 shrink-0 text-faint" />
      <p className="min-w-0 flex-1 basis-48 text-muted">
        Keyword search only. Choose an embedding model to search by meaning as well.
      </p>
      <Link to="/models" className={buttonClass({ size: 'sm', variant: 'ghost' })}>
        Choose under Models
      </Link>
    </div>
  );
}

function Enabled({ state }: { state: Extract<EmbeddingState, { model: string }> }) {
  const embed = useEmbed();
  const update = useEmbeddingNews();
  const isRunning = update !== null && !update.done;
  const { provider, model, dims, embedded, pending } = state;
  const start = () =>
    embed.mutate(
      {},
      {
        onSuccess: () => showToast('Embedding started'),
        onError: (error) => showError('Embedding could not start', error),
      },
    );
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Sparkles aria-hidden className="size-4 shrink-0 text-violet" />
      <p className="min-w-0 flex-1 basis-48 text-muted">
        Embeddings by <span className="font-medium text-text">{provider}</span>,{' '}
        <span className="break-all font-mono text-xs">{model}</span>, {dims} dimensions:{' '}
        <span className="tabular-nums">
          {embedded.toLocaleString('en')} embedded, {pending.toLocaleString('en')} pending
        </span>
      </p>
      {(pending > 0 || isRunning) && (
        <Button size="sm" icon={<Sparkles aria-hidden />} busy={embed.isPending || isRunning} onClick={start}>
          {isRunning ? 'Embedding…' : 'Embed now'}
        </Button>
      )}
      {isRunning && (
        <div className="w-full">
          <ProgressBar
            label="Embedding"
            value={embedded + pending === 0 ? null : embedded / (embedded + pending)}
            text={`${embedded} of ${embedded + pending}`}
          />
        </div>
      )}
      {update?.message && !isRunning && (
        <p role="alert" className="w-full break-words rounded-lg bg-danger-soft px-3 py-2 text-danger">
          {update.message}
        </p>
      )}
    </div>
  );
}
