import { PencilLine, Plus, Send, Trash2, Webhook } from 'lucide-react';
import { useId, useState } from 'react';
import { anchorEvent, eventTypes, isEventType } from '../../../src/base/event-types.ts';
import type { WebhookBody } from '../../../src/settings/app-settings.ts';
import { useDeleted } from '../../api/pending-deletions.ts';
import { useSettings, useTestWebhook } from '../../api/settings-queries.ts';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { OriginBadge } from '../../parts/settings/origin-badge.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/input.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { useTitle } from '../../ui/use-title.ts';
import type { Place } from '../../ui/virtual-list.tsx';
import { EntryActions, EntryCard, TestOutcome } from './entry-card.tsx';
import { EntryDialog, useSecretHint } from './entry-dialog.tsx';
import { Section } from './section.tsx';
import { useRemoveEntry } from './use-remove-entry.ts';

/** The addresses that receive what happens in the team. */
export function WebhooksSection() {
  useTitle('Webhooks');
  const { data } = useSettings();
  const [open, setOpen] = useState<{ hook?: WebhookBody }>();
  const removed = useDeleted();
  const hooks = (data?.webhooks ?? []).filter(({ name }) => !removed.has(`webhook/${name}`));
  const add = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setOpen({})}>
      Add webhook
    </Button>
  );
  return (
    <Section
      title="Webhooks"
      description="Addresses that receive events, such as mail between members. Every delivery is signed, and retried if it fails."
      actions={hooks.length > 0 && add}
    >
      {hooks.length === 0 ? (
        <EmptyState art={<Webhook className="size-10" strokeWidth={1.5} />} title="No webhooks yet" actions={add}>
          Add a URL to receive team events.
        </EmptyState>
      ) : (
        <LongList label="Webhooks" items={hooks} keyOf={({ name }) => name} estimateSize={130} gap={12} hasOwnItems>
          {(hook, _, place) => (
            <WebhookCard hook={hook} place={place} file={data?.file?.name} onEdit={() => setOpen({ hook })} />
          )}
        </LongList>
      )}
      {open && (
        <WebhookDialog hook={open.hook} names={hooks.map(({ name }) => name)} onClose={() => setOpen(undefined)} />
      )}
    </Section>
  );
}

interface WebhookCardProps {
  hook: WebhookBody;
  place: Place;
  file: string | undefined;
  onEdit: () => void;
}

function WebhookCard({ hook, place, file, onEdit }: WebhookCardProps) {
  const test = useTestWebhook();
  const [isRemoving, setIsRemoving] = useState(false);
  const remove = useRemoveEntry();
  return (
    <EntryCard
      place={place}
      name={hook.name}
      url={hook.url}
      badges={
        <>
          <OriginBadge origin={hook.origin} file={file} />
          <Badge>{eventsOf(hook)}</Badge>
          {hook.lacksSecret && <Badge tone="danger">Secret missing: choose Edit to enter one</Badge>}
        </>
      }
      note={<LastDelivery last={hook.last} />}
      actions={
        <EntryActions>
          <Button
            size="sm"
            icon={<Send aria-hidden />}
            busy={test.isPending}
            onClick={() => test.mutate(hook.name)}
            aria-label={`Send test to ${hook.name}`}
          >
            Send test
          </Button>
          <Button size="sm" icon={<PencilLine aria-hidden />} onClick={onEdit} aria-label={`Edit ${hook.name}`}>
            Edit
          </Button>
          <Button
            size="sm"
            variant="danger"
            icon={<Trash2 aria-hidden />}
            onClick={() => (hook.origin.kind === 'hub' ? remove('webhook', hook) : setIsRemoving(true))}
            aria-label={`Remove ${hook.name}`}
          >
            Remove
          </Button>
        </EntryActions>
      }
    >
      <TestOutcome test={test} />
      {isRemoving && (
        <ChangeDialog
          title={`Remove the webhook “${hook.name}”?`}
          description="It will receive no more events."
          submit="Remove"
          danger
          change={() => ({ kind: 'webhook', name: hook.name, webhook: null, seen: hook.version })}
          onClose={() => setIsRemoving(false)}
        />
      )}
    </EntryCard>
  );
}

function LastDelivery({ last }: { last: WebhookBody['last'] }) {
  if (!last) return <p className="text-muted text-xs">No event has been sent yet.</p>;
  const words = { done: 'Delivered', pending: last.error ? 'Will be retried' : 'Sending', dead: 'Not delivered' };
  return (
    <p className="text-muted text-xs [overflow-wrap:anywhere]">
      {'Last event: '}
      <span className={last.state === 'done' ? 'text-accent-text' : last.state === 'dead' ? 'text-danger' : ''}>
        {words[last.state]}
      </span>{' '}
      <RelativeTime at={last.at} />
      {last.error && ` · ${last.error}`}
    </p>
  );
}

function eventsOf({ events, receivesAnchors }: WebhookBody): string {
  if (events === null) return 'All events';
  if (events.length > 0) return events.join(', ');
  return receivesAnchors ? 'Only the log’s anchors' : 'No events';
}

interface WebhookDialogProps {
  hook: WebhookBody | undefined;
  names: readonly string[];
  onClose: () => void;
}

function WebhookDialog({ hook, names, onClose }: WebhookDialogProps) {
  const [generated] = useState(() => (hook ? '' : newSecret()));
  const [secret, setSecret] = useState(generated);
  const secretHint = useSecretHint('webhook', hook);
  const hasSecret = hook && secret === '' ? !hook.lacksSecret : secret.length >= 8;
  const [start] = useState(hook?.events ?? null);
  const mayBeEmpty = hook?.receivesAnchors === true;
  return (
    <EntryDialog
      kind="webhook"
      entry={hook}
      names={names}
      start={{ name: hook?.name ?? '', url: hook?.url ?? '', types: start }}
      description="Events are sent as JSON, signed according to the Standard Webhooks specification."
      placeholders={{ name: 'audit', url: 'https://example.com/hooks/zoo' }}
      isSecretTyped={secret !== generated}
      isValid={({ types }) => hasSecret && (types?.length !== 0 || mayBeEmpty)}
      change={({ name, url, types }, seen) => {
        const webhook = { url, events: types ?? null, ...(secret !== '' && { secret }) };
        return { kind: 'webhook', name, webhook, seen };
      }}
      onClose={onClose}
    >
      {({ fields, set, isTried, isRestored }) => (
        <>
          <EventChoice
            value={fields.types ?? null}
            others={(start ?? []).filter((type) => !isEventType(type))}
            receivesAnchors={mayBeEmpty}
            problem={isTried && !mayBeEmpty && fields.types?.length === 0 ? 'Choose at least one event.' : undefined}
            onChange={(types) => set({ ...fields, types })}
          />
          <TextField
            label="Secret"
            autoComplete="off"
            inputClass="font-mono"
            value={secret}
            placeholder={hook && !hook.lacksSecret ? 'Unchanged' : ''}
            onChange={(event) => setSecret(event.target.value)}
            hint={`${
              hook
                ? 'Leave empty to keep the secret. If you change the host, enter it again.'
                : isRestored && secret === generated
                  ? 'This is a new secret, because the browser does not keep secrets: give the receiver this one.'
                  : 'The receiver uses it to check signatures.'
            } ${secretHint}`}
            error={isTried && !hasSecret ? 'Use at least 8 characters.' : undefined}
          />
          {secret !== '' && (
            <div className="-mt-2">
              <CopyButton label="Copy secret" text={secret} />
            </div>
          )}
        </>
      )}
    </EntryDialog>
  );
}

interface EventChoiceProps {
  /** Null for all events. */
  value: readonly string[] | null;
  /** Events that were chosen and do not exist. */
  others: readonly string[];
  receivesAnchors: boolean;
  problem: string | undefined;
  onChange: (value: string[] | null) => void;
}

function EventChoice({ value, others, receivesAnchors, problem, onChange }: EventChoiceProps) {
  const id = useId();
  const known = Object.entries(eventTypes);
  return (
    <fieldset className="flex flex-col items-start gap-2" aria-describedby={problem && id}>
      <legend className="mb-1.5 font-medium text-sm">Events</legend>
      <Segmented
        label="Which events"
        value={value === null ? 'all' : 'some'}
        options={[
          { value: 'all', label: 'All events' },
          { value: 'some', label: 'Only these' },
        ]}
        onChange={(next) => onChange(next === 'all' ? null : known.map(([type]) => type))}
      />
      {value !== null &&
        [...known, ...others.map((type) => [type, wordsFor(type)] as const)].map(([type, words]) => (
          <label key={type} htmlFor={`${id}-${type}`} className="flex items-center gap-2 text-sm max-md:min-h-10">
            <Checkbox
              id={`${id}-${type}`}
              checked={value.includes(type)}
              onChange={({ target }) =>
                onChange(target.checked ? [...value, type] : value.filter((each) => each !== type))
              }
            />
            <span className="[overflow-wrap:anywhere]">
              <code className="font-mono text-xs">{type}</code> <span className="text-muted">{words}</span>
            </span>
          </label>
        ))}
      {receivesAnchors && (
        <p className="text-muted text-xs">
          {value?.every((type) => type === anchorEvent)
            ? 'No team events: it receives only the log’s anchors.'
            : 'It also receives the log’s anchors.'}
        </p>
      )}
      {problem && (
        <p id={id} className="text-danger text-xs">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

function wordsFor(type: string): string {
  return type === anchorEvent ? 'The log’s anchors, for the webhook that the config names' : 'There is no such event.';
}

/** A secret in the form of the Standard Webhooks specification. */
function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))}`;
}
