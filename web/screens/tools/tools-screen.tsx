import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { SearchX, Wrench } from 'lucide-react';
import { useDeferredValue, useMemo, useRef } from 'react';
import { useToolDetails } from '../../api/tool-queries.ts';
import { AddServerLink } from '../../parts/servers/add-server-link.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Scroller } from '../../ui/scroller.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { moveRow, useListKeys } from '../../ui/use-list-keys.ts';
import { useMedia } from '../../ui/use-media.ts';
import { useTitle } from '../../ui/use-title.ts';
import { useTypedText } from '../../ui/use-typed-text.ts';
import { countTools, type ToolFilter, type ToolSearch, toolRows, toolSearch, toolSources } from './filter-tools.ts';
import { ToolList, type ToolListHandle } from './tool-list.tsx';
import { MissingTool, ToolPane } from './tool-pane.tsx';

/** Lists all tools, with the open one beside the list, or on top of it on narrow screens. */
export function ToolsScreen() {
  const navigate = useNavigate();
  const { name } = useParams({ strict: false });
  const search = useSearch({ from: '/tools' });
  const tools = useToolDetails();
  const list = useRef<ToolListHandle>(null);
  const pane = useRef<HTMLElement>(null);
  const isOnePane = !useMedia('(min-width: 64rem)');
  const isCovered = isOnePane && name !== undefined;

  const go = (tool: string | undefined, next: ToolSearch, replace = false) =>
    void (tool === undefined
      ? navigate({ to: '/tools', search: next, replace, resetScroll: false })
      : navigate({ to: '/tools/$name', params: { name: tool }, search: next, replace, resetScroll: false }));
  const change = (next: Record<string, unknown>) => go(name, toolSearch({ ...search, ...next }), true);
  const [query, setQuery] = useTypedText(search.q ?? '', (q) => change({ q }));
  const searchText = useDeferredValue(query);
  const rows = useMemo(
    () =>
      toolRows(tools.data ?? [], {
        q: searchText,
        ...(search.only && { only: search.only }),
        ...(search.from && { from: search.from }),
      }),
    [tools.data, searchText, search.only, search.from],
  );
  const sources = useMemo(() => toolSources(tools.data ?? []), [tools.data]);
  const open = tools.data?.find((tool) => tool.name === name);
  const { tab: _tab, ...listSearch } = search;

  const back = () => {
    if (name === undefined) return false;
    go(undefined, listSearch);
    // A covered list can take the focus only after it is visible again.
    requestAnimationFrame(() => list.current?.focusTool(name));
    return true;
  };
  useListKeys({ hasArrows: false, actions: { u: back, Escape: back } });

  return (
    <div className="relative flex h-dvh min-h-96 max-md:h-[calc(100dvh-4rem)]">
      {name === undefined && <ScreenTitle />}
      {/* Outside the list, which an open tool hides on narrow screens. */}
      <h1 className="sr-only">Tools</h1>
      <div
        inert={isCovered}
        className="flex min-w-0 flex-col border-line max-lg:absolute max-lg:inset-0 lg:w-88 lg:shrink-0 lg:border-r xl:w-96"
      >
        <ToolToolbar
          query={query}
          show={search.only}
          sources={sources}
          from={search.from}
          count={tools.data ? { shown: countTools(rows), all: tools.data.length } : null}
          onQuery={setQuery}
          onShow={(only) => change({ only })}
          onFrom={(from) => change({ from })}
          onDown={() => moveRow(1)}
        />
        {!tools.data ? (
          tools.error ? (
            <ErrorState
              title="The tools could not be loaded"
              error={tools.error}
              onRetry={() => void tools.refetch()}
            />
          ) : (
            <LoadingTools />
          )
        ) : tools.data.length === 0 ? (
          <EmptyState
            art={<Wrench className="size-10" strokeWidth={1.5} />}
            title="No tools yet"
            actions={<AddServerLink />}
          >
            Add a server to try its tools here and offer them to your agents.
          </EmptyState>
        ) : rows.length === 0 ? (
          <EmptyState
            art={<SearchX className="size-10" strokeWidth={1.5} />}
            title="No tools found"
            actions={
              <Button
                onClick={() => {
                  setQuery('');
                  go(name, {}, true);
                }}
              >
                Show all tools
              </Button>
            }
          >
            No tools match the search and filter.
          </EmptyState>
        ) : (
          <ToolList handle={list} rows={rows} openName={name} search={listSearch} />
        )}
      </div>
      <section
        ref={pane}
        aria-label="Tool"
        className={classes(
          'min-w-0 flex-1 overflow-y-auto max-lg:absolute max-lg:inset-0 max-lg:z-10 max-lg:bg-bg',
          name === undefined && 'max-lg:hidden',
        )}
      >
        {name === undefined ? (
          rows.length > 0 && <NothingOpen />
        ) : open ? (
          <Scroller value={pane}>
            <ToolPane
              key={name}
              tool={open}
              search={listSearch}
              tab={search.tab ?? 'try'}
              onTab={(tab) => change({ tab })}
            />
          </Scroller>
        ) : tools.data ? (
          <MissingTool name={name} search={listSearch} />
        ) : (
          !tools.error && <LoadingPane />
        )}
      </section>
    </div>
  );
}

function ScreenTitle() {
  useTitle('Tools');
  return null;
}

function NothingOpen() {
  return (
    <div className="flex h-full items-center justify-center">
      <EmptyState art={<Wrench className="size-10" strokeWidth={1.5} />} title="Choose a tool">
        See its schema and who may call it, and try it here. Test calls pass the same checks and appear in the log like
        any other call.
      </EmptyState>
    </div>
  );
}

function LoadingTools() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading tools" className="flex flex-col gap-4 p-4">
      {['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => (
        <div key={key} className="flex flex-col gap-1.5">
          <Skeleton className="h-3.5 w-1/2" />
          <Skeleton className="h-3 w-4/5" />
        </div>
      ))}
    </div>
  );
}

function LoadingPane() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading tool" className="mx-auto flex max-w-4xl flex-col gap-3 p-5">
      <Skeleton className="h-7 w-1/2" />
      <Skeleton className="h-4 w-4/5" />
      <Skeleton className="mt-6 h-48 w-full" />
    </div>
  );
}

interface ToolToolbarProps {
  query: string;
  show: ToolFilter | undefined;
  sources: readonly { key: string; title: string }[];
  from: string | undefined;
  /** The number of shown tools and of all tools; null while loading. */
  count: { shown: number; all: number } | null;
  onQuery: (query: string) => void;
  onShow: (show: ToolFilter | undefined) => void;
  onFrom: (from: string | undefined) => void;
  /** Moves the focus into the list. */
  onDown: () => void;
}

const filters: readonly { value: ToolFilter | 'all'; label: string }[] = [
  { value: 'all', label: 'All tools' },
  { value: 'reads', label: 'Read-only' },
  { value: 'destructive', label: 'Destructive' },
  { value: 'approval', label: 'Needs approval' },
  { value: 'external', label: 'From external servers' },
];

const anySource = '';

function ToolToolbar(props: ToolToolbarProps) {
  const { query, show, sources, from, count, onQuery, onShow, onFrom, onDown } = props;
  return (
    <header className="flex flex-col gap-2.5 border-line border-b px-4 pt-4 pb-3">
      <div className="flex items-baseline gap-2.5">
        <p aria-hidden className="font-display font-semibold text-xl tracking-[-0.012em]">
          Tools
        </p>
        {count && (
          <p role="status" className="text-faint text-xs tabular-nums">
            {count.shown === count.all
              ? count.all.toLocaleString('en')
              : `${count.shown.toLocaleString('en')} of ${count.all.toLocaleString('en')}`}
          </p>
        )}
      </div>
      <SearchField label="Search tools" placeholder="Search tools" value={query} onChange={onQuery} onDown={onDown} />
      <Select
        label="Show"
        prefix="Show"
        value={show ?? 'all'}
        options={filters}
        onChange={(next) => onShow(next === 'all' ? undefined : next)}
        className="w-full"
      />
      {(sources.length > 1 || from !== undefined) && (
        <Select
          label="Source"
          prefix="From"
          value={from ?? anySource}
          options={[
            { value: anySource, label: 'Every source' },
            ...sources.map(({ key, title }) => ({ value: key, label: title })),
            // A server in the URL that no longer exists.
            ...(from !== undefined && !sources.some(({ key }) => key === from)
              ? [{ value: from, label: from.replace(/^server /, '') }]
              : []),
          ]}
          onChange={(next) => onFrom(next === anySource ? undefined : next)}
          className="w-full"
        />
      )}
    </header>
  );
}
