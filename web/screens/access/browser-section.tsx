import { AppWindow, LogOut, ShieldQuestion } from 'lucide-react';
import type { BrowserSession } from '../../../src/callers/callers.ts';
import { useEndSession, useSessions, useSignOut, useSignOutEverywhere } from '../../api/access-queries.ts';
import { countDrafts } from '../../parts/drafts/drafts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import type { Place } from '../../ui/virtual-list.tsx';
import { AccessList, AccessRow, LoadingRows, Section } from './access-list.tsx';

export function BrowserSection() {
  const { data, error, refetch } = useSessions({ isLive: true });
  const signOut = useSignOut();
  const everywhere = useSignOutEverywhere();
  const failed = (cause: unknown) => showError('You are still signed in', cause);
  const leave = async () => {
    const drafts = countDrafts();
    const sure =
      drafts === 0 ||
      (await confirm({
        title: 'Sign out and delete what you typed?',
        message: `This browser has ${formatCount(drafts, 'draft')} of text that is not saved. Signing out deletes ${drafts === 1 ? 'it' : 'them'}.`,
        confirmLabel: 'Sign out',
        danger: true,
      }));
    if (sure) signOut.mutate(undefined, { onError: failed });
  };
  const leaveEverywhere = async () => {
    const sure = await confirm({
      title: 'Sign out everywhere?',
      message: `All browsers are signed out, this one included. Text that you typed here and did not save is deleted. To sign in again, run “zoo open” in a terminal.`,
      confirmLabel: 'Sign out everywhere',
      danger: true,
    });
    if (sure) everywhere.mutate(undefined, { onError: failed });
  };
  return (
    <Section
      id="browsers"
      title="Signed-in browsers"
      about="A signed-in browser may do everything. To sign in another one, run “zoo open” in a terminal."
      actions={
        <>
          <Button icon={<LogOut aria-hidden />} busy={signOut.isPending} onClick={() => void leave()}>
            Sign out
          </Button>
          <Button variant="danger" busy={everywhere.isPending} onClick={() => void leaveEverywhere()}>
            Sign out everywhere
          </Button>
        </>
      }
    >
      {data ? (
        <div className="flex flex-col gap-3">
          <FirstBrowser first={data.find(({ isFirst }) => isFirst)} />
          <AccessList
            label="Signed-in browsers"
            empty="No browser is signed in."
            items={data.toSorted((left, right) => Number(right.isCurrent) - Number(left.isCurrent))}
          >
            {(session, place) => <BrowserRow session={session} place={place} />}
          </AccessList>
        </div>
      ) : error ? (
        <ErrorState title="The browsers could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingRows label="Loading browsers" />
      )}
    </Section>
  );
}

function BrowserRow({ session, place }: { session: BrowserSession; place: Place }) {
  const { id, browser, isCurrent, isFirst, createdAt, lastUsedAt } = session;
  const end = useEndSession();
  const signOut = () =>
    end.mutate(id, {
      onSuccess: () => showToast(`Signed out ${browser}`),
      onError: (error) => showError('The browser is still signed in', error),
    });
  return (
    <AccessRow
      place={place}
      icon={<AppWindow aria-hidden />}
      name={browser}
      badges={
        <>
          {isCurrent && <Badge tone="accent">This browser</Badge>}
          {isFirst && <Badge title="It opened the new installation and needed no link.">First browser</Badge>}
        </>
      }
      facts={[
        <span key="created">
          Signed in <RelativeTime at={createdAt} />
        </span>,
        ...(lastUsedAt && !isCurrent
          ? [
              <span key="used">
                Last used <RelativeTime at={lastUsedAt} />
              </span>,
            ]
          : []),
      ]}
      action={
        isCurrent ? undefined : (
          <Button size="sm" aria-label={`Sign out ${browser}`} busy={end.isPending} onClick={signOut}>
            Sign out
          </Button>
        )
      }
    />
  );
}

/** The browser that claimed the installation needed no link, so someone else may have been faster. */
function FirstBrowser({ first }: { first: BrowserSession | undefined }) {
  if (!first) return null;
  return (
    <Banner tone={first.isCurrent ? 'info' : 'warn'} icon={<ShieldQuestion />}>
      {first.isCurrent ? 'This browser' : first.browser} was the first to open this installation,{' '}
      <RelativeTime at={first.createdAt} />, so it needed no link. Not you?{' '}
      {first.isCurrent ? 'Choose “Sign out everywhere”' : 'Sign it out'}, then run “zoo open” in a terminal.
    </Banner>
  );
}
