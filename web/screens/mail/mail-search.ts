import type { MailFilter } from '../../api/mail-queries.ts';

/** What the mailbox shows, as it stands in the address; left out where it is the usual. */
export interface MailSearch {
  show?: 'unread' | 'escalations' | 'all';
  q?: string;
  /** Opens a new mail to this member; empty: to be chosen. */
  to?: string;
}

/** Reads the address; what it does not know it leaves out. */
export function mailSearch(search: Record<string, unknown>): MailSearch {
  const { show } = search;
  return {
    ...((show === 'unread' || show === 'escalations' || show === 'all') && { show }),
    ...wordsIn(search, 'q'),
    ...(search.to === '' ? { to: '' } : wordsIn(search, 'to')),
  };
}

/** What the hub is asked for. */
export function toMailFilter(show: MailSearch['show'], words: string): MailFilter {
  const text = words.trim();
  return {
    // A fault that was told to a supervisor is the person's concern as well.
    ...((show === 'all' || show === 'escalations') && { all: true }),
    ...(show === 'unread' && { unread: true }),
    ...(show === 'escalations' && { escalations: true }),
    ...(text && { text }),
  };
}

// The router reads ?q=42 as a number.
function wordsIn<K extends string>(search: Record<string, unknown>, key: K): { [each in K]?: string } {
  const value = search[key];
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  // A computed key widens to an index signature; it is the one key asked for.
  return (text === '' ? {} : { [key]: text }) as { [each in K]?: string };
}
