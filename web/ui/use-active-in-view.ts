import { type RefObject, useEffect } from 'react';

/** The classes of a row of tabs that scrolls sideways: it fades out where more tabs follow. */
export const fadingRow =
  'overflow-x-auto [--after:black] [--before:black] [mask-image:linear-gradient(to_right,var(--before),black_1.5rem_calc(100%-1.5rem),var(--after))] [scrollbar-width:none] data-after:[--after:transparent] data-before:[--before:transparent]';

/** The classes of a wide table that scrolls sideways below a first column that stays: it fades out where more columns follow. */
export const fadingEnd =
  'overflow-x-auto [--after:black] [mask-image:linear-gradient(to_right,black_calc(100%-2.5rem),var(--after))] data-after:[--after:transparent]';

/** How much of the next tab, or of the button beside this one, stays in sight, beyond the fading edge of 24 pixels. */
const margin = 40;
/** The empty space beside a tab's text, in pixels. */
const padding = 8;

/**
 * Scrolls a row sideways to its active tab whenever `changed` or the size of the row changes, and marks the sides on which more tabs
 * are out of sight. It also follows the sizes of the tabs, until the user scrolls.
 */
export function useActiveInView(row: RefObject<HTMLElement | null>, changed: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active tab depends on it.
  useEffect(() => {
    const element = row.current;
    if (!element) return;
    let scrolledTo = element.scrollLeft;
    let hasUserScrolled = false;
    const mark = () => {
      element.toggleAttribute('data-before', element.scrollLeft > padding);
      element.toggleAttribute('data-after', element.scrollLeft + element.clientWidth < element.scrollWidth - padding);
    };
    const show = () => {
      const active = element.querySelector('[aria-current=page], [role=tab][aria-selected=true]');
      if (active) {
        const seen = element.getBoundingClientRect();
        const { left, right } = active.getBoundingClientRect();
        if (left < seen.left + margin) element.scrollLeft += left - seen.left - margin;
        else if (right > seen.right - margin) element.scrollLeft += right - seen.right + margin;
      }
      scrolledTo = element.scrollLeft;
      mark();
    };
    const onScroll = () => {
      hasUserScrolled ||= element.scrollLeft !== scrolledTo;
      mark();
    };
    const observer = new ResizeObserver((entries) => {
      if (hasUserScrolled && entries.every(({ target }) => target !== element)) mark();
      else show();
    });
    observer.observe(element);
    for (const tab of element.children) observer.observe(tab);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [row, changed]);
}
