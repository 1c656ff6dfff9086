import { Link } from '@tanstack/react-router';
import { ArchiveRestore } from 'lucide-react';
import { useUndeleteAgent, useVersions } from '../../../api/queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { formatTime } from './format-time.ts';

/** No agent has this id; perhaps one had it. */
export function MissingAgent({ id }: { id: string }) {
  useTitle('Not found');
  const versions = useVersions(id);
  const undelete = useUndeleteAgent();
  const last = versions.data?.[0];
  const wasDeleted = last?.action === 'delete';
  const bringBack = async () => {
    try {
      const agent = await undelete.mutateAsync(id);
      showToast(`“${agent.name}” is back`);
    } catch (error) {
      showError('The agent could not be brought back', error);
    }
  };
  return (
    <div className="pt-[8dvh]">
      <EmptyState
        art={<AgentAvatar id={id} size={72} className="opacity-50 grayscale" />}
        title={wasDeleted ? `“${last.name}” was deleted` : 'No such agent'}
        actions={
          <>
            {wasDeleted && (
              <Button
                variant="primary"
                icon={<ArchiveRestore aria-hidden />}
                busy={undelete.isPending}
                onClick={() => void bringBack()}
              >
                Bring it back
              </Button>
            )}
            <Link to="/" className={buttonClass()}>
              All agents
            </Link>
          </>
        }
      >
        {wasDeleted ? (
          `It was deleted ${formatTime(last.at)}. Everything it had, its brain too, is still kept.`
        ) : (
          <>
            The hub has no agent with the id <code className="break-all font-mono text-text">{id}</code>.
          </>
        )}
      </EmptyState>
    </div>
  );
}
