import { useInbox } from '../api/inbox-queries.ts';
import { useUnreadMail } from '../api/mail-queries.ts';
import { classes } from '../ui/classes.ts';

interface CountProps {
  className?: string;
}

/** The number of unread mails. */
export function UnreadMail({ className }: CountProps) {
  return <Count count={useUnreadMail()} what="unread" className={className} />;
}

/** The number of items in the inbox. */
export function InboxCount({ className }: CountProps) {
  return <Count count={useInbox().data?.items.length ?? 0} what="waiting" className={className} />;
}

/** Shows nothing at zero. */
function Count({ count, what, className }: { count: number; what: string; className: string | undefined }) {
  if (count === 0) return null;
  return (
    <span
      className={classes(
        'ml-auto inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-accent px-1.5 font-semibold text-2xs text-on-accent tabular-nums',
        className,
      )}
    >
      <span aria-hidden>{count > 99 ? '99+' : count}</span>
      <span className="sr-only">{`, ${count > 99 ? 'more than 99' : count} ${what}`}</span>
    </span>
  );
}
