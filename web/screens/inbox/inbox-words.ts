import { byUrgency, type InboxItem, type InboxKind } from '../../../src/inbox/inbox.ts';

export const kindNames: Record<InboxKind, string> = {
  approval: 'Approvals',
  review: 'Reviews',
  tools: 'Tools to accept',
  failure: 'Failures',
  mail: 'Mail',
  trust: 'Trust',
  'sign-in': 'Sign-ins',
};

/** Filters the items. Opening a mail marks it as read, so it stays in its place until the user closes it. */
export function shownItems(
  items: readonly InboxItem[],
  open: InboxItem | undefined,
  kind: InboxKind | '',
): readonly InboxItem[] {
  const isKept = open?.kind === 'mail' && !items.some((item) => item.id === open.id);
  const all = isKept ? [open, ...items].sort(byUrgency) : items;
  return kind === '' ? all : all.filter((item) => item.kind === kind);
}
