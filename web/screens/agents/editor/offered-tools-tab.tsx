import { memo, Suspense } from 'react';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { fromHub, lazyPart } from '../../../api/from-hub.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import type { OfferedTools } from '../tool-builder/use-offered-tools.ts';
import type { Draft, EditDraft } from './draft.ts';

// Lazy: few users open it, and it brings a validator and another editor language.
const ToolBuilder = lazyPart(
  fromHub(() => import('../tool-builder/tool-builder.tsx')),
  'ToolBuilder',
);

export interface OfferedToolsTabProps {
  agentId: string;
  tools: OfferedTools;
  mode: Draft['mode'];
  shareContext: boolean;
  editable: boolean;
  issues: readonly FieldIssue[];
  dirty: boolean;
  edit: (edit: EditDraft) => void;
  save: () => Promise<boolean>;
}

export const OfferedToolsTab = memo(function OfferedToolsTab({ edit, ...rest }: OfferedToolsTabProps) {
  return (
    <Suspense
      fallback={
        <div role="status" aria-busy="true" aria-label="Loading tool builder" className="flex flex-col gap-2">
          <Skeleton className="h-12 w-full rounded-xl" />
          <Skeleton className="h-12 w-full rounded-xl" />
        </div>
      }
    >
      <ToolBuilder
        {...rest}
        onMode={(mode) => edit((draft) => ({ ...draft, mode }))}
        onShareContext={(shareContext) => edit((draft) => ({ ...draft, shareContext }))}
      />
    </Suspense>
  );
});
