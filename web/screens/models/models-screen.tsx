import { Link } from '@tanstack/react-router';
import { BrainCircuit } from 'lucide-react';
import { useProviders } from '../../api/provider-queries.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { ProviderCard } from './provider-card.tsx';

/** Where models come from, and the keys for them. */
export function ModelsScreen() {
  useTitle('Models');
  const { data, error, refetch } = useProviders();
  return (
    <Page className="max-w-4xl!">
      <PageHeader title="Models" description="The providers whose models run your agents, and the keys for them." />
      {data ? (
        data.length === 0 ? (
          <EmptyState art={<BrainCircuit className="size-10" strokeWidth={1.5} />} title="No provider is known" />
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
        An agent names one as <Mono>provider/model</Mono>, in the line below its name in the{' '}
        <Link to="/" className="text-accent-text hover:underline">
          editor
        </Link>
        . One that names none takes <Mono>model</Mono> of <Mono>[engine]</Mono> in <Mono>zoo.toml</Mono>. Then{' '}
        <Mono>zoo run AGENT "message"</Mono> runs it, and the run is kept under{' '}
        <Link to="/runs" className="text-accent-text hover:underline">
          Runs
        </Link>
        . Clients such as Claude or Cursor bring a model of their own and need none of this.
      </p>
    </section>
  );
}

function Mono({ children }: { children: string }) {
  return <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">{children}</code>;
}

function LoadingProviders() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading the providers" className="flex flex-col gap-3">
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
