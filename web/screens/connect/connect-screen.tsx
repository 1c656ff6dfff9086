import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ConnectBody } from '../../../src/http/hub.contract.ts';
import { useAgents, useConnect } from '../../api/queries.ts';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { ClientMark } from './client-mark.tsx';
import { ClientPanel } from './client-panel.tsx';
import { AnyOtherClient, ThenAsk } from './then-ask.tsx';

/** Stands for the whole hub in the list of agents; no agent can have it as an id. */
const wholeHub = '*';

export function ConnectScreen() {
  useTitle('Connect');
  const { agent: agentId } = useSearch({ from: '/connect' });
  const navigate = useNavigate({ from: '/connect' });
  const { data: list } = useAgents();
  const { data, error, refetch, isPlaceholderData } = useConnect(agentId ?? null);
  const agents = list?.agents ?? [];
  const agent = agents.find((each) => each.id === agentId);

  return (
    <Page>
      <PageHeader
        title="Connect"
        description={
          agent
            ? `A client that sees only ${agent.name} and the tools in its scope.`
            : 'A client that can become any agent of this hub.'
        }
        actions={
          <Select
            label="What to connect"
            prefix="Connect"
            className="max-w-72 max-sm:max-w-52"
            value={agentId ?? wholeHub}
            onChange={(next) =>
              void navigate({
                search: ({ client }) => ({ ...(client && { client }), ...(next !== wholeHub && { agent: next }) }),
              })
            }
            options={[
              { value: wholeHub, label: 'The whole hub' },
              ...agents.map((each) => ({ value: each.id, label: each.name })),
              ...(agentId && !agent ? [{ value: agentId, label: agentId }] : []),
            ]}
          />
        }
      />
      {error ? (
        <ErrorState title="There is nothing to connect to" error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <div className={classes('transition-opacity', isPlaceholderData && 'opacity-60')}>
          <Clients hub={data} />
          <div className="mt-4 grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
            <ThenAsk agent={agent} others={agents} />
            <AnyOtherClient hub={data} />
          </div>
        </div>
      ) : (
        <div
          role="status"
          aria-busy="true"
          aria-label="Loading clients"
          className="grid gap-4 lg:grid-cols-[13rem_1fr]"
        >
          <Skeleton className="h-80 rounded-card max-lg:h-24" />
          <Skeleton className="h-80 rounded-card" />
        </div>
      )}
    </Page>
  );
}

function Clients({ hub }: { hub: ConnectBody }) {
  const { client: wantedId } = useSearch({ from: '/connect' });
  const navigate = useNavigate({ from: '/connect' });
  const chosen = hub.clients.find((client) => client.id === wantedId) ?? hub.clients[0];
  if (!chosen) return <EmptyState title="This hub knows no clients" />;
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[13rem_minmax(0,1fr)]">
      <nav aria-label="Clients">
        <ul className="grid grid-cols-3 gap-1 max-lg:gap-2 lg:grid-cols-1">
          {hub.clients.map((client) => (
            <li key={client.id}>
              <button
                type="button"
                aria-current={client === chosen || undefined}
                onClick={() =>
                  void navigate({ search: (now) => ({ ...now, client: client.id }), replace: true, resetScroll: false })
                }
                className={classes(
                  'flex w-full items-center gap-2.5 rounded-xl px-2 py-1.5 text-left text-sm transition-colors max-lg:flex-col max-lg:gap-1.5 max-lg:border max-lg:py-2.5 max-lg:text-xs',
                  client === chosen
                    ? 'bg-pressed font-medium max-lg:border-accent max-lg:bg-accent-soft'
                    : 'text-muted hover:bg-hover hover:text-text max-lg:border-line max-lg:bg-surface',
                )}
              >
                <ClientMark id={client.id} name={client.name} />
                <span className="max-w-full truncate">{client.name}</span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <ClientPanel key={chosen.id} client={chosen} hub={hub} />
    </div>
  );
}
