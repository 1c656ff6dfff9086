import { History } from 'lucide-react';
import { classes } from '../../ui/classes.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';

export interface DraftNoteProps {
  draft: { restored: { at: number } | null; isOutdated?: boolean; isRefused?: boolean; discard: () => void };
  /** For a box that is always on the screen: its text needs no note while the page that it was typed in is open. */
  onlyAfterReload?: boolean;
  className?: string;
}

/** Says that a form shows restored text, and offers to discard it; or that the browser does not keep what is typed. */
export function DraftNote({ draft, onlyAfterReload = false, className }: DraftNoteProps) {
  if (draft.isRefused)
    return (
      <p role="status" className={classes('text-warn text-xs', className)}>
        Browser storage is full; this text is not saved. Closing the page would lose it.
      </p>
    );
  if (draft.restored === null || (onlyAfterReload && draft.restored.at >= performance.timeOrigin)) return null;
  return (
    <p
      role="status"
      className={classes('flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-xs [&_svg]:size-3.5', className)}
    >
      <History aria-hidden className="shrink-0 text-faint" />
      <span className="min-w-0">
        Restored what you typed <RelativeTime at={new Date(draft.restored.at).toISOString()} />.
        {draft.isOutdated && ' The saved version has changed since then.'}
      </span>
      <button
        type="button"
        onClick={draft.discard}
        className="rounded font-medium text-accent-text underline-offset-2 hover:underline"
      >
        Discard
      </button>
    </p>
  );
}
