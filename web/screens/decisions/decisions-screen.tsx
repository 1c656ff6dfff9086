import { Dialog } from '@base-ui/react/dialog';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { History, SearchX, ShieldCheck } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { dayMs } from '../../../src/base/clock.ts';
import type { DecisionLine } from '../../api/decision-lines.ts';
import { decisionPageOptions, useDecisionEntry } from '../../api/decision-queries.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useMedia } from '../../ui/use-media.ts';
import { useMinute } from '../../ui/use-minute.ts';
import { useTitle } from '../../ui/use-title.ts';
import { chartRange } from './chart-range.ts';
import { ChartSection } from './chart-section.tsx';
import { DecisionDetail } from './decision-detail.tsx';
import { DecisionFilters } from './decision-filters.tsx';
import {
  type DecisionSearch,
  decisionSearch,
  isFiltered,
  startOf,
  toDecisionFilter,
  withoutFilters,
} from './decision-search.ts';
import { DecisionTimeline } from './decision-timeline.tsx';
import { spanName } from './time-names.ts';
import { VerifyDialog } from './verify-dialog.tsx';

/** Lists every tool call with its caller and result. */
export function DecisionsScreen() {
  useTitle('Decisions');
  const search = useSearch({ from: '/decisions' });
  const navigate = useNavigate({ from: '/decisions' });
  const [isLive, setIsLive] = useState(true);
  const [isVerifying, setIsVerifying] = useState(false);
  const [newestAt, setNewestAt] = useState<number | null>(null);
  const opened = useDecisionEntry(search.seq);
  const openCall = search.seq === undefined ? undefined : opened.data?.callId;

  const { seq: _seq, ...filters } = search;
  const key = JSON.stringify(filters);
  const minute = useMinute();
  const shownSince = useShownSince(filters, minute);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes exactly when the filters do.
  const filter = useMemo(() => toDecisionFilter(filters, shownSince), [key, shownSince]);
  const maxBars = useMedia('(min-width: 40rem)') ? 120 : 50;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const range = useMemo(() => {
    const { last, ...rest } = filters;
    // Where the list begins, so that both show the same.
    const from = last ? { since: new Date(startOf(last, shownSince)).toISOString() } : {};
    return chartRange({ ...rest, ...from }, { newestAt, now: minute, maxBars });
  }, [key, shownSince, newestAt, minute, maxBars]);

  const go = useCallback(
    (next: DecisionSearch, replace: boolean) => void navigate({ search: next, replace, resetScroll: false }),
    [navigate],
  );
  const open = useCallback(
    (line: DecisionLine) =>
      void navigate({
        search: (now: DecisionSearch) => ({ ...now, seq: line.seq }),
        // Moving between entries adds only one step to the browser history.
        replace: new URLSearchParams(window.location.search).has('seq'),
        resetScroll: false,
      }),
    [navigate],
  );
  const change = (next: Record<string, unknown>) => {
    window.scrollTo({ top: 0 });
    go(decisionSearch({ ...search, ...next }), true);
  };
  const clear = () => change({ ...withoutFilters(search), ...clearedFilters(search) });
  const close = () => go(filters, false);

  return (
    <div className="flex">
      <Page className="min-w-0 flex-1">
        <PageHeader
          title="Decisions"
          description="Every tool call and every change: who made it and how it ended."
          actions={
            <span className="flex items-center gap-2 text-sm">
              <Button size="sm" icon={<ShieldCheck aria-hidden />} onClick={() => setIsVerifying(true)}>
                Verify
              </Button>
              <span aria-hidden className={isLive ? 'text-text' : 'text-faint'}>
                Live updates
              </span>
              <Switch label="Live updates" checked={isLive} onChange={setIsLive} />
            </span>
          }
        />
        <DecisionFilters search={search} onChange={change} onClear={clear} />
        <ChartSection
          range={range}
          name={rangeName(search, range)}
          filter={filter}
          onSelect={(since, until) => change({ last: undefined, ...wholeMinutes(since, until) })}
        />
        <DecisionTimeline
          key={JSON.stringify(filter)}
          filter={filter}
          isLive={isLive}
          openSeq={search.seq}
          openCall={openCall}
          onOpen={open}
          onNewest={setNewestAt}
          empty={isFiltered(search) ? <NothingFound onClear={clear} /> : <NothingYet />}
        />
      </Page>
      {isVerifying && <VerifyDialog onClose={() => setIsVerifying(false)} />}
      {search.seq !== undefined && (
        <DetailSheet label="Entry" onClose={close}>
          <DecisionDetail
            seq={search.seq}
            onClose={close}
            onCall={(callId) => change({ ...clearedFilters(search), callId })}
          />
        </DetailSheet>
      )}
    </div>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      art={<SearchX className="size-10" strokeWidth={1.5} />}
      title="No entries found"
      actions={<Button onClick={onClear}>Clear filters</Button>}
    >
      Remove some filters or choose a longer time range.
    </EmptyState>
  );
}

function NothingYet() {
  return (
    <EmptyState
      art={<History className="size-10" strokeWidth={1.5} />}
      title="No calls yet"
      actions={
        <Link to="/connect" className={buttonClass({ variant: 'primary' })}>
          Connect a client
        </Link>
      }
    >
      When an agent or a member calls a tool, the call and its result appear here.
    </EmptyState>
  );
}

function rangeName({ last, since, until }: DecisionSearch, range: { since: number; until: number }): string {
  if (last) return { hour: 'Last hour', day: 'Last 24 hours', week: 'Last 7 days' }[last];
  if (since || until) return spanName(range.since, until ? Math.min(Date.parse(until), range.until + 1) : range.until);
  const days = Math.round((range.until - range.since) / dayMs);
  return days <= 1 ? 'Last 24 hours' : `Last ${days} days`;
}

function wholeMinutes(since: number, until: number): { since: string; until: string } {
  const minuteMs = 60_000;
  return {
    since: new Date(Math.floor(since / minuteMs) * minuteMs).toISOString(),
    until: new Date(Math.ceil(until / minuteMs) * minuteMs).toISOString(),
  };
}

function clearedFilters(search: DecisionSearch): Record<string, undefined> {
  const { seq: _seq, ...filters } = search;
  return Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
}

/**
 * Returns the time at which presets are measured. It moves on with the clock while the newest entries are visible: a list that is
 * being read further down stays as it is.
 */
function useShownSince(filters: DecisionSearch, minute: number): number {
  const client = useQueryClient();
  const key = JSON.stringify(filters);
  const [shown, setShown] = useState({ key, at: minute });
  const { last } = filters;
  const at = shown.key === key ? shown.at : minute;
  const isOld = last !== undefined && startOf(last, minute) !== startOf(last, at);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes exactly when the filters do.
  useEffect(() => {
    if (shown.key !== key) setShown({ key, at: minute });
    if (!isOld || window.scrollY > 0) return;
    let isGone = false;
    // Loaded before it is shown, so that the list does not blink.
    void client
      .prefetchQuery(decisionPageOptions(toDecisionFilter(filters, minute), { cursor: null }))
      .then(() => !isGone && setShown({ key, at: minute }));
    return () => {
      isGone = true;
    };
  }, [client, key, isOld, minute]);
  return at;
}

interface DetailSheetProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** Shows the details beside the list, over its edge on smaller screens, and full screen on a phone. */
function DetailSheet({ label, onClose, children }: DetailSheetProps) {
  const isWide = useMedia('(min-width: 48rem)');
  const popup = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isWide) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest('input, [role="listbox"], [role="dialog"]')) return;
      event.preventDefault();
      close.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isWide]);
  if (isWide) {
    return (
      <aside
        aria-label={label}
        className="sticky top-0 z-10 h-dvh w-[30rem] shrink-0 border-line border-l bg-surface max-xl:fixed max-xl:inset-y-0 max-xl:right-0 max-xl:z-30 max-xl:w-[min(30rem,60vw)] max-xl:shadow-pop"
      >
        {children}
      </aside>
    );
  }
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Popup
          ref={popup}
          initialFocus={popup}
          aria-label={label}
          className="fixed inset-0 z-40 bg-surface outline-none"
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
