import { useNavigate } from '@tanstack/react-router';
import { ArchiveRestore } from 'lucide-react';
import type { DeletedAgentSummary } from '../../../../src/agents/agents.contract.ts';
import { useUndeleteAgent } from '../../../api/queries.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';

export interface DeletedNamesakeProps {
  agent: DeletedAgentSummary;
  /** The id that a new agent gets. */
  freshId: string;
  /** Chooses the fresh id; undefined if it is chosen already. */
  onStartFresh: (() => void) | undefined;
  onRestored: () => void;
}

/** Says that a deleted agent has the id, and offers to restore it or to start fresh. */
export function DeletedNamesake({ agent, freshId, onStartFresh, onRestored }: DeletedNamesakeProps) {
  const navigate = useNavigate();
  const undelete = useUndeleteAgent();
  const restore = () =>
    undelete.mutateAsync(agent.id).then(
      ({ id, name }) => {
        onRestored();
        showToast(`“${name}” restored`);
        return navigate({ to: '/a/$id', params: { id } });
      },
      (error) => showError(`“${agent.name}” could not be restored`, error),
    );
  return (
    <Banner
      tone="info"
      icon={<ArchiveRestore />}
      actions={
        <>
          <Button size="sm" busy={undelete.isPending} onClick={() => void restore()}>
            Restore the deleted agent
          </Button>
          {onStartFresh && (
            <Button size="sm" onClick={onStartFresh}>
              Start fresh
            </Button>
          )}
        </>
      }
    >
      “{agent.name}” (<span className="break-all font-mono text-xs">{agent.id}</span>) was deleted{' '}
      <RelativeTime at={agent.deletedAt} />. Restoring it brings back its history and memory. A new agent starts fresh,
      with the ID <span className="break-all font-mono text-xs">{freshId}</span>.
    </Banner>
  );
}
