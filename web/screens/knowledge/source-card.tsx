import { Link } from '@tanstack/react-router';
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleX,
  Ellipsis,
  Files,
  FolderSync,
  FolderX,
  RefreshCw,
  Search,
  Trash2,
} from 'lucide-react';
import { describeLeftOut } from '../../../src/knowledge/describe-left-out.ts';
import type { SourceInfo } from '../../../src/knowledge/knowledge.ts';
import { useCancelSync, useRemoveSource, useSync } from '../../api/knowledge-queries.ts';
import { sourceLooks } from '../../parts/knowledge/source-look.tsx';
import { deleteLater } from '../../parts/undo/delete-later.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { showError } from '../../ui/toast.tsx';
import type { Place } from '../../ui/virtual-list.tsx';
import { actionsOf, describeProgress, describeReport } from './describe-sync.ts';

function OriginBadge({ type }: Pick<SourceInfo, 'type'>) {
  return type === 'custom' ? (
    <Badge title="Written in code, so change it there">From code</Badge>
  ) : (
    <Badge title="Edit zoo.toml to change this source">From zoo.toml</Badge>
  );
}

/** One source: its content, its state and its actions. */
export function SourceCard({ source, place }: { source: SourceInfo; place: Place }) {
  const { icon: Icon, label } = sourceLooks[source.type];
  const { canCancel } = actionsOf(source);
  return (
    <li
      aria-label={source.name}
      data-source={source.source}
      {...place}
      tabIndex={-1}
      data-state={source.state}
      className="flex flex-col gap-3 rounded-card border border-line bg-surface p-4 shadow-card"
    >
      <div className="flex items-start gap-3">
        <span
          title={label}
          className="flex size-10 shrink-0 items-center justify-center rounded-xl bg-accent-soft text-accent-text max-sm:size-9"
        >
          <Icon aria-label={label} className="size-5" />
        </span>
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h2 className="min-w-0 truncate font-semibold text-base leading-6">{source.name}</h2>
            {source.origin === 'config' && <OriginBadge type={source.type} />}
            {source.origin === 'gone' && <Badge tone="warn">No longer configured</Badge>}
          </div>
          <p className="font-mono text-faint text-xs [overflow-wrap:anywhere]" title={source.place}>
            {source.place}
          </p>
        </div>
        <SourceActions source={source} />
      </div>
      <p className="-mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-muted text-xs tabular-nums sm:pl-13">
        <State source={source} />
        <span>{formatCount(source.documents, 'document')}</span>
        <span>{formatCount(source.chunks, 'passage')}</span>
        {source.requestedAt !== null && <Badge>Sync queued</Badge>}
        {source.state !== 'syncing' && canCancel && <CancelSync source={source} />}
      </p>
      {source.state === 'syncing' && <SyncBar source={source} />}
      {source.state !== 'syncing' && source.message !== null && (
        <p
          role={source.state === 'failed' ? 'alert' : 'status'}
          className={
            source.state === 'failed'
              ? 'break-words rounded-lg bg-danger-soft sm:ml-13 px-3 py-2 text-danger text-sm'
              : 'break-words rounded-lg bg-warn-soft sm:ml-13 px-3 py-2 text-sm text-warn'
          }
        >
          {source.message}
        </p>
      )}
      {source.state !== 'syncing' && <LastReport source={source} />}
    </li>
  );
}

function State({ source }: { source: SourceInfo }) {
  const look = 'inline-flex items-center gap-1 [&_svg]:size-3.5';
  switch (source.state) {
    case 'never':
      return (
        <span className={look}>
          <CircleDashed aria-hidden />
          Never synced
        </span>
      );
    case 'syncing':
      return (
        <span className={`${look} font-medium text-accent-text`}>
          <RefreshCw aria-hidden className="animate-spin" />
          Syncing
        </span>
      );
    case 'failed':
      return (
        <span className={`${look} font-medium text-danger`}>
          <CircleAlert aria-hidden />
          Last sync failed
        </span>
      );
    case 'ready':
      // The sync ended early; the message below explains why.
      if (source.message !== null) {
        return (
          <span className={`${look} text-warn`}>
            <CircleAlert aria-hidden />
            <span>Incomplete {source.lastSyncedAt && <RelativeTime at={source.lastSyncedAt} />}</span>
          </span>
        );
      }
      return (
        <span className={`${look} text-accent-text`}>
          <CircleCheck aria-hidden />
          <span>Synced {source.lastSyncedAt && <RelativeTime at={source.lastSyncedAt} />}</span>
        </span>
      );
  }
}

function SyncBar({ source }: { source: SourceInfo }) {
  const { share, words } = describeProgress(source.progress);
  return (
    <div className="flex items-center gap-3 sm:pl-13">
      <div className="min-w-0 flex-1">
        <ProgressBar label={`Syncing ${source.name}`} value={share} text={words} />
        <p className="mt-1 text-muted text-xs tabular-nums">{words}</p>
      </div>
      <CancelSync source={source} />
    </div>
  );
}

function CancelSync({ source }: { source: SourceInfo }) {
  const cancel = useCancelSync();
  return (
    <Button
      size="sm"
      variant="ghost"
      icon={<CircleX aria-hidden />}
      busy={cancel.isPending}
      aria-label={`Cancel sync of ${source.name}`}
      onClick={() =>
        cancel.mutate(source.source, { onError: (error) => showError('The sync could not be cancelled', error) })
      }
    >
      Cancel
    </Button>
  );
}

function LastReport({ source }: { source: SourceInfo }) {
  const report = source.lastReport;
  // The message already explains an empty report.
  if (!report || (source.message !== null && report.added + report.changed + report.removed === 0)) return null;
  const { failed, failedCount } = report;
  const { dropped, skipped } = describeLeftOut(report);
  if (failedCount + dropped.length + skipped.length === 0)
    return <p className="-mt-1.5 text-faint text-xs sm:pl-13">Last sync: {describeReport(report)}</p>;
  return (
    <details className="-mt-1.5 text-xs sm:pl-13">
      <summary className="w-fit rounded-md text-faint hover:text-text">Last sync: {describeReport(report)}</summary>
      <Phrases title="Removed, but still at the source" of={source.name} phrases={dropped} />
      <Phrases title="Left out" of={source.name} phrases={skipped} />
      {failedCount > 0 && (
        <>
          <p className="mt-2 font-medium text-text">Unreadable</p>
          <ul
            aria-label={`Unreadable: ${source.name}`}
            className="mt-1 flex max-h-64 flex-col gap-1.5 overflow-y-auto rounded-lg bg-warn-soft/60 p-3"
          >
            {failed.map(({ sourceId, message }) => (
              <li key={sourceId} className="min-w-0 break-words">
                <span className="break-all font-mono text-2xs text-text">{sourceId}</span>
                <span className="block text-muted">{message}</span>
              </li>
            ))}
            {failedCount > failed.length && (
              <li className="text-muted">and {(failedCount - failed.length).toLocaleString('en')} more</li>
            )}
          </ul>
        </>
      )}
    </details>
  );
}

function Phrases({ title, of, phrases }: { title: string; of: string; phrases: readonly string[] }) {
  if (phrases.length === 0) return null;
  return (
    <div className="mt-2">
      <p className="font-medium text-text">{title}</p>
      <ul aria-label={`${title}: ${of}`} className="mt-0.5 flex flex-col gap-0.5 text-muted">
        {phrases.map((phrase) => (
          <li key={phrase}>{phrase}</li>
        ))}
      </ul>
    </div>
  );
}

/** A sync button and a menu with the other actions. */
function SourceActions({ source }: { source: SourceInfo }) {
  const sync = useSync();
  const remove = useRemoveSource();
  const { canSync, canRemove } = actionsOf(source);
  const start = (full: boolean, allowEmpty = false) =>
    sync.mutate(
      { target: source.source, full, allowEmpty },
      { onError: (error) => showError('The sync could not start', error) },
    );
  const acceptEmpty = async () => {
    const sure = await confirm({
      title: `Accept “${source.name}” as empty?`,
      message: `If the next sync finds nothing, it removes ${formatCount(source.documents, 'document')} from the knowledge base.`,
      confirmLabel: 'Sync',
      danger: true,
    });
    if (sure) start(false, true);
  };
  const removeSource = () =>
    deleteLater({
      keys: [`source/${source.source}`],
      message: `Removed “${source.name}” with ${formatCount(source.documents, 'document')}. The original files stay.`,
      carryOut: () => remove.mutateAsync(source.source),
      failure: `“${source.name}” could not be removed`,
    });
  return (
    <div className="flex shrink-0 items-center gap-1">
      {source.origin !== 'gone' && (
        <Button
          size="sm"
          icon={<RefreshCw aria-hidden />}
          disabled={!canSync}
          busy={sync.isPending}
          aria-label={`Sync ${source.name}`}
          onClick={() => start(false)}
        >
          Sync
        </Button>
      )}
      <Menu trigger={<IconButton size="sm" label={`Actions for ${source.name}`} icon={<Ellipsis aria-hidden />} />}>
        <MenuItem
          icon={<Files aria-hidden />}
          render={<Link to="/knowledge/documents" search={{ source: source.source }} />}
        >
          Browse documents
        </MenuItem>
        <MenuItem
          icon={<Search aria-hidden />}
          render={<Link to="/knowledge/search" search={{ source: source.source }} />}
        >
          Search this source
        </MenuItem>
        <MenuItem icon={<FolderSync aria-hidden />} disabled={!canSync} onClick={() => start(true)}>
          Re-index everything
        </MenuItem>
        {source.state === 'failed' && source.documents > 0 && (
          <MenuItem icon={<FolderX aria-hidden />} disabled={!canSync} onClick={() => void acceptEmpty()}>
            Sync and accept as empty…
          </MenuItem>
        )}
        {source.origin !== 'config' && (
          <>
            <MenuSeparator />
            <MenuItem danger icon={<Trash2 aria-hidden />} disabled={!canRemove} onClick={removeSource}>
              Remove
            </MenuItem>
          </>
        )}
      </Menu>
    </div>
  );
}
