import { Link } from '@tanstack/react-router';
import {
  ChevronDown,
  CircleAlert,
  Hand,
  KeyRound,
  ListChecks,
  type LucideIcon,
  Mail,
  ShieldQuestion,
  Wrench,
} from 'lucide-react';
import { useId } from 'react';
import type { InboxItem, InboxKind } from '../../../src/inbox/inbox.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Settle } from './settle.tsx';

const icons: Record<InboxKind, LucideIcon> = {
  approval: Hand,
  review: ListChecks,
  tools: Wrench,
  failure: CircleAlert,
  mail: Mail,
  trust: ShieldQuestion,
  'sign-in': KeyRound,
};

interface ItemCardProps {
  item: InboxItem;
  isOpen: boolean;
  onToggle: () => void;
  onDismiss: (() => void) | undefined;
}

/** One item. Opened, it shows what it is about and the ways to settle it. */
export function ItemCard({ item, isOpen, onToggle, onDismiss }: ItemCardProps) {
  const id = useId();
  const Icon = icons[item.kind];
  return (
    <li
      data-row
      data-kind={item.kind}
      aria-label={item.title}
      className="min-w-0 rounded-card border border-line bg-surface shadow-card"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
        className="grid w-full grid-cols-[auto_minmax(0,1fr)_auto_auto] items-start gap-x-3 rounded-card p-3.5 text-left hover:bg-hover"
      >
        <Icon
          aria-hidden
          className={classes('mt-0.5 size-4.5 shrink-0', item.urgency === 'high' ? 'text-warn' : 'text-muted')}
        />
        <span className="text-sm [overflow-wrap:anywhere]">
          <span className="mr-2 font-medium">
            <ForeignText text={item.title} />
          </span>
          {item.urgency === 'high' && <Badge tone="warn">Urgent</Badge>}
        </span>
        {item.since > 0 && item.kind !== 'trust' && (
          <RelativeTime at={new Date(item.since).toISOString()} className="mt-0.5 text-faint text-xs" />
        )}
        <ChevronDown
          aria-hidden
          className={classes('col-start-4 mt-0.5 size-4 text-faint transition-transform', isOpen && 'rotate-180')}
        />
        <span
          className={classes(
            'col-span-3 col-start-2 row-start-2 text-muted text-sm [overflow-wrap:anywhere]',
            !isOpen && 'line-clamp-2',
          )}
        >
          <ForeignText text={item.why} />
        </span>
      </button>
      {isOpen && (
        <div
          id={id}
          className="flex flex-wrap items-center gap-3 border-line border-t p-3.5 *:min-w-0 [&>:not(a,button,footer)]:basis-full"
        >
          <Settle item={item} />
          <footer className="ml-auto flex flex-wrap gap-2">
            <Link to={item.link} className={buttonClass({ size: 'sm', variant: 'ghost' })}>
              {openWords[item.kind]}
            </Link>
            {onDismiss && (
              <Button size="sm" onClick={onDismiss}>
                {item.kind === 'trust' ? 'Do not trust' : 'Dismiss'}
              </Button>
            )}
          </footer>
        </div>
      )}
    </li>
  );
}

const openWords: Record<InboxKind, string> = {
  approval: 'Open the chat',
  review: 'Open the task',
  tools: 'Open the server',
  failure: 'Show details',
  mail: 'Open in Mail',
  trust: 'Trusted folders',
  'sign-in': 'Open the server',
};
