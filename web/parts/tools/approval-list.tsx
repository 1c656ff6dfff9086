import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ToolGrant } from '../../../src/agents/agent-grants.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';

interface ApprovalListProps {
  icon: ReactNode;
  approvals: readonly ToolGrant[];
  /** Makes the agent ask again before its next call to the tool. */
  onRemove: (tool: string) => void;
  isRemoving: boolean;
  error: Error | null;
}

/** Tools that an agent may call without asking, each with a button that ends the approval. */
export function ApprovalList({ icon, approvals, onRemove, isRemoving, error }: ApprovalListProps) {
  return (
    <>
      <LongList
        label="Approved tools"
        items={approvals}
        keyOf={({ tool }) => tool}
        estimateSize={37}
        className="divide-y divide-line rounded-card border border-line bg-surface"
      >
        {({ tool, grantedAt }) => (
          <div className="flex min-w-0 items-center gap-2 py-1 pr-1 pl-3">
            {icon}
            <code className="min-w-0 flex-1 truncate font-mono text-xs" title={tool}>
              {tool}
            </code>
            <RelativeTime at={new Date(grantedAt).toISOString()} className="shrink-0 text-faint text-xs" />
            <IconButton
              size="sm"
              label={`Ask again before ${tool}`}
              icon={<X aria-hidden />}
              disabled={isRemoving}
              onClick={() => onRemove(tool)}
            />
          </div>
        )}
      </LongList>
      {error && <p className="text-danger text-xs">{error.message}</p>}
    </>
  );
}
