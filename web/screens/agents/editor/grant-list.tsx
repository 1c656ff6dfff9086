import { InfinityIcon, X } from 'lucide-react';
import { useGrants, useRemoveGrant } from '../../../api/queries.ts';
import { ErrorState } from '../../../ui/error-state.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';

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
        You answered “Always” for these tools. Each approval holds until the tool changes, and not after the agent has
        read text from outside.
      </p>
      <ul className="flex flex-col divide-y divide-line rounded-card border border-line bg-surface">
        {data.map(({ tool, grantedAt }) => (
          <li key={tool} className="flex min-w-0 items-center gap-2 py-1 pr-1 pl-3">
            <InfinityIcon aria-hidden className="size-4 shrink-0 text-violet" />
            <code className="min-w-0 flex-1 truncate font-mono text-xs" title={tool}>
              {tool}
            </code>
            <RelativeTime at={new Date(grantedAt).toISOString()} className="shrink-0 text-faint text-xs" />
            <IconButton
              size="sm"
              label={`Ask again before ${tool}`}
              icon={<X aria-hidden />}
              disabled={remove.isPending}
              onClick={() => remove.mutate(tool)}
            />
          </li>
        ))}
      </ul>
      {remove.error && <p className="text-danger text-xs">{remove.error.message}</p>}
    </section>
  );
}
