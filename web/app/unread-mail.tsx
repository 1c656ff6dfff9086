import { useUnreadMail } from '../api/mail-queries.ts';
import { classes } from '../ui/classes.ts';

/** The number of unread mails; nothing at zero. */
export function UnreadMail({ className }: { className?: string }) {
  const count = useUnreadMail();
  if (count === 0) return null;
  return (
    <span
      className={classes(
        'ml-auto inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-accent px-1.5 font-semibold text-2xs text-on-accent tabular-nums',
        className,
      )}
    >
      <span aria-hidden>{count > 99 ? '99+' : count}</span>
      <span className="sr-only">{`, ${count > 99 ? 'more than 99' : count} unread`}</span>
    </span>
  );
}
