import { Link, useNavigate } from '@tanstack/react-router';
import { ArchiveRestore, ArrowLeft } from 'lucide-react';
import type { DeletedAgentSummary } from '../../../../src/agents/agents.contract.ts';
import { useDeletedAgents, useUndeleteAgent } from '../../../api/queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { LongList } from '../../../ui/long-list.tsx';
import { Page, PageHeader } from '../../../ui/page.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import type { Place } from '../../../ui/virtual-list.tsx';
import { EmptyEnclosure } from '../../../ui/zoo-art.tsx';

const title = 'Deleted agents';

/** The agents that were deleted and can be restored. */
export function DeletedScreen() {
  useTitle(title);
  const { data, error, refetch } = useDeletedAgents();
  return (
    <Page>
      <PageHeader
        title={title}
        description="Restoring an agent brings back its history, its memory and its lasting approvals."
        actions={
          <Link to="/" className={buttonClass()}>
            <ArrowLeft aria-hidden />
            All agents
          </Link>
        }
      />
      {data ? (
        data.length > 0 ? (
          <LongList
            label={title}
            items={data}
            keyOf={({ id }) => id}
            estimateSize={69}
            className="divide-y divide-line overflow-hidden rounded-card border border-line bg-surface shadow-card"
            hasOwnItems
          >
            {(agent, _, place) => <DeletedAgent agent={agent} place={place} />}
          </LongList>
        ) : (
          <EmptyState
            art={<EmptyEnclosure />}
            title="No deleted agents"
            actions={
              <Link to="/" className={buttonClass({ variant: 'primary' })}>
                All agents
              </Link>
            }
          >
            An agent that you delete is kept here, so that you can restore it.
          </EmptyState>
        )
      ) : error ? (
        <ErrorState title="The deleted agents could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingAgents />
      )}
    </Page>
  );
}

function DeletedAgent({ agent, place }: { agent: DeletedAgentSummary; place: Place }) {
  const navigate = useNavigate();
  const undelete = useUndeleteAgent();
  // The notice follows the promise: the row is gone before it appears.
  const restore = () =>
    undelete.mutateAsync(agent.id).then(
      ({ id, name }) =>
        showToast(`“${name}” restored`, {
          action: { label: 'Open', onClick: () => void navigate({ to: '/a/$id', params: { id } }) },
        }),
      (error) => showError(`“${agent.name}” could not be restored`, error),
    );
  return (
    <li {...place} tabIndex={-1} className="flex items-center gap-3 px-4 py-3 outline-offset-[-2px]">
      <AgentAvatar id={agent.id} size={40} className="opacity-60 grayscale" />
      <div className="min-w-0 flex-1">
        <p className="font-medium text-sm [overflow-wrap:anywhere]">{agent.name}</p>
        <p className="mt-0.5 flex flex-wrap gap-x-2 text-muted text-xs">
          <span className="break-all font-mono">{agent.id}</span>
          <span>
            Deleted <RelativeTime at={agent.deletedAt} />
          </span>
        </p>
      </div>
      <Button
        icon={<ArchiveRestore aria-hidden />}
        aria-label={`Restore ${agent.name}`}
        busy={undelete.isPending}
        onClick={() => void restore()}
      >
        Restore
      </Button>
    </li>
  );
}

function LoadingAgents() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading deleted agents"
      className="divide-y divide-line rounded-card border border-line bg-surface"
    >
      {['a', 'b', 'c'].map((key) => (
        <div key={key} className="flex items-center gap-3 px-4 py-3">
          <Skeleton className="size-10 rounded-xl" />
          <Skeleton className="h-4 w-48" />
          <Skeleton className="ml-auto h-8 w-24" />
        </div>
      ))}
    </div>
  );
}
