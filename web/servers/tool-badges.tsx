import { Eye, Globe, Repeat, ShieldQuestion, TriangleAlert } from 'lucide-react';
import type { ServerTool } from '../../src/servers/external-servers.ts';
import type { RemoteTool } from '../../src/servers/server-connection.ts';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { type ToolStatus, toolStatusNames } from './describe-server.ts';

const tones: Record<ToolStatus, BadgeTone> = {
  active: 'accent',
  changed: 'warn',
  new: 'warn',
  conflict: 'danger',
  off: 'neutral',
  filtered: 'neutral',
  gone: 'neutral',
};

export function StatusBadge({ status }: { status: ToolStatus }) {
  return <Badge tone={tones[status]}>{toolStatusNames[status]}</Badge>;
}

/** What the server says of its own tool: hints, no proof. */
export function AnnotationBadges({ definition }: { definition: RemoteTool | null }) {
  const hints = definition?.annotations ?? {};
  return (
    <>
      {hints.readOnlyHint === true && (
        <Badge icon={<Eye aria-hidden />} title="The server says that it changes nothing">
          read-only
        </Badge>
      )}
      {hints.destructiveHint === true && hints.readOnlyHint !== true && (
        <Badge tone="danger" icon={<TriangleAlert aria-hidden />} title="The server says that it may destroy something">
          destructive
        </Badge>
      )}
      {hints.idempotentHint === true && hints.readOnlyHint !== true && (
        <Badge icon={<Repeat aria-hidden />} title="The server says that calling it twice does no more than once">
          idempotent
        </Badge>
      )}
      {hints.openWorldHint === true && (
        <Badge icon={<Globe aria-hidden />} title="The server says that it reaches beyond this machine">
          open world
        </Badge>
      )}
    </>
  );
}

export function ApprovalBadge({ tool }: { tool: ServerTool }) {
  if (!tool.requiresApproval) return null;
  return (
    <Badge tone="violet" icon={<ShieldQuestion aria-hidden />} title="A person is asked before an agent calls it">
      asks first
    </Badge>
  );
}
