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
        className="flex w-full items-start gap-3 rounded-card p-3.5 text-left hover:bg-hover"
      >
        <Icon
          aria-hidden
          className={classes('mt-0.5 size-4.5 shrink-0', item.urgency === 'high' ? 'text-warn' : 'text-muted')}
        />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="font-medium text-sm [overflow-wrap:anywhere]">
              <ForeignText text={item.title} />
            </span>
            {item.urgency === 'high' && <Badge tone="warn">urgent</Badge>}
          </span>
          <span className={classes('block text-muted text-sm [overflow-wrap:anywhere]', !isOpen && 'line-clamp-2')}>
            <ForeignText text={item.why} />
          </span>
        </span>
        {item.since > 0 && item.kind !== 'trust' && (
          <RelativeTime at={new Date(item.since).toISOString()} className="shrink-0 text-faint text-xs" />
        )}
        <ChevronDown
          aria-hidden
          className={classes('mt-0.5 size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-180')}
        />
      </button>
      {isOpen && (
        <div id={id} className="flex min-w-0 flex-col gap-3 border-line border-t p-3.5">
          <Settle item={item} />
          <div className="flex flex-wrap justify-end gap-2">
            <Link to={item.link} className={buttonClass({ size: 'sm', variant: 'ghost' })}>
              {openWords[item.kind]}
            </Link>
            {onDismiss && (
              <Button size="sm" onClick={onDismiss}>
                {item.kind === 'trust' ? 'Do not trust' : 'Dismiss'}
              </Button>
            )}
          </div>
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
