import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChartColumn, Download, X } from 'lucide-react';
import { useState } from 'react';
import { usageDimensions } from '../../../src/usage/usage.ts';
import { usageExportUrl, useUsage } from '../../api/usage-queries.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { BudgetSection } from './budget-section.tsx';
import { type Metric, metrics, UsageChart } from './usage-chart.tsx';
import { toUsageRequest, type UsageSearch, usageSearch } from './usage-search.ts';
import { dimensionNames, UsageTable, useGroupName } from './usage-table.tsx';

/** Tokens, cost, latency and errors of all model calls, and the budgets for them. */
export function UsageScreen() {
  useTitle('Usage');
  const search = useSearch({ from: '/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const [metric, setMetric] = useState<Metric>('cost');
  const query = toUsageRequest(search, Date.now());
  const { data, error, refetch, isPlaceholderData } = useUsage(query);
  const report = data?.report;
  const nameOf = useGroupName();
  const isFiltered = usageDimensions.some((name) => search[name] !== undefined);
  const change = (next: { [key in keyof UsageSearch]?: UsageSearch[key] | undefined }) =>
    void navigate({ search: usageSearch({ ...search, ...next }), replace: true });
  return (
    <Page>
      <PageHeader
        title="Usage"
        description="What your agents use: tokens, cost, latency and errors of every call to a language model. Hours and days are in UTC."
        actions={
          <a href={usageExportUrl(query)} download className={buttonClass()}>
            <Download aria-hidden />
            Export CSV
          </a>
        }
      />
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <Select
          label="Time"
          value={search.last ?? 'week'}
          options={[
            { value: 'day', label: 'Last 24 hours' },
            { value: 'week', label: 'Last 7 days' },
            { value: 'month', label: 'Last 30 days' },
            { value: 'year', label: 'Last 12 months' },
          ]}
          onChange={(last) => change({ last })}
        />
        <Select
          label="Group by"
          prefix="By"
          value={query.by}
          options={Object.entries(dimensionNames).map(([value, label]) => ({
            value: value as keyof typeof dimensionNames,
            label,
          }))}
          onChange={(by) => change({ by })}
        />
        <Select
          label="Chart"
          prefix="Chart"
          value={metric}
          options={Object.entries(metrics).map(([value, label]) => ({ value: value as Metric, label }))}
          onChange={setMetric}
        />
        {usageDimensions.map((name) => {
          const key = search[name];
          if (key === undefined) return null;
          const text = `${dimensionNames[name]}: ${nameOf(name, key)}`;
          return (
            <Button
              key={name}
              size="sm"
              aria-label={`Remove the filter ${text}`}
              onClick={() => change({ [name]: undefined })}
              className="max-w-60"
            >
              <span className="truncate">{text}</span>
              <X aria-hidden />
            </Button>
          );
        })}
      </div>
      {!report ? (
        error ? (
          <ErrorState title="Usage could not be loaded" error={error} onRetry={() => void refetch()} />
        ) : (
          <div role="status" aria-busy="true" aria-label="Loading usage" className="flex flex-col gap-4">
            <Skeleton className="h-44 w-full" />
            <Skeleton className="h-40 w-full" />
          </div>
        )
      ) : report.total.calls === 0 ? (
        <EmptyState
          art={<ChartColumn className="size-12" strokeWidth={1.25} />}
          title="No model calls in this time range"
        >
          {isFiltered
            ? 'Remove a filter or choose a longer time range.'
            : 'Chat with an agent or start a run. Each model call is counted here within a second.'}
        </EmptyState>
      ) : (
        <div className={classes('transition-opacity', isPlaceholderData && 'opacity-60')}>
          <UsageChart report={report} metric={metric} since={data.since} until={data.until} />
          <UsageTable report={report} onChoose={(key) => change({ [report.by]: key })} />
        </div>
      )}
      <BudgetSection />
    </Page>
  );
}
