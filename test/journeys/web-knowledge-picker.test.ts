import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestTab } from '../support/browser/browser.ts';
import { type RunningZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';

/** From an empty home to an answer that knows a folder. Each test continues the one before. */
const passage = 'Copy the newest snapshot to the standby before you touch the primary.';
let folder: ZooFolder;
let hub: RunningZoo;
let url: string;
let model: TestModelServer;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  model = await startModelServer({ models: ['zebra'], script: () => ({ text: 'Copy the snapshot first.' }) });
  folder = await zooFolder({ isNew: true });
  for (const name of ['papers/runbooks', 'papers/letters', '.hidden'])
    await mkdir(join(folder.dir, name), { recursive: true });
  await writeFile(join(folder.dir, 'papers/runbooks/backups.md'), `# Backups\n\n## Restore\n\n${passage}\n`);
  const toml = `[providers.scripted]\ntype = "openai-compatible"\nbase_url = "${model.url}"\n\n[engine]\nmodel = "scripted/zebra"\n`;
  await writeFile(join(folder.dir, 'zoo.toml'), toml);
  hub = startZoo(['serve', '--bind', '127.0.0.1:0', '--config', 'zoo.toml'], { cwd: folder.dir });
  url = (await hub.says(/http:\/\/127\.0\.0\.1:\d+/))[0];
  page = await tab.open();
});
afterAll(async () => {
  await tab.close();
  await hub?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
  await model.close();
});

test('a folder is picked with the keyboard, and indexed', async () => {
  await page.goto(`${url}/knowledge`);
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
  await page.keyboard.press('Enter');
  await dialog.getByText('No subfolders here.').waitFor();
  expect(await dialog.getByLabel('Folder', { exact: true }).inputValue()).toBe(join(folder.dir, 'papers/runbooks'));
  await page.keyboard.press('ArrowLeft');
  await folders.filter({ hasText: 'runbooks' }).and(page.locator(':focus')).waitFor();
  expect(await dialog.getByLabel('Folder', { exact: true }).inputValue()).toBe(join(folder.dir, 'papers'));
  await page.keyboard.press('Enter');
  await dialog.getByText('No subfolders here.').waitFor();
  expect(await dialog.getByLabel('Name').inputValue()).toBe('runbooks');
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

  await page.goto(`${url}/chat?with=backup-expert`);
  await page.getByRole('heading', { name: 'Talk to Backup expert' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('How do I restore?');
  await page.keyboard.press('Enter');
  await page.getByText('Copy the snapshot first.').first().waitFor();
  expect(JSON.stringify(model.requests.at(-1))).toContain(passage);
  await page.getByRole('button', { name: 'Show context' }).click();
  const shown = page.getByRole('region', { name: 'Passages' }).getByRole('article', { name: 'Backups' });
  await shown.getByText('filesystem:runbooks').waitFor();
});
