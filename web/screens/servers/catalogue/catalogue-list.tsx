import { ChevronRight, FileUp, Globe, KeyRound, Package, SearchX } from 'lucide-react';
import { useId, useRef } from 'react';
import type { CatalogueEntry, CataloguePage } from '../../../../src/servers/catalogue/catalogue.ts';
import { waysToAdd } from '../../../../src/servers/catalogue/ways-to-add.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { ForeignText } from '../../../ui/foreign-text.tsx';
import { FormError } from '../../../ui/form-dialog.tsx';
import { formatCount } from '../../../ui/format-count.ts';
import { TextField } from '../../../ui/input.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { plainInput } from '../server-fields.tsx';
import { CatalogueServerForm } from './catalogue-server-form.tsx';
import type { CatalogueState } from './use-catalogue.ts';

/** Finds a server in the catalogue, and asks only for what it needs. */
export function Catalogue({ catalogue }: { catalogue: CatalogueState }) {
  if (catalogue.view === 'server') return <CatalogueServerForm chosen={catalogue.chosen} />;
  if (catalogue.view === 'update') return <UpdateForm update={catalogue.update} />;
  return <CatalogueSearch catalogue={catalogue} />;
}

function CatalogueSearch({ catalogue }: { catalogue: CatalogueState }) {
  const { query, setQuery, search, chosen } = catalogue;
  const { data, error, refetch } = search;
  return (
    <div className="flex min-h-80 flex-col gap-3">
      <SearchField
        label="Search the catalogue"
        placeholder="Search: browser, database…"
        value={query}
        onChange={setQuery}
      />
      {data ? (
        <Results
          page={data}
          isStale={search.isPlaceholderData}
          query={catalogue.settled}
          onChoose={chosen.choose}
          onClear={() => setQuery('')}
        />
      ) : error ? (
        <ErrorState title="The catalogue could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingCatalogue />
      )}
    </div>
  );
}

interface ResultsProps {
  page: CataloguePage;
  isStale: boolean;
  query: string;
  onChoose: (server: CatalogueEntry['server']) => void;
  onClear: () => void;
}

function Results({ page, isStale, query, onChoose, onClear }: ResultsProps) {
  const { entries, matches, size, updated } = page;
  if (entries.length === 0) {
    return (
      <EmptyState
        art={<SearchX className="size-10" strokeWidth={1.5} />}
        title="No servers found"
        actions={<Button onClick={onClear}>Clear search</Button>}
      >
        The catalogue has no server for “{query}”. Update it, or add the server by its command or URL.
      </EmptyState>
    );
  }
  const source = updated
    ? `updated ${new Date(updated.at).toLocaleDateString()} from ${sourceName(updated.from)}`
    : 'from Agent Zoo';
  return (
    <>
      <ul
        aria-label="Catalogue"
        aria-busy={isStale}
        className="flex flex-col divide-y divide-line rounded-xl border border-line"
      >
        {entries.map(({ server, isBundled }) => (
          <CatalogueRow key={server.name} server={server} isBundled={isBundled} onChoose={() => onChoose(server)} />
        ))}
      </ul>
      <p role="status" className="text-muted text-xs">
        {matches > entries.length
          ? `Showing ${entries.length} of ${formatCount(matches, 'server')}. Add words to narrow the search.`
          : query === ''
            ? `${formatCount(size, 'server')}, ${source}.`
            : `${formatCount(matches, 'server')} of ${size}, ${source}.`}
      </p>
    </>
  );
}

function CatalogueRow({ server, isBundled, onChoose }: CatalogueEntry & { onChoose: () => void }) {
  const description = useId();
  const title = server.title ?? server.name;
  const [way] = waysToAdd(server);
  const needed = way?.fields.filter(({ isNeeded }) => isNeeded) ?? [];
  const Icon = server.packages.length > 0 ? Package : Globe;
  return (
    <li className="relative flex items-start gap-3 px-3.5 py-2.5 first:rounded-t-xl last:rounded-b-xl hover:bg-hover">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline gap-x-2">
          <button
            type="button"
            data-row
            aria-label={`Choose ${title}`}
            aria-describedby={description}
            onClick={onChoose}
            // The whole row can be clicked.
            className="rounded-md text-left font-medium text-sm after:absolute after:inset-0"
          >
            <ForeignText text={title} />
          </button>
          {!isBundled && (
            <span className="min-w-0 break-all text-faint text-xs">
              <ForeignText text={server.name} />
            </span>
          )}
        </div>
        <div id={description} className="text-muted text-xs">
          <ForeignText text={server.description} />
          {needed.length > 0 && (
            <span className="mt-0.5 flex items-center gap-1 text-faint">
              <KeyRound aria-hidden className="size-3 shrink-0" />
              <span className="min-w-0 break-words">Needs: {needed.map(({ label }) => label).join(', ')}</span>
            </span>
          )}
        </div>
      </div>
      <ChevronRight aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
    </li>
  );
}

function UpdateForm({ update }: { update: CatalogueState['update'] }) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <div className="flex min-h-80 flex-col gap-4">
      <TextField
        label="Address of the list"
        {...plainInput}
        autoFocus
        inputMode="url"
        inputClass="font-mono"
        value={update.address}
        hint="A list in the format of the MCP registry. The hub fetches it only when you choose Update."
        onChange={(event) => update.setAddress(event.currentTarget.value)}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button icon={<FileUp aria-hidden />} disabled={update.isPending} onClick={() => file.current?.click()}>
          Choose file
        </Button>
        <span className="text-muted text-xs">A list that you have as a file. Nothing is fetched.</span>
        <input
          ref={file}
          type="file"
          accept="application/json,.json"
          hidden
          aria-label="List of servers as a file"
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            if (chosen) update.readFile(chosen);
            // So that the same file can be chosen again.
            currentTarget.value = '';
          }}
        />
      </div>
      <p className="text-muted text-sm">
        Its servers are added to those of Agent Zoo and replace those of the last update. Anyone can publish to a public
        registry: check what a server runs before you add it.
      </p>
      <FormError error={update.error} failure="The catalogue was not changed. " />
    </div>
  );
}

function LoadingCatalogue() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading the catalogue" className="flex flex-col gap-3">
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <div key={key} className="flex flex-col gap-2 rounded-xl border border-line px-3.5 py-3">
          <Skeleton className="h-4 w-1/4" />
          <Skeleton className="h-3 w-2/3" />
        </div>
      ))}
    </div>
  );
}

function sourceName(from: string): string {
  return URL.canParse(from) ? new URL(from).host : from;
}
