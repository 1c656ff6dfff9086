import { ChevronDown, FileClock, GitCompareArrows, History, RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { AgentDetail, AgentVersionSummary } from '../../../../src/agents/agents.contract.ts';
import { useVersion, useVersions } from '../../../api/queries.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { NextPage } from '../../../ui/next-page.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { PageVirtualList } from '../../../ui/virtual-list.tsx';
import { ChangesView } from './changes-view.tsx';
import { CompareVersions } from './compare-versions.tsx';
import { toDraft } from './draft.ts';
import { formatTime } from './format-time.ts';

export interface HistoryTabProps {
  saved: AgentDetail;
  restoring: boolean;
  onRestore: (revision: number) => void;
}

export function HistoryTab({ saved, restoring, onRestore }: HistoryTabProps) {
  if (saved.revision === null) {
    return (
      <EmptyState art={<FileClock className="size-10" strokeWidth={1.5} />} title="No history">
        This agent is defined in {saved.place}. Use version control for its history.
      </EmptyState>
    );
  }
  return <Versions saved={saved} restoring={restoring} onRestore={onRestore} />;
}

function Versions({ saved, restoring, onRestore }: HistoryTabProps) {
  const versions = useVersions(saved.id);
  const [openRevision, setOpenRevision] = useState<number | null>(null);
  const [isComparing, setIsComparing] = useState(false);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = versions;
  const more = () => void fetchNextPage();
  const canGetMore = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  // Any two versions can be compared.
  useEffect(() => {
    if (isComparing && canGetMore) void fetchNextPage();
  }, [isComparing, canGetMore, fetchNextPage]);
  if (versions.isPending) {
    return (
      <div role="status" aria-busy="true" aria-label="Loading history" className="flex flex-col gap-2">
        {[0, 1, 2].map((row) => (
          <Skeleton key={row} className="h-12 w-full rounded-xl" />
        ))}
      </div>
    );
  }
  if (!versions.data) {
    return (
      <ErrorState
        title="The history could not be loaded"
        error={versions.error}
        onRetry={() => void versions.refetch()}
      />
    );
  }
  if (versions.data.length === 0) {
    return (
      <EmptyState art={<History className="size-10" strokeWidth={1.5} />} title="No versions yet">
        Change the agent and save it. Every save is kept here.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-52 text-muted text-sm">
          Every save is kept. Open a version to see what restoring it would change.
        </p>
        {versions.data.length > 1 && (
          <Button
            icon={<GitCompareArrows aria-hidden />}
            aria-expanded={isComparing}
            onClick={() => setIsComparing(!isComparing)}
          >
            Compare two versions
          </Button>
        )}
      </div>
      {isComparing && <CompareVersions {...{ saved, restoring, onRestore }} versions={versions.data} />}
      <PageVirtualList
        label="Versions"
        items={versions.data}
        keyOf={({ revision }) => String(revision)}
        estimateSize={46}
        gap={8}
        isRow={({ revision }) => revision !== saved.revision}
        hasMore={hasNextPage}
        onNearEnd={canGetMore ? more : undefined}
      >
        {(version, row) => (
          <VersionItem
            row={row}
            version={version}
            saved={saved}
            isOpen={openRevision === version.revision}
            onToggle={() => setOpenRevision(openRevision === version.revision ? null : version.revision)}
            restoring={restoring}
            onRestore={onRestore}
          />
        )}
      </PageVirtualList>
      {hasNextPage && (
        <NextPage error={isFetchNextPageError ? versions.error : null} isLoading={isFetchingNextPage} onMore={more} />
      )}
    </div>
  );
}

const actions: Record<AgentVersionSummary['action'], { label: string; tone: BadgeTone }> = {
  create: { label: 'Created', tone: 'accent' },
  update: { label: 'Saved', tone: 'neutral' },
  restore: { label: 'Restored', tone: 'info' },
  delete: { label: 'Deleted', tone: 'danger' },
  undelete: { label: 'Undeleted', tone: 'info' },
  import: { label: 'Imported', tone: 'accent' },
};

interface VersionItemProps extends HistoryTabProps {
  /** Its place in the list. */
  row: number;
  version: AgentVersionSummary;
  isOpen: boolean;
  onToggle: () => void;
}

function VersionItem({ row, version, saved, isOpen, onToggle, restoring, onRestore }: VersionItemProps) {
  const isCurrent = version.revision === saved.revision;
  const action = actions[version.action];
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface shadow-card">
      <button
        type="button"
        data-row={row}
        aria-expanded={isOpen}
        disabled={isCurrent}
        onClick={onToggle}
        className="flex w-full items-center gap-2.5 px-3.5 py-2.5 text-left outline-offset-[-2px] enabled:hover:bg-hover"
      >
        <span className="w-8 shrink-0 text-faint text-xs tabular-nums">v{version.revision}</span>
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5">
          <Badge tone={action.tone}>{action.label}</Badge>
          <span className="text-muted text-sm">
            <time dateTime={version.at}>{formatTime(version.at)}</time>
          </span>
          {version.name !== saved.name && <span className="truncate text-faint text-xs">as “{version.name}”</span>}
        </span>
        {isCurrent ? (
          <Badge tone="accent">Current</Badge>
        ) : (
          <ChevronDown
            aria-hidden
            className={classes('size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-180')}
          />
        )}
      </button>
      {isOpen && <VersionChanges {...{ version, saved, restoring, onRestore }} />}
    </div>
  );
}

function VersionChanges({
  version,
  saved,
  restoring,
  onRestore,
}: Omit<VersionItemProps, 'row' | 'isOpen' | 'onToggle'>) {
  const body = useVersion(saved.id, version.revision);
  return (
    <div className="flex flex-col gap-3 border-line border-t p-3.5">
      {body.isPending ? (
        <div role="status" aria-busy="true" aria-label="Loading version">
          <Skeleton className="h-20 w-full" />
        </div>
      ) : !body.data ? (
        <ErrorState title="This version could not be loaded" error={body.error} onRetry={() => void body.refetch()} />
      ) : (
        <>
          <p className="text-faint text-xs">Restoring this version would change:</p>
          <ChangesView
            before={toDraft(saved)}
            after={toDraft(body.data.agent)}
            sameText="This version is the same as the current one."
          />
          {saved.editable && (
            <Button
              className="self-end"
              icon={<RotateCcw aria-hidden />}
              busy={restoring}
              onClick={() => onRestore(version.revision)}
            >
              Restore this version
            </Button>
          )}
        </>
      )}
    </div>
  );
}
