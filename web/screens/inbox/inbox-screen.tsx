import { useSearch } from '@tanstack/react-router';
import { Bell, BellOff, BellRing, Inbox } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { canBeDismissed, type InboxItem, type InboxKind, inboxKinds } from '../../../src/inbox/inbox.ts';
import { useDismiss, useInbox } from '../../api/inbox-queries.ts';
import { setNotified, useNotified } from '../../parts/inbox/notified.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { KeyHint } from '../../ui/kbd.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { focusRow, useListKeys } from '../../ui/use-list-keys.ts';
import { useTitle } from '../../ui/use-title.ts';
import { kindNames, shownItems } from './inbox-words.ts';
import { ItemCard } from './item-card.tsx';

/** Everything that waits for the user, settled in place. */
export function InboxScreen() {
  useTitle('Inbox');
  const { data, error, refetch } = useInbox();
  return (
    <Page className="max-w-4xl">
      <PageHeader title="Inbox" description="Everything that is waiting for you." actions={<NotifyButton />} />
      {data ? (
        <LoadedInbox items={data.items} hasMore={data.hasMore} />
      ) : error ? (
        <ErrorState title="The inbox could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading inbox" className="flex flex-col gap-2">
          {['a', 'b', 'c'].map((key) => (
            <Skeleton key={key} className="h-16 rounded-card" />
          ))}
        </div>
      )}
    </Page>
  );
}

function LoadedInbox({ items, hasMore }: { items: readonly InboxItem[]; hasMore: boolean }) {
  const [kind, setKind] = useState<InboxKind | ''>('');
  const [open, setOpen] = useState<InboxItem>();
  const list = useRef<HTMLUListElement>(null);
  const dismiss = useDismissal();
  const shown = shownItems(items, open, kind);
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  const focused = () => rows().findIndex((row) => row.contains(document.activeElement));
  // A notification opens its item.
  const { item: wanted } = useSearch({ from: '/inbox' });
  const [shownFor, setShownFor] = useState<string>();
  if (wanted !== shownFor) {
    setShownFor(wanted);
    setOpen(items.find(({ id }) => id === wanted));
    setKind('');
  }
  useEffect(() => {
    const row =
      wanted === undefined ? null : list.current?.querySelector<HTMLElement>('[data-row]:has([aria-expanded=true])');
    if (!row) return;
    focusRow(row);
    row.scrollIntoView({ block: 'nearest' });
  }, [wanted]);
  useListKeys({
    actions: {
      e: () => {
        const item = shown[focused()];
        if (!item || !canBeDismissed(item)) return false;
        dismiss(item);
        return true;
      },
    },
  });
  if (shown.length === 0 && kind === '')
    return (
      <EmptyState art={<Inbox className="size-10" strokeWidth={1.5} />} title="Nothing is waiting for you">
        Approvals, reviews, changed tools, failures and mail to you appear here as soon as they need you.
      </EmptyState>
    );
  const kinds = inboxKinds.filter((each) => each === kind || items.some((item) => item.kind === each));
  return (
    <>
      {kinds.length > 1 && (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
          <Select
            label="Show"
            value={kind}
            onChange={setKind}
            options={[
              { value: '', label: `Everything (${items.length})` },
              ...kinds.map((each) => ({
                value: each,
                label: `${kindNames[each]} (${items.filter((item) => item.kind === each).length})`,
              })),
            ]}
          />
          <p className="flex items-center gap-3 text-faint text-xs max-md:hidden">
            <KeyHint keys={['j', 'k']}>move</KeyHint>
            <KeyHint keys={['Enter']}>open</KeyHint>
            <KeyHint keys={['e']}>dismiss</KeyHint>
          </p>
        </div>
      )}
      <ul ref={list} aria-label="Waiting for you" className="flex flex-col gap-2">
        {shown.map((item) => (
          <ItemCard
            key={item.id}
            item={item}
            isOpen={open?.id === item.id}
            onToggle={() => setOpen(open?.id === item.id ? undefined : item)}
            onDismiss={canBeDismissed(item) ? () => dismiss(item) : undefined}
          />
        ))}
      </ul>
      {shown.length === 0 && (
        <p className="py-8 text-center text-muted text-sm">No items of this type. Choose Everything to see the rest.</p>
      )}
      {hasMore && <p className="mt-3 text-muted text-sm">More items appear as you settle these.</p>}
    </>
  );
}

function useDismissal(): (item: InboxItem) => void {
  const dismiss = useDismiss();
  const undo = (id: string) =>
    dismiss.mutate(
      { ids: [id], isUndo: true },
      { onError: (error) => showError('The item could not be brought back', error) },
    );
  return ({ id, title }) =>
    dismiss.mutate(
      { ids: [id] },
      {
        onSuccess: () =>
          showToast('Dismissed', {
            description: title,
            action: { label: 'Undo', onClick: () => undo(id) },
          }),
        onError: (error) => showError('The item could not be dismissed', error),
      },
    );
}

/** Asks the browser for permission only when the user presses it. */
function NotifyButton() {
  const state = useNotified();
  if (state === 'unsupported') return null;
  if (state === 'blocked')
    return (
      <Button
        size="sm"
        icon={<BellOff aria-hidden />}
        onClick={() =>
          showToast('Your browser blocks notifications', {
            description: 'Allow them for this page in the site settings of your browser, then reload the page.',
          })
        }
      >
        Notifications blocked
      </Button>
    );
  const isOn = state === 'on';
  return (
    <Button
      size="sm"
      aria-pressed={isOn}
      icon={isOn ? <BellRing aria-hidden /> : <Bell aria-hidden />}
      onClick={() => void setNotified(!isOn)}
    >
      {isOn ? 'Notifications on' : 'Notify me'}
    </Button>
  );
}
