import { RotateCw, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useProviderModels } from '../../api/provider-queries.ts';
import { modelNames } from '../../parts/models/describe-provider.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { Input } from '../../ui/input.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** The maximum number of names shown. A search finds the others. */
const maxShown = 200;

/** Lists the models that the provider reports. */
export function ModelNames({ provider }: { provider: string }) {
  const { data: list, error, refetch, isFetching } = useProviderModels(provider, true);
  const [query, setQuery] = useState('');
  const data = list?.models;
  const names = modelNames(provider, data ?? [], query);
  return (
    <div className="border-line border-t px-4 py-3">
      {isFetching && !data ? (
        <div role="status" aria-busy="true" aria-label="Loading models" className="flex flex-col gap-2">
          <Skeleton className="h-4 w-1/3" />
          <Skeleton className="h-4 w-2/5" />
          <Skeleton className="h-4 w-1/4" />
        </div>
      ) : error ? (
        <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-2 text-danger text-sm">
          <TriangleAlert aria-hidden className="size-4 shrink-0" />
          <p className="min-w-0 flex-1 basis-60 text-pretty [overflow-wrap:anywhere]">{errorText(error)}</p>
          <Button size="sm" icon={<RotateCw aria-hidden />} busy={isFetching} onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      ) : data?.length === 0 ? (
        <p className="text-muted text-sm">The provider lists no models.</p>
      ) : (
        <>
          <div className="mb-2 flex items-center gap-3">
            <p role="status" className="flex-1 text-muted text-xs">
              {formatCount(data?.length ?? 0, 'model')}
            </p>
            {(data?.length ?? 0) > 8 && (
              <Input
                type="search"
                aria-label={`Search ${provider}'s models`}
                placeholder="Search models"
                value={query}
                onChange={(event) => setQuery(event.target.value)}
                className="max-w-52"
              />
            )}
          </div>
          <ul
            aria-label={`Models from ${provider}`}
            className="max-h-80 overflow-y-auto rounded-lg border border-line bg-sunken/40"
          >
            {names.slice(0, maxShown).map((name) => (
              <li key={name} className="flex items-center gap-2 border-line border-t px-2.5 py-0.5 first:border-t-0">
                <code className="min-w-0 flex-1 break-all font-mono text-xs">{name}</code>
                <CopyButton iconOnly label={`Copy ${name}`} text={name} />
              </li>
            ))}
            {names.length === 0 && <li className="px-2.5 py-2 text-muted text-sm">No models match.</li>}
            {names.length > maxShown && (
              <li className="border-line border-t px-2.5 py-1.5 text-faint text-xs">
                and {(names.length - maxShown).toLocaleString('en')} more. Search to find them.
              </li>
            )}
          </ul>
        </>
      )}
    </div>
  );
}
