import { InfinityIcon } from 'lucide-react';
import { useGrants, useRemoveGrant } from '../../../api/queries.ts';
import { ApprovalList } from '../../../parts/tools/approval-list.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';

/** The tools that the user approved with "always". Shows nothing if there are none. */
export function GrantList({ agentId }: { agentId: string }) {
  const { data, error, refetch } = useGrants(agentId);
  const remove = useRemoveGrant(agentId);
  if (error && !data)
    return <ErrorState title="The approvals could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data || data.length === 0) return null;
  return (
    <section aria-label="Always approved" className="flex flex-col gap-2">
      <h3 className="font-semibold text-sm">Always approved</h3>
      <p className="text-pretty text-muted text-xs">
        You answered “Always” for these tools. An approval ends when the tool changes. It does not apply once a
        conversation has read text from outside.
      </p>
      <ApprovalList
        icon={<InfinityIcon aria-hidden className="size-4 shrink-0 text-violet" />}
        approvals={data}
        onRemove={remove.mutate}
        isRemoving={remove.isPending}
        error={remove.error}
      />
    </section>
  );
}
