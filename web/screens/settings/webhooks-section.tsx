import { PencilLine, Plus, Send, Trash2, Webhook } from 'lucide-react';
import { useState } from 'react';
import type { WebhookBody } from '../../../src/settings/app-settings.ts';
import { useSettings, useTestWebhook } from '../../api/settings-queries.ts';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { OriginBadge } from '../../parts/settings/origin-badge.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/input.tsx';
import { labelsIn } from '../../ui/labels-in.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { EntryActions, EntryCard, TestOutcome } from './entry-card.tsx';
import { EntryDialog, useSecretHint } from './entry-dialog.tsx';
import { Section } from './section.tsx';

/** The addresses that receive what happens in the team. */
export function WebhooksSection() {
  useTitle('Webhooks');
  const { data } = useSettings();
  const [open, setOpen] = useState<{ hook?: WebhookBody }>();
  const hooks = data?.webhooks ?? [];
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
          Add the address of a program that should be told what happens in your team.
        </EmptyState>
      ) : (
        <ul aria-label="Webhooks" className="flex flex-col gap-3">
          {hooks.map((hook) => (
            <WebhookCard key={hook.name} hook={hook} file={data?.file?.name} onEdit={() => setOpen({ hook })} />
          ))}
        </ul>
      )}
      {open && (
        <WebhookDialog hook={open.hook} names={hooks.map(({ name }) => name)} onClose={() => setOpen(undefined)} />
      )}
    </Section>
  );
}

function WebhookCard({ hook, file, onEdit }: { hook: WebhookBody; file: string | undefined; onEdit: () => void }) {
  const test = useTestWebhook();
  const [isRemoving, setIsRemoving] = useState(false);
  return (
    <EntryCard
      name={hook.name}
      url={hook.url}
      badges={
        <>
          <OriginBadge origin={hook.origin} file={file} />
          <Badge>{hook.events === null ? 'all events' : hook.events.join(', ')}</Badge>
          {hook.lacksSecret && <Badge tone="danger">secret missing: choose Edit to enter one</Badge>}
        </>
      }
      actions={
        <EntryActions>
          <Button size="sm" icon={<Send aria-hidden />} busy={test.isPending} onClick={() => test.mutate(hook.name)}>
            Send test
          </Button>
          <Button size="sm" icon={<PencilLine aria-hidden />} onClick={onEdit} aria-label={`Edit ${hook.name}`}>
            Edit
          </Button>
          <Button
            size="sm"
            variant="danger"
            icon={<Trash2 aria-hidden />}
            onClick={() => setIsRemoving(true)}
            aria-label={`Remove ${hook.name}`}
          >
            Remove
          </Button>
        </EntryActions>
      }
    >
      <TestOutcome test={test} />
      <LastDelivery last={hook.last} />
      {isRemoving && (
        <ChangeDialog
          title={`Remove the webhook ${hook.name}?`}
          description="It will receive no more events."
          submit="Remove"
          change={() => ({ kind: 'webhook', name: hook.name, webhook: null, seen: hook.version })}
          onClose={() => setIsRemoving(false)}
        />
      )}
    </EntryCard>
  );
}

function LastDelivery({ last }: { last: WebhookBody['last'] }) {
  if (!last) return <p className="text-muted text-xs">No event has been sent yet.</p>;
  const words = { done: 'Delivered', pending: last.error ? 'Will be retried' : 'On its way', dead: 'Not delivered' };
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

interface WebhookDialogProps {
  hook: WebhookBody | undefined;
  names: readonly string[];
  onClose: () => void;
}

function WebhookDialog({ hook, names, onClose }: WebhookDialogProps) {
  const [secret, setSecret] = useState(() => (hook ? '' : newSecret()));
  const secretHint = useSecretHint('webhook', hook);
  const isValid = hook && secret === '' ? !hook.lacksSecret : secret.length >= 8;
  return (
    <EntryDialog
      kind="webhook"
      entry={hook}
      names={names}
      start={{ name: hook?.name ?? '', url: hook?.url ?? '', events: hook?.events?.join(', ') ?? '' }}
      description="Events are sent as JSON, signed according to the Standard Webhooks specification."
      placeholders={{ name: 'audit', url: 'https://example.com/hooks/zoo' }}
      isValid={isValid}
      change={({ name, url, events }, seen) => {
        const types = labelsIn(events);
        const webhook = { url, events: types.length === 0 ? null : types, ...(secret !== '' && { secret }) };
        return { kind: 'webhook', name, webhook, seen };
      }}
      onClose={onClose}
    >
      {({ fields, set, isTried }) => (
        <>
          <TextField
            label="Events"
            placeholder="mail.sent"
            autoComplete="off"
            value={fields.events}
            onChange={(event) => set({ ...fields, events: event.target.value })}
            hint="Separate with commas. Leave empty for all events."
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
                : 'The receiver uses it to check signatures.'
            } ${secretHint}`}
            error={isTried && !isValid ? 'Use at least 8 characters.' : undefined}
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

/** A secret in the form of the Standard Webhooks specification. */
function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))}`;
}
