import { Link } from '@tanstack/react-router';
import { BrainCircuit } from 'lucide-react';
import { useProviders } from '../../api/provider-queries.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { ProviderCard } from './provider-card.tsx';

/** Lists the model providers and their keys. */
export function ModelsScreen() {
  useTitle('Models');
  const { data, error, refetch } = useProviders();
  return (
    <Page className="max-w-4xl!">
      <PageHeader title="Models" description="Providers whose models run your agents, and their API keys." />
      {data ? (
        data.length === 0 ? (
          <EmptyState art={<BrainCircuit className="size-10" strokeWidth={1.5} />} title="No providers configured" />
        ) : (
          <ul aria-label="Providers" className="flex flex-col gap-3">
            {data
              .toSorted((left, right) => Number(right.isReady) - Number(left.isReady))
              .map((provider) => (
                <li key={provider.name}>
                  <ProviderCard provider={provider} />
                </li>
              ))}
          </ul>
        )
      ) : error ? (
        <ErrorState title="The providers could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingProviders />
      )}
      {data && data.length > 0 && <HowAgentsChoose />}
    </Page>
  );
}

function HowAgentsChoose() {
  return (
    <section
      aria-labelledby="how-agents-choose"
      className="mt-8 rounded-card border border-line bg-sunken/50 px-4 py-3.5 text-sm"
    >
      <h2 id="how-agents-choose" className="font-semibold text-sm">
        How an agent chooses its model
      </h2>
      <p className="mt-1 text-pretty text-muted">
        Set a model as <Mono>provider/model</Mono> below the agent's name in the{' '}
        <Link to="/" className="text-accent-text hover:underline">
          editor
        </Link>
        . Without one, the agent uses <Mono>model</Mono> from <Mono>[engine]</Mono> in <Mono>zoo.toml</Mono>. Run it
        with <Mono>zoo run AGENT "message"</Mono> and find the result in{' '}
        <Link to="/runs" className="text-accent-text hover:underline">
          Runs
        </Link>
        . Clients such as Claude or Cursor bring their own model and need no key here.
      </p>
    </section>
  );
}

function Mono({ children }: { children: string }) {
  return <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">{children}</code>;
}

function LoadingProviders() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading providers" className="flex flex-col gap-3">
      {['a', 'b', 'c', 'd'].map((key) => (
        <div key={key} className="flex items-center gap-3 rounded-card border border-line bg-surface p-4">
          <Skeleton className="h-5 w-32" />
          <Skeleton className="h-4 w-48 max-sm:hidden" />
          <Skeleton className="ml-auto h-8 w-28" />
        </div>
      ))}
    </div>
  );
}
