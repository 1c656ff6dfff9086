import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { BrainCircuit, Plus } from 'lucide-react';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { useDeleted } from '../../api/pending-deletions.ts';
import { useProviders } from '../../api/provider-queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { DefaultModelSection } from './default-model-section.tsx';
import { EmbeddingsSection } from './embeddings-section.tsx';
import { PriceDialog } from './price-dialog.tsx';
import { ProviderCard } from './provider-card.tsx';
import { ProviderDialog } from './provider-dialog.tsx';

/** Lists the model providers with their keys and the outcome of their last requests, and sets the default model. */
export function ModelsScreen() {
  useTitle('Models');
  const { data, error, refetch } = useProviders();
  const removed = useDeleted();
  const { add: isAdding = false, price } = useSearch({ from: '/models' });
  const navigate = useNavigate({ from: '/models' });
  const setIsAdding = (add: boolean) =>
    void navigate({ search: add ? { add } : {}, replace: true, resetScroll: false });
  const setPriced = (model: string | undefined) =>
    void navigate({ search: model === undefined ? {} : { price: model }, replace: true, resetScroll: false });
  const add = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setIsAdding(true)}>
      Add provider
    </Button>
  );
  return (
    <Page className="max-w-4xl!">
      <PageHeader title="Models" description="Connect providers and choose the default model." actions={add} />
      {data ? (
        <div className="flex flex-col gap-8">
          <DefaultModelSection />
          <EmbeddingsSection />
          {data.length === 0 ? (
            <EmptyState
              art={<BrainCircuit className="size-10" strokeWidth={1.5} />}
              title="No providers"
              actions={add}
            />
          ) : (
            <LongList
              label="Providers"
              items={data
                .filter(({ name }) => !removed.has(`provider/${name}`))
                .toSorted((left, right) => rank(left) - rank(right))}
              keyOf={({ name }) => name}
              estimateSize={70}
              gap={12}
            >
              {(provider, index) => <ProviderCard provider={provider} row={index} onPrice={setPriced} />}
            </LongList>
          )}
          <HowAgentsChoose />
        </div>
      ) : error ? (
        <ErrorState title="The providers could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingProviders />
      )}
      {isAdding && <ProviderDialog onClose={() => setIsAdding(false)} />}
      {data && price !== undefined && <PriceDialog key={price} model={price} onClose={() => setPriced(undefined)} />}
    </Page>
  );
}

/** Providers that work come first, those that need something come last. */
function rank({ isReady, from, seen }: ProviderInfo): number {
  if (seen.state === 'worked') return 0;
  if (from !== 'built-in') return 1;
  if (seen.state === 'reached') return 2;
  return isReady ? 3 : 4;
}

function HowAgentsChoose() {
  return (
    <section
      aria-labelledby="how-agents-choose"
      className="rounded-card border border-line bg-sunken/50 px-4 py-3.5 text-sm"
    >
      <h2 id="how-agents-choose" className="font-semibold text-sm">
        How an agent chooses its model
      </h2>
      <p className="mt-1 text-pretty text-muted">
        An agent can have its own model, set below its name in the{' '}
        <Link to="/" className="text-accent-text underline underline-offset-2 hover:decoration-2">
          editor
        </Link>
        , and a chat can use another one. Otherwise, the default model answers. Clients such as Claude or Cursor bring
        their own model and need no key here.
      </p>
    </section>
  );
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
