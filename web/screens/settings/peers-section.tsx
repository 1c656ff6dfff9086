import { PencilLine, Plus, Trash2, Waypoints } from 'lucide-react';
import { useId, useState } from 'react';
import type { PeerBody } from '../../../src/settings/app-settings.ts';
import { useSettings, useTestPeer } from '../../api/settings-queries.ts';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { OriginBadge } from '../../parts/settings/origin-badge.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/input.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { EntryActions, EntryCard, TestOutcome } from './entry-card.tsx';
import { EntryDialog, useSecretHint } from './entry-dialog.tsx';
import { Section } from './section.tsx';

/** The agents of other hubs that agents here may talk to. */
export function PeersSection() {
  useTitle('Peers');
  const { data } = useSettings();
  const [open, setOpen] = useState<{ peer?: PeerBody }>();
  const peers = data?.peers ?? [];
  const add = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setOpen({})}>
      Add peer
    </Button>
  );
  return (
    <Section
      title="Peers"
      description="Agents elsewhere that speak A2A. Your agents can send them messages."
      actions={peers.length > 0 && add}
    >
      {peers.length === 0 ? (
        <EmptyState art={<Waypoints className="size-10" strokeWidth={1.5} />} title="No peers yet" actions={add}>
          Add the address of an agent on another hub, and your agents can ask it for help.
        </EmptyState>
      ) : (
        <ul aria-label="Peers" className="flex flex-col gap-3">
          {peers.map((peer) => (
            <PeerCard key={peer.name} peer={peer} file={data?.file?.name} onEdit={() => setOpen({ peer })} />
          ))}
        </ul>
      )}
      {open && <PeerDialog peer={open.peer} names={peers.map(({ name }) => name)} onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

function PeerCard({ peer, file, onEdit }: { peer: PeerBody; file: string | undefined; onEdit: () => void }) {
  const test = useTestPeer();
  const [isRemoving, setIsRemoving] = useState(false);
  return (
    <EntryCard
      name={peer.name}
      url={peer.url}
      badges={
        <>
          <OriginBadge origin={peer.origin} file={file} />
          <Badge>{peer.hasToken ? 'with a token' : 'no token'}</Badge>
          {peer.headers.length > 0 && <Badge>{`headers: ${peer.headers.join(', ')}`}</Badge>}
        </>
      }
      actions={
        <EntryActions>
          <Button
            size="sm"
            icon={<Waypoints aria-hidden />}
            busy={test.isPending}
            onClick={() => test.mutate(peer.name)}
          >
            Test
          </Button>
          <Button size="sm" icon={<PencilLine aria-hidden />} onClick={onEdit} aria-label={`Edit ${peer.name}`}>
            Edit
          </Button>
          <Button
            size="sm"
            variant="danger"
            icon={<Trash2 aria-hidden />}
            onClick={() => setIsRemoving(true)}
            aria-label={`Remove ${peer.name}`}
          >
            Remove
          </Button>
        </EntryActions>
      }
    >
      <TestOutcome test={test} />
      {isRemoving && (
        <ChangeDialog
          title={`Remove the peer ${peer.name}?`}
          description="Your agents can no longer send it messages."
          submit="Remove"
          change={() => ({ kind: 'peer', name: peer.name, peer: null, seen: peer.version })}
          onClose={() => setIsRemoving(false)}
        />
      )}
    </EntryCard>
  );
}

interface PeerDialogProps {
  peer: PeerBody | undefined;
  names: readonly string[];
  onClose: () => void;
}

function PeerDialog({ peer, names, onClose }: PeerDialogProps) {
  const [token, setToken] = useState('');
  const withoutId = useId();
  const [isWithout, setIsWithout] = useState(false);
  const secretHint = useSecretHint('peer', peer);
  return (
    <EntryDialog
      kind="peer"
      entry={peer}
      names={names}
      start={{ name: peer?.name ?? '', url: peer?.url ?? '' }}
      description="The address of its agent card, or of the agent."
      placeholders={{ name: 'research', url: 'https://other-hub.example/agents/research' }}
      nameHint="Your agents use this name."
      isValid
      change={({ name, url }, seen) => {
        const given = isWithout ? { token: null } : token === '' ? {} : { token };
        return { kind: 'peer', name, peer: { url, ...given }, seen };
      }}
      onClose={onClose}
    >
      {() => (
        <>
          <TextField
            label="Token"
            type="password"
            autoComplete="off"
            value={token}
            disabled={isWithout}
            placeholder={peer?.hasToken ? 'Unchanged' : 'None'}
            onChange={(event) => setToken(event.target.value)}
            hint={`Sent as Authorization: Bearer. ${secretHint}`}
          />
          {peer?.hasToken && (
            <span className="flex items-center gap-2 text-sm">
              <Checkbox id={withoutId} checked={isWithout} onChange={(event) => setIsWithout(event.target.checked)} />
              <label htmlFor={withoutId}>Remove the token</label>
            </span>
          )}
        </>
      )}
    </EntryDialog>
  );
}
