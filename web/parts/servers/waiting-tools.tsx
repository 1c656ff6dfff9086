import { Wrench } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useAcceptTools } from '../../api/server-queries.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { PageVirtualList } from '../../ui/virtual-list.tsx';
import type { WaitingTool } from './tool-status.ts';
import { AcceptAll, WaitingToolCard } from './waiting-tool.tsx';

interface WaitingToolsProps {
  name: string;
  tools: readonly WaitingTool[];
  versions: readonly string[];
}

/** The tools of a server that wait for approval. */
export function WaitingTools({ name, tools, versions }: WaitingToolsProps) {
  const accept = useAcceptTools(name);
  const [isOutdated, setIsOutdated] = useState(false);
  const send = (chosen: readonly WaitingTool[]) => {
    setIsOutdated(false);
    accept.mutate(
      chosen.map((tool) => ({
        tool: tool.remoteName,
        ...(tool.proposedHash !== null && { hash: tool.proposedHash }),
      })),
      {
        onSuccess: () =>
          showToast(chosen.length === 1 ? `Accepted “${chosen[0]?.remoteName}”` : `Accepted ${chosen.length} tools`),
        onError: (error) => {
          if (error instanceof ApiError && error.isConflict) setIsOutdated(true);
          else showError('The tools could not be accepted', error);
        },
      },
    );
  };
  const pending = accept.isPending ? (accept.variables ?? []).map(({ hash }) => hash) : [];
  return (
    <section aria-label="Tools to review" className="flex flex-col gap-3">
      <AcceptAll tools={tools} versions={versions} isPending={accept.isPending} onAccept={send} />
      {isOutdated && (
        <Banner
          tone="warn"
          icon={<Wrench />}
          actions={
            <Button size="sm" onClick={() => setIsOutdated(false)}>
              Dismiss
            </Button>
          }
        >
          The server changed these tools again, so nothing was accepted. Review the new definitions below.
        </Banner>
      )}
      <PageVirtualList
        label="Waiting tools"
        items={tools}
        keyOf={(tool) => `${tool.proposedHash} ${tool.remoteName}`}
        estimateSize={220}
        gap={12}
      >
        {(tool) => (
          <WaitingToolCard
            tool={tool}
            hasVersions={versions.length > 0}
            isPending={pending.includes(tool.proposedHash ?? '')}
            onAccept={() => send([tool])}
          />
        )}
      </PageVirtualList>
    </section>
  );
}
