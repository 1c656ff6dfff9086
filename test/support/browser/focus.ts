import type { Locator, Page } from '@playwright/test';
import { expect } from 'vitest';

/** Waits until this, or something in it, has the focus. A dialog takes the focus a moment after it is seen; keys pressed before that go elsewhere. */
export async function untilFocused(target: Locator): Promise<void> {
  await expect.poll(() => target.evaluate((element) => element.contains(document.activeElement))).toBe(true);
}

/** Waits until a field has the focus, after a click on the button that adds or opens it. */
export async function untilTyping(page: Page): Promise<void> {
  await page.locator(':is(input, textarea, [contenteditable="true"]):focus').waitFor();
}
