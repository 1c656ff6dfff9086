import { Inbox, SearchX, ShieldCheck } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { MailSearch } from './mail-search.ts';

export interface NoMailProps {
  show: MailSearch['show'];
  /** What was searched for; empty: nothing. */
  sought: string;
  onShowAll: () => void;
}

export function NoMail({ show, sought, onShowAll }: NoMailProps) {
  if (sought) {
    return (
      <EmptyState
        art={<SearchX className="size-10" strokeWidth={1.5} />}
        title="No such mail"
        actions={<Button onClick={onShowAll}>Show the inbox</Button>}
      >
        No subject or text here holds “{sought}”.
      </EmptyState>
    );
  }
  if (show === 'escalations') {
    return (
      <EmptyState art={<ShieldCheck className="size-10" strokeWidth={1.5} />} title="No escalations">
        A member's call that fails by no fault of its own is told to its supervisor, and to you when nobody is above it.
      </EmptyState>
    );
  }
  const art = <Inbox className="size-10" strokeWidth={1.5} />;
  if (show === 'unread') {
    return (
      <EmptyState art={art} title="Nothing unread" actions={<Button onClick={onShowAll}>Show the inbox</Button>}>
        You have seen all your mail.
      </EmptyState>
    );
  }
  return (
    <EmptyState art={art} title="No mail yet">
      {show === 'all' ? 'Members write to each other' : 'Members write to you'} with{' '}
      <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">mcp__mail__send</code>. It appears here at once.
    </EmptyState>
  );
}
