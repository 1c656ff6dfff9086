import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ClientKey } from '../../../src/callers/callers.ts';
import { useClientKeys, useRevokeKey } from '../../api/access-queries.ts';
import { useAgents } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import type { Place } from '../../ui/virtual-list.tsx';
import { AccessList, AccessRow, LoadingRows, Section } from './access-list.tsx';
import { CreateKeyDialog, NewKeyDialog } from './key-dialogs.tsx';

export function KeySection() {
  const { data, error, refetch } = useClientKeys();
  const { data: list } = useAgents();
  const { add: isCreating = false } = useSearch({ from: '/access' });
  const navigate = useNavigate({ from: '/access' });
  const setIsCreating = (add: boolean) =>
    void navigate({ search: add ? { add } : {}, replace: true, resetScroll: false });
  const [made, setMade] = useState<{ name: string; secret: string }>();
  const agentName = (id: string) => list?.agents.find((agent) => agent.id === id)?.name ?? id;
  return (
    <Section
      id="client-keys"
      title="Client keys"
      about="A client with a key can use all tools and run agents, but not change this hub. Its name appears in the log."
      actions={
        <Button icon={<Plus aria-hidden />} onClick={() => setIsCreating(true)}>
          Create key
        </Button>
      }
    >
      {data ? (
        <AccessList
          label="Client keys"
          items={data.toReversed()}
          empty={
            <>
              No client has a key yet. On the{' '}
              <Link to="/connect" className="rounded text-accent-text underline underline-offset-2 hover:decoration-2">
                Connect page
              </Link>
              , create one for Claude Code, Cursor or another client.
            </>
          }
        >
          {(key, place) => <KeyRow clientKey={key} place={place} agentName={agentName} />}
        </AccessList>
      ) : error ? (
        <ErrorState title="The keys could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingRows label="Loading keys" />
      )}
      {isCreating && (
        <CreateKeyDialog
          onClose={() => setIsCreating(false)}
          onCreated={(key) => {
            setIsCreating(false);
            setMade(key);
          }}
        />
      )}
      {made && <NewKeyDialog {...made} onClose={() => setMade(undefined)} />}
    </Section>
  );
}

interface KeyRowProps {
  clientKey: ClientKey;
  place: Place;
  agentName: (id: string) => string;
}

function KeyRow({ clientKey, place, agentName }: KeyRowProps) {
  const { id, name, agentId, createdAt, lastUsedAt } = clientKey;
  const revoke = useRevokeKey();
  const ask = async () => {
    const sure = await confirm({
      title: `Revoke the key of ${name}?`,
      message: `${name} loses its access at once. You cannot undo this: to connect it again, create a new key.`,
      confirmLabel: 'Revoke',
      danger: true,
    });
    if (!sure) return;
    revoke.mutate(id, {
      onSuccess: () => showToast(`Revoked the key of ${name}`),
      onError: (error) => showError('The key could not be revoked', error),
    });
  };
  return (
    <AccessRow
      place={place}
      icon={<KeyRound aria-hidden />}
      name={name}
      badges={agentId === null ? <Badge>All agents</Badge> : <Badge tone="violet">Only {agentName(agentId)}</Badge>}
      facts={[
        <span key="used">
          {lastUsedAt === null ? (
            'Never used'
          ) : (
            <>
              Last used <RelativeTime at={lastUsedAt} />
            </>
          )}
        </span>,
        <span key="created">
          Created <RelativeTime at={createdAt} />
        </span>,
      ]}
      action={
        <Button size="sm" aria-label={`Revoke the key of ${name}`} busy={revoke.isPending} onClick={() => void ask()}>
          Revoke
        </Button>
      }
    />
  );
}
