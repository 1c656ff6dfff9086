import type { Page } from '@playwright/test';

/** Returns one line for every control that sticks out of its card and every active tab that is scrolled out of sight. */
export function findMisplaced(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const nameOf = (element: Element) => (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 60);
    const sides = (element: Element) => element.getBoundingClientRect();
    const isOutside = (inner: DOMRect, outer: DOMRect) => inner.left < outer.left - 1 || inner.right > outer.right + 1;
    /** Whether a part of the card scrolls sideways to the control, or shortens its text with an ellipsis. */
    const isContained = (control: Element, card: Element) => {
      for (let part = control.parentElement; part && card.contains(part); part = part.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(part);
        if (/auto|scroll/.test(overflowX) || textOverflow === 'ellipsis') return true;
      }
      return false;
    };
    const found: string[] = [];
    for (const card of document.querySelectorAll('.rounded-card')) {
      for (const control of card.querySelectorAll('button, a, input, textarea')) {
        if (sides(control).width > 1 && isOutside(sides(control), sides(card)) && !isContained(control, card)) {
          found.push(`sticks out of its card: ${nameOf(control)}`);
        }
      }
    }
    for (const row of document.querySelectorAll('nav.overflow-x-auto, nav .overflow-x-auto, [role=tablist]')) {
      const active = row.querySelector('[role=tab][aria-selected=true], a[aria-current=page]');
      if (active && isOutside(sides(active), sides(row))) found.push(`is active and out of sight: ${nameOf(active)}`);
    }
    return found;
  });
}
