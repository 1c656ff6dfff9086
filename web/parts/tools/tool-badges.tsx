import { Eye, Globe, Hand, Pencil, Repeat, TriangleAlert } from 'lucide-react';
import type { ToolAnnotations } from '../../../src/tools/tool.ts';
import { Badge } from '../../ui/badge.tsx';

export interface ToolBadgesProps {
  annotations: Partial<ToolAnnotations> | undefined;
  requiresApproval?: boolean;
  /** Also shows the default: the tool makes changes. */
  isComplete?: boolean;
}

/** A tool's own annotations, in the same words on every screen. They are hints, not guarantees. */
export function ToolBadges({ annotations = {}, requiresApproval = false, isComplete = false }: ToolBadgesProps) {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return (
    <>
      {readOnlyHint && (
        <Badge
          icon={<Eye aria-hidden />}
          title={`The tool states that it changes nothing${requiresApproval ? '. Calls need approval all the same' : ''}`}
        >
          {readOnlyLabel(requiresApproval)}
        </Badge>
      )}
      {destructiveHint && !readOnlyHint && (
        <Badge
          tone="warn"
          icon={<TriangleAlert aria-hidden />}
          title="The tool states that it may overwrite or delete data"
        >
          Destructive
        </Badge>
      )}
      {isComplete && !readOnlyHint && !destructiveHint && <Badge icon={<Pencil aria-hidden />}>Makes changes</Badge>}
      {idempotentHint && !readOnlyHint && (
        <Badge icon={<Repeat aria-hidden />} title="The tool states that repeating a call has no further effect">
          Idempotent
        </Badge>
      )}
      {openWorldHint && (
        <Badge icon={<Globe aria-hidden />} title="The tool states that it contacts external services">
          External access
        </Badge>
      )}
      {requiresApproval && (
        <Badge tone="violet" icon={<Hand aria-hidden />} title="Agents need your approval before each call">
          Needs approval
        </Badge>
      )}
    </>
  );
}

/** A tool that needs approval only says that it changes nothing: what it says does not decide. */
export function readOnlyLabel(requiresApproval: boolean): string {
  return requiresApproval ? 'Says it is read-only' : 'Read-only';
}
