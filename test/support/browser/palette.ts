import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { untilFocused } from './focus.ts';

/** Opens the command palette by keyboard, ready for typing. */
export async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await untilFocused(page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox'));
}

/** Types these words into the command palette and runs the option that they select. */
export async function runCommand(page: Page, words: string, option: string): Promise<void> {
  await openPalette(page);
  await page.keyboard.type(words);
  const chosen = page.getByRole('option', { selected: true });
  await expect.poll(() => chosen.first().innerText()).toContain(option);
  await page.keyboard.press('Enter');
}
