import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Mail } from '../../../src/team/mail/mail.ts';
import { formatCount } from '../../ui/format-count.ts';

/** Longer threads show only their end at first. */
const maxShown = 30;

export interface ShownMailsOptions {
  mails: readonly Mail[];
  /** The mail to scroll to first. */
  start: Mail | undefined;
  scroller: RefObject<HTMLElement | null>;
  hasMore: boolean;
  loadMore: () => void;
}

/** Returns the shown end of a thread and a way to show earlier mails, which keeps the scroll position. */
export function useShownMails({ mails, start, scroller, hasMore, loadMore }: ShownMailsOptions) {
  // By id, because mails are added on both sides.
  const [opening] = useState(() => {
    const startIndex = mails.findIndex(({ id }) => id === start?.id);
    return mails[Math.max(0, Math.min(startIndex, mails.length - maxShown))]?.id;
  });
  const [wanted, setWanted] = useState(0);
  const opened = mails.findIndex(({ id }) => id === opening);
  const first = Math.max(0, (opened === -1 ? mails.length - maxShown : opened) - wanted);
  const anchorMail = useRef<{ id: string; top: number } | null>(null);
  const firstShown = mails[first]?.id;

  // biome-ignore lint/correctness/useExhaustiveDependencies: it restores the position exactly when the first mail changes.
  useLayoutEffect(() => {
    const anchor = anchorMail.current;
    const position = anchor && positionOf(scroller.current, anchor.id);
    if (anchor && position) position.box.scrollTop += position.top - anchor.top;
    anchorMail.current = null;
  }, [firstShown]);

  const showEarlier = () => {
    const position = firstShown === undefined ? null : positionOf(scroller.current, firstShown);
    anchorMail.current = firstShown !== undefined && position ? { id: firstShown, top: position.top } : null;
    setWanted(wanted + maxShown);
    if (first < maxShown && hasMore) loadMore();
  };
  return {
    mails: mails.slice(first),
    /** The label of the button that shows earlier mails; null when there are none. */
    offerLabel: first > 0 ? offerText(first, hasMore) : hasMore ? 'Show earlier mails' : null,
    showEarlier,
  };
}

function offerText(first: number, hasMore: boolean): string {
  const count = formatCount(Math.min(first, maxShown), 'earlier mail');
  return hasMore ? `Show ${count}` : `Show ${count} of ${first.toLocaleString('en')}`;
}

function positionOf(box: HTMLElement | null, mailId: string): { box: HTMLElement; top: number } | null {
  const mail = box?.querySelector(`[data-mail="${CSS.escape(mailId)}"]`);
  return box && mail ? { box, top: mail.getBoundingClientRect().top } : null;
}
