import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type NewUser, startAsNewUser } from '../support/browser/new-user.ts';
import { runCommand } from '../support/browser/palette.ts';
import { skipAfterFailure } from '../support/chain.ts';

/** Each test continues the one before. */
let user: NewUser;

skipAfterFailure();

beforeAll(async () => {
  user = await startAsNewUser();
  await user.createAgent('Otter');
});
afterAll(async () => {
  await user?.[Symbol.asyncDispose]();
});
// Nothing of what an earlier page offered is left.
beforeEach(async () => {
  await user.page.goto(user.url);
});

const form = () => user.dialog('New blank agent');
const nameField = () => form().getByLabel('Name', { exact: true });
const idField = () => form().getByLabel('ID', { exact: true });

async function deleteAgent(name: string): Promise<void> {
  await user.button(`Actions for ${name}`).click();
  await user.page.getByRole('menuitem', { name: 'Delete' }).click();
  await user.page.getByText(`“${name}” deleted`).waitFor();
  await user.page.reload();
}

it('the gallery leads to the deleted agents, and each can be restored', async () => {
  const { page } = user;
  await deleteAgent('Otter');
  await page.getByRole('link', { name: '1 deleted agent' }).click();
  await page
    .getByRole('list', { name: 'Deleted agents' })
    .getByText(/^Deleted/)
    .waitFor();
  await user.button('Restore Otter').click();
  await page.getByText('“Otter” restored').waitFor();
  await page.getByText('No deleted agents').waitFor();
  await user.button('Open').click();
  await page.waitForURL('**/a/otter');
  await page.getByRole('tab', { name: 'Prompt' }).waitFor();
});

it('the menu of the gallery and the command palette lead to the deleted agents, too', async () => {
  const { page } = user;
  await user.button('More actions').click();
  await page.getByRole('menuitem', { name: 'Deleted agents' }).click();
  await page.getByRole('heading', { name: 'Deleted agents', level: 1 }).waitFor();
  await user.go('Agents');
  await runCommand(page, 'undelete', 'Deleted agents');
  await page.waitForURL('**/deleted-agents');
});

it('an agent that is named like a deleted one starts fresh, and the dialog says so before', async () => {
  const { page } = user;
  await deleteAgent('Otter');
  await page.goto(`${user.url}/new`);
  await user.button('Start blank').click();
  await nameField().fill('Otter');
  await form().getByText('“Otter” (otter) was deleted').waitFor();
  await expect.poll(() => idField().inputValue()).toBe('otter-2');
  // The id of the deleted agent cannot be typed either.
  await idField().fill('otter');
  await page.getByText('The ID “otter” belongs to a deleted agent. Restore it, or choose another ID.').waitFor();
  await user.button('Start fresh').click();
  await expect.poll(() => idField().inputValue()).toBe('otter-2');
  await user.button('Create agent').click();
  await page.waitForURL('**/a/otter-2');
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('button', { name: /v1/ }).waitFor();
  expect(await page.getByRole('button', { name: /v2/ }).count()).toBe(0);
});

it('the dialog for a new agent restores the deleted one instead', async () => {
  const { page } = user;
  await page.goto(`${user.url}/new`);
  await user.button('Start blank').click();
  await nameField().fill('Otter');
  await user.button('Restore the deleted agent').click();
  await page.waitForURL('**/a/otter');
  // It is the agent from the template, with its history.
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('button', { name: /v3/ }).waitFor();
  // What was typed into the dialog is not offered again.
  await page.goto(`${user.url}/new`);
  await user.button('Start blank').click();
  await nameField().waitFor();
  expect(await nameField().inputValue()).toBe('');
});
