import { Eye, Globe, Hand, Pencil, TriangleAlert } from 'lucide-react';
import type { ToolAnnotations } from '../../src/tools/tool.ts';
import { Badge } from '../ui/badge.tsx';

export interface ToolBadgesProps {
  annotations: ToolAnnotations;
  requiresApproval?: boolean;
  /** Says also what is usual: that it changes things, and that it reaches outside. */
  isComplete?: boolean;
}

/** What a tool says about itself, in words. */
export function ToolBadges({ annotations, requiresApproval = false, isComplete = false }: ToolBadgesProps) {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  return (
    <>
      {readOnlyHint && <Badge icon={<Eye aria-hidden />}>reads only</Badge>}
      {destructiveHint && !readOnlyHint && (
        <Badge tone="warn" icon={<TriangleAlert aria-hidden />}>
          can overwrite or delete
        </Badge>
      )}
      {isComplete && !readOnlyHint && !destructiveHint && <Badge icon={<Pencil aria-hidden />}>adds or changes</Badge>}
      {openWorldHint && <Badge icon={<Globe aria-hidden />}>reaches outside</Badge>}
      {requiresApproval && (
        <Badge tone="violet" icon={<Hand aria-hidden />}>
          asks for approval
        </Badge>
      )}
    </>
  );
}
