import { useQueryClient } from '@tanstack/react-query';
import { DatabaseZap, RotateCw } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLiveState } from '../api/live.ts';
import { useNewVersion } from '../api/new-version.ts';
import { useStatus } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';

/** Warnings shown above every screen. Full-height screens subtract their height, `--notices`. */
export function Notices() {
  const notices = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = notices.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty('--notices', `${element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={notices}>
      <ConnectionBanner />
      <VersionBanner />
      <CriticalBanner />
    </div>
  );
}

/** Longer than a restart takes. */
const reconnectGraceMs = 2_500;

/** Appears when the hub stays unreachable. */
function ConnectionBanner() {
  const live = useLiveState();
  const [isGone, setIsGone] = useState(false);
  useEffect(() => {
    if (live !== 'lost') {
      setIsGone(false);
      return;
    }
    const timer = setTimeout(() => setIsGone(true), reconnectGraceMs);
    return () => clearTimeout(timer);
  }, [live]);
  return (
    <div role="status">
      {isGone && (
        <p className="border-warn/35 border-b bg-warn-soft px-4 py-2 text-center text-sm text-warn">
          Cannot reach the hub. Reconnecting…
        </p>
      )}
    </div>
  );
}

/** Appears when the hub serves another version of the app. This page keeps working; the user chooses when to reload. */
function VersionBanner() {
  const isNew = useNewVersion();
  return (
    <div role="status">
      {isNew && (
        <p className="flex flex-wrap items-center justify-center gap-x-3 gap-y-1 border-info/35 border-b bg-info-soft px-4 py-1.5 text-center text-info text-sm">
          A new version of Agent Zoo is ready. Reloading keeps what you typed.
          <Button size="sm" icon={<RotateCw aria-hidden />} onClick={() => window.location.reload()}>
            Reload
          </Button>
        </p>
      )}
    </div>
  );
}

/** Shows on every screen why the hub cannot work, until it can. */
function CriticalBanner() {
  const { data } = useStatus();
  const critical = (data?.problems ?? []).filter(({ isCritical }) => isCritical);
  useFreshStart(critical.length > 0);
  return critical.map(({ message, since }) => (
    <div
      key={message}
      role="alert"
      className="flex items-start gap-2.5 border-danger/35 border-b bg-danger-soft px-4 py-2.5 text-danger text-sm md:px-6"
    >
      <DatabaseZap aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0 [overflow-wrap:anywhere]">
        {since && (
          <strong>
            Read-only since <time dateTime={since}>{new Date(since).toLocaleTimeString()}</time>.{' '}
          </strong>
        )}
        {message}
      </p>
    </div>
  ));
}

/** Refetches everything once the hub has recovered: screens may still show errors. */
function useFreshStart(isStuck: boolean): void {
  const client = useQueryClient();
  const wasStuck = useRef(false);
  useEffect(() => {
    if (wasStuck.current && !isStuck) void client.invalidateQueries();
    wasStuck.current = isStuck;
  }, [client, isStuck]);
}
