import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NewUser, startAsNewUser } from '../support/browser/new-user.ts';
import { sendMessage } from '../support/browser/send-message.ts';
import { skipAfterFailure } from '../support/chain.ts';

/** From an empty home to an answer that knows a folder. Each test continues the one before. */
const passage = 'Copy the newest snapshot to the standby before you touch the primary.';
let user: NewUser;
let page: Page;

skipAfterFailure();

beforeAll(async () => {
  user = await startAsNewUser(() => ({ text: 'Copy the snapshot first.' }));
  for (const name of ['papers/runbooks', 'papers/letters', '.hidden'])
    await mkdir(join(user.dir, name), { recursive: true });
  await writeFile(join(user.dir, 'papers/runbooks/backups.md'), `# Backups\n\n## Restore\n\n${passage}\n`);
  page = user.page;
});
afterAll(() => user?.[Symbol.asyncDispose]());

test('a model is added', () => user.addModel());

test('a folder is picked with the keyboard, and indexed', async () => {
  await user.go('Knowledge');
  await page.getByRole('button', { name: 'Add folder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add folder' });
  await dialog.getByRole('button', { name: 'Browse' }).press('Enter');
  const folders = dialog.getByRole('list', { name: 'Folders' }).getByRole('button');
  await folders.filter({ hasText: 'papers' }).waitFor();
  expect(await folders.filter({ hasText: 'hidden' }).count()).toBe(0);
  await folders.filter({ hasText: 'papers' }).focus();
  await page.keyboard.press('ArrowRight');
  await folders.filter({ hasText: 'letters' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('ArrowDown');
  await folders.filter({ hasText: 'runbooks' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByText('No subfolders here.').waitFor();
  await expect
    .poll(() => dialog.getByLabel('Folder', { exact: true }).inputValue())
    .toBe(join(user.dir, 'papers/runbooks'));
  await page.keyboard.press('ArrowLeft');
  await folders.filter({ hasText: 'runbooks' }).and(page.locator(':focus')).waitFor();
  await expect.poll(() => dialog.getByLabel('Folder', { exact: true }).inputValue()).toBe(join(user.dir, 'papers'));
  await page.keyboard.press('Enter');
  await dialog.getByText('No subfolders here.').waitFor();
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('runbooks');
  await dialog.getByRole('button', { name: 'Add and sync' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const card = page.getByRole('listitem', { name: 'runbooks' });
  await card.and(page.locator('[data-state="ready"]')).waitFor();
  await card.getByText('1 document').waitFor();
});

test('it is searched, primes an agent, and its passage is part of a chat', async () => {
  await page.getByRole('searchbox', { name: 'Search the knowledge base' }).fill('newest snapshot');
  const first = page.getByRole('list', { name: 'Results' }).getByRole('listitem').first();
  await first.getByRole('link', { name: /^Backups/ }).click();
  await page.getByRole('button', { name: 'Create agent from this' }).click();
  await page.getByLabel('Name').fill('Backup expert');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/a/backup-expert?tab=knowledge');
  await page.getByTestId('primed-section').getByText(passage).waitFor();

  await page.getByRole('main').getByRole('link', { name: 'Chat', exact: true }).click();
  await page.getByRole('heading', { name: 'Talk to Backup expert' }).waitFor();
  await sendMessage(page, 'How do I restore?');
  await page.getByText('Copy the snapshot first.').first().waitFor();
  expect(JSON.stringify(user.model.requests.at(-1))).toContain(passage);
  await page.getByRole('button', { name: 'Show context' }).click();
  const shown = page.getByRole('region', { name: 'Passages' }).getByRole('article', { name: 'Backups' });
  await shown.getByText('runbooks', { exact: true }).waitFor();
});
