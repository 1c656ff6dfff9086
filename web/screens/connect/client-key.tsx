import { Link } from '@tanstack/react-router';
import { CircleCheck, KeyRound, LoaderCircle } from 'lucide-react';
import type { ConnectBody, ConnectClient } from '../../../src/http/hub.contract.ts';
import type { ConnectedClient as ConnectedClientBody } from '../../../src/inbox/inbox.ts';
import { useClientKeys, useCreateKey } from '../../api/access-queries.ts';
import { useAgents } from '../../api/queries.ts';
import { ConnectedClient } from '../../parts/inbox/connected-client.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { FormError } from '../../ui/form-dialog.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';

const withoutKey: Record<ConnectBody['anonymous'], string> = {
  none: 'This hub accepts no client without a key.',
  use: 'Without a key (leave out the header), it can only use the hub’s own tools.',
  work: 'Keys are optional here (leave out the header); clients without one are anonymous.',
};

export interface ClientKeyProps {
  client: ConnectClient;
  hub: ConnectBody;
  /** The key that was created on this page. */
  secret: string | undefined;
  onCreated: (secret: string) => void;
}

/** Creates a key for a client, which the snippets below then contain. */
export function ClientKey({ client, hub, secret, onCreated }: ClientKeyProps) {
  const create = useCreateKey();
  if (secret !== undefined) {
    return (
      <p role="status" className="mb-3 flex items-start gap-2.5 rounded-xl bg-accent-soft px-3.5 py-2.5 text-sm">
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-accent-text" />
        <span className="text-pretty">
          The key for {client.name} is filled in below. Copy it now: it is shown only on this page, and only once.{' '}
          <Link to="/access" className="rounded text-accent-text underline underline-offset-2 hover:decoration-2">
            Manage keys
          </Link>
        </span>
      </p>
    );
  }
  const make = () =>
    create.mutate({ name: client.name, agent: hub.agentId }, { onSuccess: (created) => onCreated(created.secret) });
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2.5 rounded-xl border border-line bg-sunken/60 px-3.5 py-3">
      <p className="min-w-0 flex-1 basis-72 text-pretty text-muted text-sm">
        A key gives {client.name} a name and lets it use all tools{hub.agentId === null ? '' : ' of this agent'}.{' '}
        {withoutKey[hub.anonymous]}
      </p>
      <Button
        variant="primary"
        icon={<KeyRound aria-hidden />}
        busy={create.isPending}
        onClick={make}
        className="max-sm:w-full"
      >
        Create a key for {client.name}
      </Button>
      <FormError error={create.error} failure="The key could not be created. " />
    </div>
  );
}

/** Returns when a client last used a key with its name; undefined if it never did. */
export function useLastSeen(): (clientName: string) => string | undefined {
  const { data } = useClientKeys();
  return (clientName) =>
    data
      ?.flatMap(({ name, lastUsedAt }) => (name === clientName && lastUsedAt ? [lastUsedAt] : []))
      .toSorted()
      .at(-1);
}

interface HandshakeProps {
  client: ConnectClient;
  /** Its last handshake, if it had one. */
  connected: ConnectedClientBody | undefined;
  /** When it last used a key. */
  seenAt: string | undefined;
  /** Whether its key was created on this page, so that the link to add it is shown. */
  hasKey: boolean;
}

/** Whether a client has connected, and with what. Changes as it happens. */
export function Handshake({ client, connected, seenAt, hasKey }: HandshakeProps) {
  const at = connected ? new Date(connected.at).toISOString() : seenAt;
  const { data } = useAgents();
  const agent = data?.agents.find(({ id }) => id === connected?.agentId)?.name ?? connected?.agentId;
  const byHand = client.snippets.some(({ file }) => file === null) ? 'Run the command.' : 'Paste the config.';
  return (
    <p className={classes('flex items-start gap-2 text-sm', at ? 'text-accent-text' : 'text-muted')}>
      {at ? (
        <span aria-hidden className="mt-1.5 size-2 shrink-0 rounded-full bg-accent" />
      ) : (
        <LoaderCircle aria-hidden className="mt-0.5 size-4 shrink-0 text-faint motion-safe:animate-spin" />
      )}
      {at ? (
        <span className="[overflow-wrap:anywhere]">
          <span role="status">
            {connected ? <ConnectedClient client={connected} name={client.name} /> : `${client.name} has used its key`}
            {agent ? ` of ${agent}` : ''}
          </span>
          , <RelativeTime at={at} />
        </span>
      ) : (
        <span className="text-pretty">
          Waiting for {client.name}…{' '}
          {!client.link
            ? byHand
            : hasKey
              ? `Click “Add to ${client.name}”, or paste the config.`
              : 'Create a key to add it with one click, or paste the config.'}
        </span>
      )}
    </p>
  );
}
