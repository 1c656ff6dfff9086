import { PencilLine, Plus, Trash2, Waypoints } from 'lucide-react';
import { useId, useState } from 'react';
import type { PeerBody } from '../../../src/settings/app-settings.ts';
import { useDeleted } from '../../api/pending-deletions.ts';
import { useSettings, useTestPeer } from '../../api/settings-queries.ts';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { OriginBadge } from '../../parts/settings/origin-badge.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/input.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { useTitle } from '../../ui/use-title.ts';
import type { Place } from '../../ui/virtual-list.tsx';
import { EntryActions, EntryCard, TestOutcome } from './entry-card.tsx';
import { EntryDialog, useSecretHint } from './entry-dialog.tsx';
import { Section } from './section.tsx';
import { useRemoveEntry } from './use-remove-entry.ts';

/** The agents of other hubs that agents here may talk to. */
export function PeersSection() {
  useTitle('Peers');
  const { data } = useSettings();
  const [open, setOpen] = useState<{ peer?: PeerBody }>();
  const removed = useDeleted();
  const peers = (data?.peers ?? []).filter(({ name }) => !removed.has(`peer/${name}`));
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
        <LongList label="Peers" items={peers} keyOf={({ name }) => name} estimateSize={130} gap={12} hasOwnItems>
          {(peer, _, place) => (
            <PeerCard peer={peer} place={place} file={data?.file?.name} onEdit={() => setOpen({ peer })} />
          )}
        </LongList>
      )}
      {open && <PeerDialog peer={open.peer} names={peers.map(({ name }) => name)} onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

interface PeerCardProps {
  peer: PeerBody;
  place: Place;
  file: string | undefined;
  onEdit: () => void;
}

function PeerCard({ peer, place, file, onEdit }: PeerCardProps) {
  const test = useTestPeer();
  const [isRemoving, setIsRemoving] = useState(false);
  const remove = useRemoveEntry();
  return (
    <EntryCard
      place={place}
      name={peer.name}
      url={peer.url}
      badges={
        <>
          <OriginBadge origin={peer.origin} file={file} />
          <Badge>{peer.hasToken ? 'With a token' : 'No token'}</Badge>
          {peer.headers.length > 0 && <Badge>{`Headers: ${peer.headers.join(', ')}`}</Badge>}
        </>
      }
      actions={
        <EntryActions>
          <Button
            size="sm"
            icon={<Waypoints aria-hidden />}
            busy={test.isPending}
            onClick={() => test.mutate(peer.name)}
            aria-label={`Test ${peer.name}`}
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
            onClick={() => (peer.origin.kind === 'hub' ? remove('peer', peer) : setIsRemoving(true))}
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
          title={`Remove the peer “${peer.name}”?`}
          description="Your agents can no longer send it messages."
          submit="Remove"
          danger
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
      isSecretTyped={token !== '' && !isWithout}
      isValid={() => true}
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
