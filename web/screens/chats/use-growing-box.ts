import { type RefObject, useLayoutEffect } from 'react';

/** Grows a text box with its text where the browser does not: some do not know `field-sizing`. Its `max-height` is the limit. */
export function useGrowingBox(box: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box has a new height when its text changes.
  useLayoutEffect(() => {
    const { current } = box;
    if (!current || getComputedStyle(current).getPropertyValue('field-sizing') === 'content') return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [box, text]);
}
