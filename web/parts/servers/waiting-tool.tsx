import { Check } from 'lucide-react';
import { useMemo } from 'react';
import { hintsOf } from '../../../src/servers/remote-tool.ts';
import type { RemoteTool } from '../../../src/servers/supervise/server-connection.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeItem } from '../../ui/change-item.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { ToolBadges } from '../tools/tool-badges.tsx';
import { compareTools } from './compare-tools.ts';
import { StatusBadge, ToolDefinitionView, ToolWarnings } from './tool-definition.tsx';
import type { WaitingTool } from './tool-status.ts';

export interface WaitingToolCardProps {
  tool: WaitingTool;
  /** Several versions are in use, so that the card must say which one it is about. */
  hasVersions: boolean;
  isPending: boolean;
  onAccept: () => void;
}

/** A tool that waits for approval: its changes, or its whole definition when it is new. */
export function WaitingToolCard({ tool, hasVersions, isPending, onAccept }: WaitingToolCardProps) {
  return (
    <article
      aria-label={tool.remoteName}
      data-tool={tool.remoteName}
      data-status={tool.status}
      className="flex flex-col gap-2.5 rounded-card border border-warn/40 bg-surface p-3.5 shadow-card"
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h3 className="break-all font-medium font-mono text-sm">{tool.localName}</h3>
            <StatusBadge status={tool.status} />
            {hasVersions && (
              <Badge>
                in <ForeignText text={tool.versions.join(', ')} />
              </Badge>
            )}
            <ToolBadges annotations={hintsOf(tool.proposed)} />
          </div>
        </div>
        <Button
          size="sm"
          variant="primary"
          icon={<Check aria-hidden />}
          busy={isPending}
          aria-label={`Accept ${tool.remoteName}`}
          onClick={onAccept}
        >
          Accept
        </Button>
      </div>
      <ToolWarnings tool={tool} />
      {tool.accepted ? (
        <ToolChanges before={tool.accepted} after={tool.proposed} />
      ) : (
        <ToolDefinitionView definition={tool.proposed} />
      )}
    </article>
  );
}

function ToolChanges({ before, after }: { before: RemoteTool; after: RemoteTool }) {
  const changes = useMemo(() => compareTools(before, after), [before, after]);
  if (changes.length === 0) {
    return <p className="text-muted text-sm">Only the order of its fields changed. The meaning is the same.</p>;
  }
  return (
    <ul aria-label="What changed" className="flex flex-col gap-2">
      {changes.map((change) => (
        <ChangeItem key={change.field} {...change} title={names[change.field] ?? change.field} />
      ))}
    </ul>
  );
}

const names: Record<string, string> = {
  name: 'Name',
  title: 'Title',
  description: 'Description',
  inputSchema: 'Input schema',
  outputSchema: 'Output schema',
  annotations: 'Annotations',
};

export interface AcceptAllProps {
  tools: readonly WaitingTool[];
  /** The versions in use; empty if there is one. */
  versions: readonly string[];
  isPending: boolean;
  onAccept: (tools: readonly WaitingTool[]) => void;
}

/** Counts the waiting tools and accepts all of them, or those of one version. */
export function AcceptAll({ tools, versions, isPending, onAccept }: AcceptAllProps) {
  const byVersion = versions
    .map((version) => ({ version, waiting: tools.filter((tool) => tool.versions.includes(version)) }))
    .filter(({ waiting }) => waiting.length > 0 && waiting.length < tools.length);
  const newCount = tools.filter((tool) => tool.status === 'new').length;
  const parts = [
    ...(newCount > 0 ? [`${newCount} new`] : []),
    ...(tools.length > newCount ? [`${tools.length - newCount} changed`] : []),
  ];
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <h2 className="flex min-w-0 flex-1 basis-48 flex-wrap items-center gap-x-2 font-semibold text-base">
        {tools.length === 1 ? '1 tool to review' : `${tools.length} tools to review`}
        <span className="font-normal text-muted text-xs">{parts.join(', ')}</span>
      </h2>
      {byVersion.map(({ version, waiting }) => (
        <Button key={version} size="sm" busy={isPending} onClick={() => onAccept(waiting)}>
          Accept {waiting.length} of {version}
        </Button>
      ))}
      {tools.length > 1 && (
        <Button size="sm" icon={<Check aria-hidden />} busy={isPending} onClick={() => onAccept(tools)}>
          Accept all {tools.length}
        </Button>
      )}
    </div>
  );
}
