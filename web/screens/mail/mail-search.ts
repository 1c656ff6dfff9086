import type { MailFilter } from '../../api/mail-queries.ts';

/** The search parameters in the mail URL. Defaults are left out. */
export interface MailSearch {
  show?: 'unread' | 'escalations' | 'all';
  q?: string;
  /** Opens a new mail to this member; empty lets the user choose. */
  to?: string;
}

/** Reads the URL and drops unknown parameters. */
export function mailSearch(search: Record<string, unknown>): MailSearch {
  const { show } = search;
  return {
    ...((show === 'unread' || show === 'escalations' || show === 'all') && { show }),
    ...wordsIn(search, 'q'),
    ...(search.to === '' ? { to: '' } : wordsIn(search, 'to')),
  };
}

/** Returns the filter for the request. */
export function toMailFilter(show: MailSearch['show'], words: string): MailFilter {
  const text = words.trim();
  return {
    // Escalations to a supervisor concern the user as well.
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
