import { useNavigate, useSearch } from '@tanstack/react-router';
import { ExternalLink, Info } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import type { ConnectBody, ConnectClient } from '../../../src/http/hub.contract.ts';
import type { ConnectedClient } from '../../../src/inbox/inbox.ts';
import { useFirstSteps } from '../../api/inbox-queries.ts';
import { useAgents, useConnect } from '../../api/queries.ts';
import { AgentCombobox } from '../../parts/agents/agent-combobox.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { ClientKey, Handshake, useLastSeen } from './client-key.tsx';
import { Snippet } from './snippet.tsx';
import { snippetsByTransport, type Transport } from './snippet-transport.ts';
import { AnyOtherClient, ThenAsk } from './then-ask.tsx';
import { linkWithKey, takesKey, withKey } from './with-key.ts';

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
            ? `Connect a client that sees only ${agent.name} and the tools in its scope.`
            : 'Connect a client that can become any agent in this hub.'
        }
        actions={
          <AgentCombobox
            label="What to connect"
            hideLabel
            none="The whole hub"
            className="w-72 max-sm:w-52"
            value={agentId ?? ''}
            onChange={(next) =>
              void navigate({
                search: ({ client }) => ({ ...(client && { client }), ...(next && { agent: next }) }),
              })
            }
          />
        }
      />
      {error ? (
        <ErrorState title="The clients could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <div className={classes('transition-opacity', isPlaceholderData && 'opacity-60')}>
          <Clients hub={data} />
          <div className="mt-4 grid grid-cols-1 gap-4 lg:grid-cols-2">
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
  const lastSeen = useLastSeen();
  const { data: steps } = useFirstSteps();
  const connectedAs = (id: string) => steps?.clients.find(({ clientId }) => clientId === id);
  // A key is shown only once, so it stays while the page is open.
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const chosen = hub.clients.find((client) => client.id === wantedId) ?? hub.clients[0];
  if (!chosen)
    return (
      <EmptyState title="No clients available">Restart the hub, then reload this page to see the clients.</EmptyState>
    );
  const secretName = `${hub.agentId ?? ''} ${chosen.id}`;
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
                  'relative flex w-full items-center gap-2.5 rounded-xl px-2 py-1.5 text-left text-sm transition-colors max-lg:flex-col max-lg:gap-1.5 max-lg:border max-lg:py-2.5 max-lg:text-xs',
                  client === chosen
                    ? 'bg-pressed font-medium max-lg:border-accent max-lg:bg-accent-soft'
                    : 'text-muted hover:bg-hover hover:text-text max-lg:border-line max-lg:bg-surface',
                )}
              >
                <ClientMark id={client.id} name={client.name} />
                <span className="max-w-full truncate">{client.name}</span>
                {(connectedAs(client.id) || lastSeen(client.name)) && (
                  <span
                    role="img"
                    aria-label="Has connected"
                    className="size-1.5 shrink-0 rounded-full bg-accent max-lg:absolute max-lg:top-2.5 max-lg:right-2.5 lg:ml-auto"
                  />
                )}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <ClientPanel
        key={chosen.id}
        client={chosen}
        hub={hub}
        connected={connectedAs(chosen.id)}
        seenAt={lastSeen(chosen.name)}
        secret={secrets[secretName]}
        onCreated={(secret) => setSecrets((now) => ({ ...now, [secretName]: secret }))}
      />
    </div>
  );
}

const transports: Record<Transport, { label: string; about: string }> = {
  http: { label: 'HTTP', about: 'The client calls this hub. Keep the hub running.' },
  stdio: {
    label: 'stdio',
    about: 'The client starts its own hub with the same agents. Nothing has to be running.',
  },
};

interface ClientPanelProps {
  client: ConnectClient;
  hub: ConnectBody;
  /** Its last handshake, if it had one. */
  connected: ConnectedClient | undefined;
  /** When it last used a key. */
  seenAt: string | undefined;
  /** The key that was created on this page. */
  secret: string | undefined;
  onCreated: (secret: string) => void;
}

/** Shows how to connect one client: with a link, or with text to paste. */
function ClientPanel({ client, hub, connected, seenAt, secret, onCreated }: ClientPanelProps) {
  const grouped = snippetsByTransport(client.snippets, hub);
  const [wanted, setWanted] = useState<Transport>('http');
  const transport = grouped.has(wanted) ? wanted : (grouped.keys().next().value ?? 'http');
  const snippets = grouped.get(transport) ?? [];
  const texts = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The button that made the key is gone. The next step is to copy.
    if (secret !== undefined && document.activeElement === document.body)
      texts.current?.querySelector('button')?.focus();
  }, [secret]);
  return (
    <section aria-labelledby="client-name" className="rounded-card border border-line bg-surface p-5 shadow-card">
      <header className="flex flex-wrap items-center gap-3">
        <ClientMark id={client.id} name={client.name} size="lg" />
        <div className="min-w-0 flex-1 basis-40">
          <h2 id="client-name" className="font-semibold text-lg leading-6">
            {client.name}
          </h2>
          <Handshake client={client} connected={connected} seenAt={seenAt} hasKey={secret !== undefined} />
        </div>
        {client.link && secret !== undefined && (
          <a
            href={linkWithKey(hub, client.link, secret)}
            className={classes(buttonClass({ variant: 'primary' }), 'max-sm:w-full')}
          >
            <ExternalLink aria-hidden />
            Add to {client.name}
          </a>
        )}
      </header>
      <div className="mt-5 mb-3 flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <fieldset className="flex gap-0.5 rounded-lg border border-line bg-sunken p-0.5">
          <legend className="sr-only">Transport</legend>
          {(['http', 'stdio'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === transport}
              disabled={!grouped.has(each)}
              onClick={() => setWanted(each)}
              className={classes(
                'h-6.5 rounded-md px-2.5 text-xs transition-colors disabled:opacity-40 max-md:h-8.5',
                each === transport ? 'bg-raised font-medium shadow-card' : 'text-muted hover:text-text',
              )}
            >
              {transports[each].label}
            </button>
          ))}
        </fieldset>
        <p className="min-w-0 flex-1 basis-60 text-muted text-xs">{transports[transport].about}</p>
      </div>
      {snippets.some(({ text }) => takesKey(hub, text)) && (
        <ClientKey client={client} hub={hub} secret={secret} onCreated={onCreated} />
      )}
      <div ref={texts} className="flex flex-col gap-3">
        {snippets.map((snippet) => (
          <Snippet
            key={`${client.id} ${snippet.title}`}
            snippet={{ ...snippet, text: withKey(hub, snippet.text, secret) }}
          />
        ))}
      </div>
      {client.note && (
        <p className="mt-4 flex items-start gap-2 text-muted text-sm">
          <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
          {client.note}
        </p>
      )}
    </section>
  );
}

const marks: Record<string, [letters: string, colors: string]> = {
  cursor: ['Cu', 'bg-[#2b2b30] text-white'],
  vscode: ['VS', 'bg-[#1f6fb8] text-white'],
  'claude-code': ['CC', 'bg-[#b4532f] text-white'],
  'claude-desktop': ['Cl', 'bg-[#c96f4a] text-[#2a120a]'],
  codex: ['Cx', 'bg-[#0d7f68] text-white'],
  'gemini-cli': ['Ge', 'bg-[#3d62d8] text-white'],
  opencode: ['oc', 'bg-[#575049] text-white'],
  'lm-studio': ['LM', 'bg-[#5b46c9] text-white'],
  goose: ['Go', 'bg-[#f0c64a] text-[#2b2205]'],
};

/** Two letters on a color: not a real logo, but easy to recognize. */
function ClientMark({ id, name, size = 'md' }: { id: string; name: string; size?: 'md' | 'lg' }) {
  const [letters, colors] = marks[id] ?? [name.slice(0, 2), 'bg-pressed text-text'];
  return (
    <span
      aria-hidden
      className={classes(
        'inline-flex shrink-0 items-center justify-center font-display font-semibold tracking-tight',
        size === 'md' ? 'size-7 rounded-lg text-xs' : 'size-11 rounded-xl text-base',
        colors,
      )}
    >
      {letters}
    </span>
  );
}
