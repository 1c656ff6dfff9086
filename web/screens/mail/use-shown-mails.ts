import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Mail } from '../../../src/team/mail/mail.ts';
import { formatCount } from '../../ui/format-count.ts';

/** Longer threads open at their end. */
const maxShown = 30;

export interface ShownMailsOptions {
  mails: readonly Mail[];
  /** Where reading begins. */
  start: Mail | undefined;
  scroller: RefObject<HTMLElement | null>;
  hasMore: boolean;
  loadMore: () => void;
}

/** The end of a thread, and more of what came before it by and by; what one reads stays in its place meanwhile. */
export function useShownMails({ mails, start, scroller, hasMore, loadMore }: ShownMailsOptions) {
  // By its id: earlier mails come in above it, later ones below.
  const [opening] = useState(() => {
    const startIndex = mails.findIndex(({ id }) => id === start?.id);
    return mails[Math.max(0, Math.min(startIndex, mails.length - maxShown))]?.id;
  });
  const [wanted, setWanted] = useState(0);
  const opened = mails.findIndex(({ id }) => id === opening);
  const first = Math.max(0, (opened === -1 ? mails.length - maxShown : opened) - wanted);
  const heldMail = useRef<{ id: string; top: number } | null>(null);
  const firstShown = mails[first]?.id;

  // biome-ignore lint/correctness/useExhaustiveDependencies: it holds the place exactly when another mail became the first.
  useLayoutEffect(() => {
    const held = heldMail.current;
    const place = held && placeOf(scroller.current, held.id);
    if (held && place) place.box.scrollTop += place.top - held.top;
    heldMail.current = null;
  }, [firstShown]);

  const showEarlier = () => {
    const place = firstShown === undefined ? null : placeOf(scroller.current, firstShown);
    heldMail.current = firstShown !== undefined && place ? { id: firstShown, top: place.top } : null;
    setWanted(wanted + maxShown);
    if (first < maxShown && hasMore) loadMore();
  };
  return {
    mails: mails.slice(first),
    /** What a button that shows earlier ones says; null when there are none. */
    offer: first > 0 ? offerOf(first, hasMore) : hasMore ? 'Show earlier mails' : null,
    showEarlier,
  };
}

function offerOf(first: number, hasMore: boolean): string {
  const count = formatCount(Math.min(first, maxShown), 'earlier mail');
  return hasMore ? `Show ${count}` : `Show ${count} of ${first.toLocaleString('en')}`;
}

function placeOf(box: HTMLElement | null, mailId: string): { box: HTMLElement; top: number } | null {
  const mail = box?.querySelector(`[data-mail="${CSS.escape(mailId)}"]`);
  return box && mail ? { box, top: mail.getBoundingClientRect().top } : null;
}
