import type { Page } from '@playwright/test';
import { expect } from 'vitest';

/** Returns what is read once it is the same after two more frames: a page scrolls and draws after the event that makes it do so. */
export async function settled<T>(page: Page, read: () => Promise<T>): Promise<T> {
  let last = await read();
  await expect
    .poll(async () => {
      const before = last;
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      last = await read();
      return JSON.stringify(last) === JSON.stringify(before);
    })
    .toBe(true);
  return last;
}
