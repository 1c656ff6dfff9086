import type { Page } from '@playwright/test';

/** Sends a message in the open chat by keyboard, as soon as possible: Enter does nothing while agents load or an answer is in progress. */
export async function sendMessage(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).and(page.locator(':enabled')).waitFor();
  await box.press('Enter');
}
