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
import { Page, PageHeader } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { AddServerDialog } from './add-server-dialog.tsx';
import { matchesServer } from './describe-server.ts';
import { ServerRow } from './server-row.tsx';
import { useServerKeys } from './use-server-keys.ts';

/** The external MCP servers whose tools the hub offers. */
export function ServersScreen() {
  useTitle('Servers');
  const { data, error, refetch } = useServers();
  const { add } = useSearch({ from: '/servers' });
  const navigate = useNavigate({ from: '/servers' });
  const open = () => void navigate({ search: { add: 'command' } });
  useServerKeys({ onAdd: open });
  return (
    <Page>
      <PageHeader
        title="Servers"
        description="External MCP servers: their tools, next to your own, for every agent and client."
        // An empty list offers it in the middle of the screen.
        actions={data?.servers.length !== 0 && <AddButton onClick={open} />}
      />
      {data ? (
        data.servers.length === 0 ? (
          <FirstServer onAdd={open} />
        ) : (
          <Servers servers={data.servers} />
        )
      ) : error ? (
        <ErrorState title="The servers could not be read" error={error} onRetry={() => void refetch()} />
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
          title="No such server"
          actions={<Button onClick={() => setQuery('')}>Clear the search</Button>}
        >
          Neither a server nor a tool of one is called that.
        </EmptyState>
      ) : (
        <ul aria-label="Servers" className="flex flex-col gap-3">
          {shown.map((server) => (
            <ServerRow key={server.name} server={server} />
          ))}
        </ul>
      )}
    </div>
  );
}

function AddButton({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="primary" icon={<Plus aria-hidden />} aria-label="Add server" onClick={onClick}>
      <span className="max-sm:hidden">Add server</span>
      <span aria-hidden className="max-md:hidden">
        <Kbd inverted>a</Kbd>
      </span>
    </Button>
  );
}

function FirstServer({ onAdd }: { onAdd: () => void }) {
  return (
    <EmptyState
      art={<ServerCog className="size-12" strokeWidth={1.25} />}
      title="Give your agents the tools of others"
      actions={
        <Button variant="primary" size="lg" icon={<Plus aria-hidden />} onClick={onAdd}>
          Add a server
        </Button>
      }
    >
      An MCP server brings tools along: files, a browser, a database, an issue tracker. Add one by its command, its
      address, or the JSON you already have for Claude, Cursor or VS Code. You decide which of its tools are offered,
      and you see it when one of them changes.
    </EmptyState>
  );
}

function LoadingServers() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading the servers" className="flex flex-col gap-3">
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
