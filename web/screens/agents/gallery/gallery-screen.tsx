import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArchiveRestore, Download, Ellipsis, Plus, Upload } from 'lucide-react';
import { Suspense, useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { AgentListBody } from '../../../../src/agents/agents.contract.ts';
import { fromHub, lazyPart } from '../../../api/from-hub.ts';
import { useAgents, useDeletedAgents } from '../../../api/queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { useFavourites } from '../../../parts/agents/favourites.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { Page, PageHeader } from '../../../ui/page.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { EmptyEnclosure } from '../../../ui/zoo-art.tsx';
import { AgentGrid } from './agent-grid.tsx';
import { countBySource, countTags, filterAgents, type GallerySearch, gallerySearch } from './filter-agents.ts';
import { FirstStepsItem } from './first-steps-item.tsx';
import { GalleryToolbar } from './gallery-toolbar.tsx';
import { groupBySource } from './group-agents.ts';
import { ImportDropZone, useImportFile } from './import-agents.tsx';
import { ImportOffer } from './import-offer.tsx';
import { ProblemsBanner } from './problems-banner.tsx';
import { useSelection } from './use-selection.ts';

const FirstStepsCard = lazyPart(
  fromHub(() => import('./first-steps.tsx')),
  'FirstStepsCard',
);
const SelectionBar = lazyPart(
  fromHub(() => import('./selection-bar.tsx')),
  'SelectionBar',
);

export function GalleryScreen() {
  useTitle('Agents');
  const { data, error, refetch } = useAgents();
  const importing = useImportFile();
  const isAsked = useSearch({ from: '/' }).import;
  const navigate = useNavigate({ from: '/' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time it is asked for.
  useEffect(() => {
    if (!isAsked) return;
    importing.pick();
    void navigate({
      search: (now: GallerySearch) => ({ ...gallerySearch({ ...now, import: undefined }) }),
      replace: true,
    });
  }, [isAsked]);
  return (
    <Page>
      <PageHeader
        title="Agents"
        description="Define an agent once, use it in every client."
        actions={
          <>
            <Menu trigger={<IconButton label="More actions" icon={<Ellipsis aria-hidden />} />}>
              <MenuItem icon={<Upload aria-hidden />} onClick={importing.pick}>
                Import agents…
              </MenuItem>
              <MenuItem icon={<Download aria-hidden />} render={<a href="/api/export" download="agents.json" />}>
                Export all agents
              </MenuItem>
              <MenuItem icon={<ArchiveRestore aria-hidden />} render={<Link to="/deleted-agents" />}>
                Deleted agents
              </MenuItem>
              <FirstStepsItem />
            </Menu>
            <Link to="/new" className={buttonClass({ variant: 'primary' })}>
              <Plus aria-hidden />
              New agent
            </Link>
          </>
        }
      />
      {importing.input}
      <ImportDropZone onDrop={importing.read} />
      {data ? (
        <LoadedGallery list={data} onImport={importing.pick} />
      ) : error ? (
        <ErrorState title="The agents could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingGallery />
      )}
    </Page>
  );
}

function LoadedGallery({ list, onImport }: { list: AgentListBody; onImport: () => void }) {
  const search = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const [text, setText] = useState(search.q ?? '');
  const [addressText, setAddressText] = useState(search.q);
  // Back, forward and links change the address while this page is open.
  if (search.q !== addressText) {
    setAddressText(search.q);
    setText(search.q ?? '');
  }
  const change = (next: Record<string, unknown>) =>
    void navigate({ search: (now: GallerySearch) => gallerySearch({ ...now, ...next }), replace: true });
  const onText = (next: string) => {
    setText(next);
    setAddressText(next || undefined);
    change({ q: next });
  };
  const favourites = useFavourites();
  const deferredText = useDeferredValue(text);
  const found = useMemo(
    () => filterAgents(list.agents, { ...search, q: deferredText }, favourites),
    [list.agents, search, deferredText, favourites],
  );
  const groups = useMemo(
    () => (search.group ? groupBySource(found) : [{ title: null, agents: found }]),
    [search.group, found],
  );
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const fold = (title: string) => setFolded((now) => now.symmetricDifference(new Set([title])));
  // In the order and with the groups that are on the screen: nobody selects what is not shown.
  const shown = useMemo(
    () => groups.flatMap(({ title, agents }) => (title !== null && folded.has(title) ? [] : agents)),
    [groups, folded],
  );
  const selection = useSelection(shown.map(({ id }) => id));
  const tags = useMemo(() => countTags(list.agents), [list.agents]);
  const counts = useMemo(() => countBySource(list.agents), [list.agents]);

  return (
    <>
      <ProblemsBanner problems={list.problems} />
      <ImportOffer />
      <Suspense fallback={null}>
        <FirstStepsCard />
      </Suspense>
      {list.agents.length === 0 ? (
        <FirstAgent onImport={onImport} />
      ) : (
        <>
          <GalleryToolbar
            text={text}
            search={search}
            counts={counts}
            onText={onText}
            onSource={(source) => change({ source })}
            onSort={(sort) => change({ sort })}
            tags={tags}
            favouriteCount={list.agents.filter(({ id }) => favourites.has(id)).length}
            onChange={change}
          />
          <MatchCount count={found.length} />
          {found.length > 0 ? (
            <AgentGrid {...{ groups, folded, favourites, selection }} onFold={fold} />
          ) : (
            <EmptyState
              art={<EmptyEnclosure />}
              title="No agents match"
              actions={
                <Button onClick={() => change({ q: '', source: 'all', tag: '', only: '' })}>Clear search</Button>
              }
            >
              Try another word, or clear the search.
            </EmptyState>
          )}
          {selection.ids.size > 0 && (
            <Suspense>
              <SelectionBar agents={shown} selection={selection} knownTags={tags.map(({ tag }) => tag)} />
            </Suspense>
          )}
        </>
      )}
      <DeletedAgentsLink />
    </>
  );
}

/** Where deleted agents are. Nothing while there are none. */
function DeletedAgentsLink() {
  const { data = [] } = useDeletedAgents();
  if (data.length === 0) return null;
  return (
    <p className="mt-6 text-center text-sm">
      <Link
        to="/deleted-agents"
        className="inline-flex items-center gap-1.5 rounded px-1.5 py-1 text-muted hover:text-text hover:underline"
      >
        <ArchiveRestore aria-hidden className="size-3.5" />
        {data.length === 1 ? '1 deleted agent' : `${data.length.toLocaleString('en')} deleted agents`}
      </Link>
    </p>
  );
}

/** Announces the number of matches to screen readers once typing stops. */
function MatchCount({ count }: { count: number }) {
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setText(count === 1 ? '1 agent' : `${count} agents`), 600);
    return () => clearTimeout(timer);
  }, [count]);
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  );
}

function FirstAgent({ onImport }: { onImport: () => void }) {
  return (
    <EmptyState
      art={
        <div className="-space-x-3 flex">
          {['code-reviewer', 'writer', 'researcher', 'planner', 'teacher'].map((id) => (
            <AgentAvatar key={id} id={id} size={52} className="ring-4 ring-bg" />
          ))}
        </div>
      }
      title="Create your first agent"
      actions={
        <>
          <Link to="/new" className={buttonClass({ variant: 'primary', size: 'lg' })}>
            Start from a template
          </Link>
          <Button size="lg" icon={<Upload aria-hidden />} onClick={onImport}>
            Import agents
          </Button>
        </>
      }
    >
      An agent is a prompt with skills and a memory. Define it here, then use it in Cursor, Claude, VS Code and other
      clients.
    </EmptyState>
  );
}

function LoadingGallery() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading agents">
      <Skeleton className="mb-4 h-8 w-72 max-w-full" />
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(290px,100%),1fr))] gap-3">
        {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
          <div key={key} className="h-[158px] rounded-card border border-line bg-surface p-4">
            <div className="flex gap-3">
              <Skeleton className="size-11 rounded-xl" />
              <div className="flex flex-1 flex-col gap-2 pt-1">
                <Skeleton className="h-4 w-2/3" />
                <Skeleton className="h-3 w-1/3" />
              </div>
            </div>
            <Skeleton className="mt-4 h-3 w-full" />
            <Skeleton className="mt-2 h-3 w-4/5" />
          </div>
        ))}
      </div>
    </div>
  );
}
