import { Link, useParams, useSearch } from '@tanstack/react-router';
import '../../../api/zod-without-eval.ts';
import { ArchiveRestore } from 'lucide-react';
import { ApiError } from '../../../api/client.ts';
import { useAgent, useUndeleteAgent, useVersions } from '../../../api/queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { useNoteOpened } from '../../../parts/recent/opened.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { formatTime } from './format-time.ts';
import { LoadedEditor } from './loaded-editor.tsx';

const allAgents = (
  <Link to="/" className={buttonClass()}>
    All agents
  </Link>
);

/** The editor of the agent in the address. Each agent gets a fresh one. */
export function AgentScreen() {
  const { id } = useParams({ from: '/a/$id' });
  const { tab = 'prompt' } = useSearch({ from: '/a/$id' });
  return <AgentEditor key={id} id={id} tab={tab} />;
}

function AgentEditor({ id, tab }: { id: string; tab: string }) {
  const agent = useAgent(id);
  const isMissing = agent.error instanceof ApiError && agent.error.isNotFound;
  // An agent deleted elsewhere stays on screen: it may have unsaved changes.
  if (agent.data) return <LoadedEditor agent={agent.data} tab={tab} isGone={isMissing} />;
  if (isMissing) return <MissingAgent id={id} />;
  if (agent.isError) {
    return (
      <ErrorState
        level={1}
        title="The agent could not be loaded"
        error={agent.error}
        onRetry={() => void agent.refetch()}
        back={allAgents}
      />
    );
  }
  return <EditorSkeleton />;
}

/** Shown for an unknown id; offers to restore a deleted agent. */
function MissingAgent({ id }: { id: string }) {
  useTitle('Agent not found');
  useNoteOpened('agent', id, null);
  const versions = useVersions(id);
  const undelete = useUndeleteAgent();
  const last = versions.data?.[0];
  const wasDeleted = last?.action === 'delete';
  const restore = async () => {
    try {
      const agent = await undelete.mutateAsync(id);
      showToast(`“${agent.name}” restored`);
    } catch (error) {
      showError('The agent could not be restored', error);
    }
  };
  return (
    <div className="pt-[8dvh]">
      <EmptyState
        art={<AgentAvatar id={id} size={72} className="opacity-50 grayscale" />}
        level={1}
        title={wasDeleted ? `“${last.name}” was deleted` : 'Agent not found'}
        actions={
          <>
            {wasDeleted && (
              <Button
                variant="primary"
                icon={<ArchiveRestore aria-hidden />}
                busy={undelete.isPending}
                onClick={() => void restore()}
              >
                Restore agent
              </Button>
            )}
            {allAgents}
          </>
        }
      >
        {wasDeleted ? (
          `Deleted ${formatTime(last.at)}. Restore it to get everything back, including its brain.`
        ) : (
          <>
            No agent has the ID <code className="break-all font-mono text-text">{id}</code>.
          </>
        )}
      </EmptyState>
    </div>
  );
}

function EditorSkeleton() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading agent"
      className="mx-auto flex w-full max-w-[112rem] flex-col gap-4 px-4 pt-4 sm:px-6"
    >
      <h1 className="sr-only">Loading agent</h1>
      <div className="flex items-center gap-3">
        <Skeleton className="size-10 rounded-xl" />
        <Skeleton className="h-7 w-56" />
        <Skeleton className="ml-auto h-8 w-20" />
      </div>
      <Skeleton className="h-4 w-2/5" />
      <div className="mt-3 flex gap-6">
        <Skeleton className="h-[60dvh] flex-1 rounded-card" />
        <Skeleton className="h-[60dvh] w-2/5 rounded-card max-lg:hidden" />
      </div>
    </div>
  );
}
