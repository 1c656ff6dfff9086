import { Eye, Globe, Hand, Pencil, Repeat, TriangleAlert } from 'lucide-react';
import type { ToolAnnotations } from '../../../src/tools/tool.ts';
import { Badge } from '../../ui/badge.tsx';

export interface ToolBadgesProps {
  annotations: Partial<ToolAnnotations> | undefined;
  requiresApproval?: boolean;
  /** Says also what is usual: that it changes things. */
  isComplete?: boolean;
}

/** What a tool says about itself, in the same words on every screen. Hints, no proof. */
export function ToolBadges({ annotations = {}, requiresApproval = false, isComplete = false }: ToolBadgesProps) {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return (
    <>
      {readOnlyHint && (
        <Badge icon={<Eye aria-hidden />} title="It says that it changes nothing">
          reads only
        </Badge>
      )}
      {destructiveHint && !readOnlyHint && (
        <Badge
          tone="warn"
          icon={<TriangleAlert aria-hidden />}
          title="It says that it may overwrite or delete something"
        >
          can overwrite or delete
        </Badge>
      )}
      {isComplete && !readOnlyHint && !destructiveHint && <Badge icon={<Pencil aria-hidden />}>adds or changes</Badge>}
      {idempotentHint && !readOnlyHint && (
        <Badge icon={<Repeat aria-hidden />} title="It says that calling it twice does no more than once">
          can be repeated
        </Badge>
      )}
      {openWorldHint && (
        <Badge icon={<Globe aria-hidden />} title="It says that it reaches beyond this machine">
          reaches outside
        </Badge>
      )}
      {requiresApproval && (
        <Badge tone="violet" icon={<Hand aria-hidden />} title="A person is asked before an agent calls it">
          asks for approval
        </Badge>
      )}
    </>
  );
}
