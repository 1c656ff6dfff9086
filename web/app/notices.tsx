import { useQueryClient } from '@tanstack/react-query';
import { CloudOff, DatabaseZap, PackageCheck, RotateCw } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLiveState } from '../api/live.ts';
import { useNewVersion } from '../api/new-version.ts';
import { useStatus } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';

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
        <Notice tone="warn" icon={<CloudOff />}>
          Cannot reach the hub. Reconnecting…
        </Notice>
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
        <Notice
          tone="info"
          icon={<PackageCheck />}
          action={
            <Button size="sm" icon={<RotateCw aria-hidden />} onClick={() => window.location.reload()}>
              Reload
            </Button>
          }
        >
          A new version of Agent Zoo is ready. Reloading keeps what you typed.
        </Notice>
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
    <div key={message} role="alert">
      <Notice tone="danger" icon={<DatabaseZap />}>
        {since && (
          <strong>
            Read-only since <time dateTime={since}>{timeFormat.format(new Date(since))}</time>.{' '}
          </strong>
        )}
        {message} {since && 'Nothing can be saved until this is fixed. This notice then goes away by itself.'}
      </Notice>
    </div>
  ));
}

const timeFormat = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

const tones = {
  warn: 'border-warn/35 bg-warn-soft text-warn',
  info: 'border-info/35 bg-info-soft text-info',
  danger: 'border-danger/35 bg-danger-soft text-danger',
} as const;

interface NoticeProps {
  tone: keyof typeof tones;
  icon: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

function Notice({ tone, icon, action, children }: NoticeProps) {
  return (
    <div
      className={classes(
        'flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b px-4 py-2 text-sm md:px-6',
        tones[tone],
      )}
    >
      <p className="flex min-w-0 gap-2.5">
        <span aria-hidden className="flex h-lh shrink-0 items-center [&_svg]:size-4">
          {icon}
        </span>
        <span className="min-w-0 text-pretty [overflow-wrap:anywhere]">{children}</span>
      </p>
      {action}
    </div>
  );
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
