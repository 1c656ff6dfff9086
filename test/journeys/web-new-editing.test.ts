import { expect, it } from 'vitest';
import { startAsNewUser } from '../support/browser/new-user.ts';

it('from an empty home, one agent is edited in two pages, and both versions are kept', async () => {
  await using user = await startAsNewUser();
  const { page } = user;
  await user.createAgent('Otter');
  const other = await page.context().newPage();
  // A page that sleeps hears of no changes.
  await other.route('**/api/events', (route) => route.abort());
  await other.goto(page.url());
  await other.getByRole('tab', { name: 'Prompt' }).waitFor();

  await page.getByRole('tab', { name: /^Rules/ }).click();
  await user.button('Add rule').click();
  await page.keyboard.type('quiet');
  await page.getByLabel('Text', { exact: true }).fill('Say little.');
  await page.getByLabel('Description', { exact: true }).first().fill('Swims first.');
  await user.button('Save').click();
  await page.getByText(/^Saved/).waitFor();

  await other.getByLabel('Description', { exact: true }).first().fill('Dives first.');
  await other.getByRole('button', { name: 'Save', exact: true }).click();
  const question = other.getByRole('dialog', { name: 'This agent was changed elsewhere' });
  await question.getByText('Swims first.').first().waitFor();
  await question.getByText('Dives first.').first().waitFor();
  await question.getByRole('button', { name: 'Save mine as new agent' }).click();
  await other.waitForURL('**/a/otter-**');
  await expect.poll(() => other.getByLabel('Description', { exact: true }).first().inputValue()).toBe('Dives first.');

  // Both are in the gallery, and the history of the first brings back its beginning.
  await user.go('Agents');
  await page.getByRole('article').filter({ hasText: 'Dives first.' }).waitFor();
  await page.getByRole('article').filter({ hasText: 'Swims first.' }).getByRole('link').click();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('button', { name: /v1/ }).click();
  await user.button('Restore this version').click();
  await expect
    .poll(() => page.getByLabel('Description', { exact: true }).first().inputValue())
    .not.toBe('Swims first.');
  await user.button('Undo').last().click();
  await expect.poll(() => page.getByLabel('Description', { exact: true }).first().inputValue()).toBe('Swims first.');
});
