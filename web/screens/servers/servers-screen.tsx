import { useDeleted } from '../../api/pending-deletions.ts';
import '../../api/zod-without-eval.ts';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SearchX, ServerCog } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { ServerSummary } from '../../../src/servers/servers.contract.ts';
import { useServers } from '../../api/server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { AddServerDialog } from './add-server-dialog.tsx';
import { matchesServer } from './describe-server.ts';
import { ServerRow } from './server-row.tsx';
import { useServerKeys } from './use-server-keys.ts';

/** Lists the external MCP servers whose tools the hub offers. */
export function ServersScreen() {
  useTitle('Servers');
  const { data: all, error, refetch } = useServers();
  const deleted = useDeleted();
  const data = all && { ...all, servers: all.servers.filter(({ name }) => !deleted.has(`server/${name}`)) };
  const { add } = useSearch({ from: '/servers' });
  const navigate = useNavigate({ from: '/servers' });
  const open = () => void navigate({ search: { add: 'catalogue' } });
  useServerKeys({ onAdd: open });
  return (
    <Page>
      <PageHeader
        title="Servers"
        description="External MCP servers whose tools your agents and clients can use."
        // An empty list has this button in its empty state.
        actions={data?.servers.length !== 0 && <AddButton onClick={open} />}
      />
      {data ? (
        data.servers.length === 0 ? (
          <FirstServer onAdd={open} />
        ) : (
          <Servers servers={data.servers} />
        )
      ) : error ? (
        <ErrorState title="The servers could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingServers />
      )}
      {add && (
        <AddServerDialog
          way={add}
          onWay={(way) => void navigate({ search: { add: way }, replace: true, resetScroll: false })}
          taken={data?.servers.map(({ name }) => name) ?? []}
          onClose={() => void navigate({ search: {}, replace: true, resetScroll: false })}
        />
      )}
    </Page>
  );
}

function Servers({ servers }: { servers: readonly ServerSummary[] }) {
  const [query, setQuery] = useState('');
  const settled = useDeferredValue(query);
  const shown = settled.trim() === '' ? servers : servers.filter((server) => matchesServer(server, settled));
  return (
    <div className="flex flex-col gap-3">
      {servers.length > 1 && (
        <SearchField
          label="Search servers"
          placeholder="Search servers and their tools"
          value={query}
          onChange={setQuery}
        />
      )}
      {shown.length === 0 ? (
        <EmptyState
          art={<SearchX className="size-10" strokeWidth={1.5} />}
          title="No servers found"
          actions={<Button onClick={() => setQuery('')}>Clear search</Button>}
        >
          No server or tool matches your search.
        </EmptyState>
      ) : (
        <LongList label="Servers" items={shown} keyOf={({ name }) => name} estimateSize={110} gap={12} hasOwnItems>
          {(server, _, place) => <ServerRow server={server} place={place} />}
        </LongList>
      )}
    </div>
  );
}

function AddButton({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={onClick}>
      Add server
      <span aria-hidden className="empty:hidden max-md:hidden">
        <Kbd inverted>a</Kbd>
      </span>
    </Button>
  );
}

function FirstServer({ onAdd }: { onAdd: () => void }) {
  return (
    <EmptyState
      art={<ServerCog className="size-12" strokeWidth={1.25} />}
      title="No servers yet"
      actions={
        <Button variant="primary" size="lg" icon={<Plus aria-hidden />} onClick={onAdd}>
          Add server
        </Button>
      }
    >
      Add an MCP server to give your agents tools for files, browsers, databases or issue trackers. Choose one from the
      catalogue, or use a command, a URL, or your JSON from Claude, Cursor or VS Code. You choose which tools to offer
      and review every change.
    </EmptyState>
  );
}

function LoadingServers() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading servers" className="flex flex-col gap-3">
      {['a', 'b', 'c'].map((key) => (
        <div key={key} className="flex gap-3 rounded-card border border-line bg-surface p-4">
          <Skeleton className="size-10 rounded-xl" />
          <div className="flex flex-1 flex-col gap-2 pt-1">
            <Skeleton className="h-4 w-1/4" />
            <Skeleton className="h-3 w-2/3" />
          </div>
        </div>
      ))}
    </div>
  );
}
