import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CornerDownRight, Footprints, Play, SearchX } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { StoredRun } from '../../../src/engine/run-store.ts';
import { useAgents } from '../../api/queries.ts';
import { type RunQuery, useRuns, useRunTotals } from '../../api/run-queries.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { centWords, costWords, shortCount, tokenWords } from '../../parts/runs/usage-words.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { durationName } from '../../ui/duration-name.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBanner } from '../../ui/error-banner.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { NextPage } from '../../ui/next-page.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useMinute } from '../../ui/use-minute.ts';
import { useTitle } from '../../ui/use-title.ts';
import { PageVirtualList } from '../../ui/virtual-list.tsx';
import { RunFilters } from './run-filters.tsx';
import { type RunSearch, runSearch, toRunFilter } from './run-search.ts';
import { RunStateBadge } from './run-state.tsx';
import { calledWords, runMs, tickWords } from './run-words.ts';
import { StartRunDialog } from './start-run-dialog.tsx';

/** Lists the runs of the hub's own engine. */
export function RunsScreen() {
  useTitle('Runs');
  const { start: isStarting = false, ...search } = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const agents = useAgents().data?.agents ?? [];
  const key = JSON.stringify(search);
  const minute = useMinute();
  // The list is asked for once, and then loses the runs that become too old.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes exactly when the filters do.
  const filter = useMemo(() => toRunFilter(search, Date.now()), [key]);
  const current = toRunFilter(search, minute);
  const { runs: loaded, ...runs } = useRuns(filter);
  const since = current.since === undefined ? 0 : Date.parse(current.since);
  const list = loaded?.filter(({ startedAt }) => startedAt >= since);
  const isFiltered = Object.keys(search).length > 0;
  const change = (next: { [key in keyof RunSearch]?: RunSearch[key] | undefined }) =>
    void navigate({ search: runSearch({ ...search, ...next }), replace: true });
  const names = new Map(agents.map((each) => [each.id, each.name]));
  const setIsStarting = (isOpen: boolean) =>
    void navigate({ search: { ...search, ...(isOpen && { start: isOpen }) }, replace: true, resetScroll: false });
  const start = (
    <Button variant="primary" icon={<Play aria-hidden />} onClick={() => setIsStarting(true)}>
      Start a run
    </Button>
  );
  return (
    <Page>
      <PageHeader
        title="Runs"
        description="See how far each run got, which tools it called and what it cost."
        actions={start}
      />
      {(isFiltered || (list?.length ?? 0) > 0) && (
        <>
          <RunFilters search={search} onChange={change} />
          <Totals filter={current} runs={loaded} />
        </>
      )}
      {isStarting && <StartRunDialog agentId={search.agent} onClose={() => setIsStarting(false)} />}
      {!list ? (
        runs.error ? (
          <ErrorState title="The runs could not be loaded" error={runs.error} onRetry={runs.retry} />
        ) : (
          <LoadingRuns />
        )
      ) : list.length === 0 ? (
        isFiltered ? (
          <EmptyState
            art={<SearchX className="size-10" strokeWidth={1.5} />}
            title="No runs found"
            actions={
              <>
                <Button onClick={() => void navigate({ search: {}, replace: true })}>Show all runs</Button>
                {search.called === undefined && (
                  <Button onClick={() => change({ called: 'show' })}>Include called runs</Button>
                )}
              </>
            }
          >
            Remove some filters or choose a longer time range.
          </EmptyState>
        ) : (
          <NoRuns start={start} />
        )
      ) : (
        <>
          <PageVirtualList
            label="Runs"
            items={list}
            keyOf={(run) => run.id}
            estimateSize={rowHeight}
            hasMore={runs.hasMore}
            onNearEnd={runs.moreError ? undefined : runs.loadMore}
            className={classes(
              'rounded-card border border-line bg-surface shadow-card transition-opacity',
              runs.isOld && 'opacity-60',
            )}
          >
            {(run, index) => (
              <RunRow
                run={run}
                index={index}
                agentName={run.agentId === null ? null : (names.get(run.agentId) ?? run.agentId)}
              />
            )}
          </PageVirtualList>
          {runs.hasMore ? (
            <NextPage error={runs.moreError} isLoading={runs.isLoadingMore} onMore={runs.loadMore} className="mt-3" />
          ) : (
            <p className="mt-3 text-center text-faint text-xs">{formatCount(list.length, 'run')}</p>
          )}
        </>
      )}
    </Page>
  );
}

/** The totals of everything that the filter matches, including runs further down. */
function Totals({ filter, runs: listed }: { filter: RunQuery; runs: readonly StoredRun[] | undefined }) {
  const { data, error, refetch } = useRunTotals(filter, listed);
  if (!data) {
    if (!error)
      return (
        <div role="status" aria-busy="true" aria-label="Loading totals">
          <Skeleton className="mb-4 h-14 w-full" />
        </div>
      );
    return (
      <div className="mb-4">
        <ErrorBanner title="The totals could not be loaded." error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  const { runs, called, isPartial, failed, unpriced, cost, inputTokens, outputTokens } = data;
  const facts = [
    [
      'Runs',
      runs.toLocaleString('en'),
      [...(isPartial ? ['the newest that match'] : []), ...(called > 0 ? [`with ${calledWords(called)}`] : [])].join(
        ', ',
      ),
    ],
    ['Failed', failed.toLocaleString('en'), ''],
    ['Tokens', `${shortCount(inputTokens)} in, ${shortCount(outputTokens)} out`, ''],
    ['Cost', centWords(cost), unpriced > 0 ? `excluding ${formatCount(unpriced, 'run')} of unknown price` : ''],
  ] as const;
  return (
    <dl
      aria-label="Totals"
      className="mb-4 grid grid-cols-4 gap-3 rounded-card border border-line bg-surface px-4 py-3 shadow-card max-sm:grid-cols-2"
    >
      {facts.map(([name, value, note]) => (
        <div key={name} className="min-w-0">
          <dt className="text-faint text-xs">{name}</dt>
          <dd className="truncate font-medium text-sm tabular-nums">{value}</dd>
          {note && <dd className="text-faint text-xs">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

const rowHeight = 83;

function RunRow({ run, index, agentName }: { run: StoredRun; index: number; agentName: string | null }) {
  return (
    <Link
      to="/runs/$id"
      params={{ id: run.id }}
      data-run={run.id}
      data-row={index}
      className={classes(
        'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-2.5 outline-offset-[-2px] hover:bg-hover',
        index > 0 && 'border-line border-t',
      )}
    >
      <span className="flex min-w-0 items-center gap-2.5">
        {run.agentId !== null && <AgentAvatar id={run.agentId} size={28} />}
        <span className="min-w-0">
          <span className="flex min-w-0 items-center gap-1.5 text-sm">
            {run.calledBy !== null && (
              <span title="Called by another run" className="shrink-0 text-faint">
                <CornerDownRight aria-hidden className="size-3.5" />
                <span className="sr-only">Called by another run: </span>
              </span>
            )}
            <span className="min-w-0 truncate font-medium">{run.title || 'Untitled run'}</span>
          </span>
          <span className="flex min-w-0 gap-2 text-faint text-xs">
            {agentName !== null && <span className="min-w-0 truncate">{agentName}</span>}
            <span className="min-w-0 truncate font-mono text-2xs leading-4.5">{run.model}</span>
          </span>
        </span>
      </span>
      <span className="flex flex-col items-end gap-0.5">
        <RunStateBadge state={run.status} />
        <RelativeTime at={new Date(run.startedAt).toISOString()} className="text-faint text-xs" />
      </span>
      <span className="col-span-2 flex flex-wrap gap-x-3 pl-9.5 text-muted text-xs tabular-nums">
        <span>{tickWords(run.ticks)}</span>
        <span>{tokenWords(run.usage)}</span>
        {run.cost !== null && <span title={costWords(run.cost)}>{centWords(run.cost)}</span>}
        {run.calledRuns > 0 && <span>+ {calledWords(run.calledRuns)}</span>}
        <span>{durationName(runMs(run, Date.now()))}</span>
      </span>
    </Link>
  );
}

function NoRuns({ start }: { start: ReactNode }) {
  return (
    <EmptyState art={<Footprints className="size-12" strokeWidth={1.25} />} title="No runs yet" actions={start}>
      Start one here, chat with an agent, or run <code className="font-mono text-xs">zoo run AGENT "message"</code>.
      Each run appears here with its steps, calls and cost.
    </EmptyState>
  );
}

function LoadingRuns() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading runs"
      className="divide-y divide-line rounded-card border border-line bg-surface"
    >
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <div key={key} className="flex items-center gap-3 p-4">
          <Skeleton className="size-7 rounded-lg" />
          <Skeleton className="h-4 w-64" />
          <Skeleton className="ml-auto h-5 w-20" />
        </div>
      ))}
    </div>
  );
}
