import { expect, it } from 'vitest';
import { untilTyping } from '../support/browser/focus.ts';
import { startAsNewUser } from '../support/browser/new-user.ts';
import { connectV1 } from '../support/clients/mcp-clients.ts';

it('from an empty home, an agent becomes a tool that is tested in the app and called by a client', async () => {
  await using user = await startAsNewUser(() => ({ text: 'Take the night train.' }));
  const { page } = user;
  await user.addModel();
  await user.createAgent('Traveller');
  await page.getByRole('tab', { name: 'Offered tools' }).click();
  await user.button('Switch to Tools mode').click();
  await user.button('Add tool').click();
  await untilTyping(page);
  await page.keyboard.type('plan_trip');
  await user.button('Add parameter').click();
  await untilTyping(page);
  await page.keyboard.type('city');
  await page.getByRole('textbox', { name: 'Prompt template' }).click();
  await page.keyboard.insertText('How do I get to {city}?');
  await user.button('Test plan_trip').click();
  const sheet = user.dialog('Test plan_trip');
  await sheet.getByRole('textbox', { name: 'city' }).fill('Oslo');
  await sheet.getByRole('button', { name: 'Save and test' }).click();
  await page.getByRole('article', { name: 'Your message' }).getByText('How do I get to Oslo?').waitFor();
  await page.getByText('Take the night train.').first().waitFor();

  // The test is a chat like any other: deleted by mistake, it comes back.
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Actions for / })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('Take the night train.').first().waitFor({ state: 'detached' });
  await user.button('Undo').click();
  await page.goBack();
  await page.getByText('Take the night train.').first().waitFor();

  await user.go('Agents');
  await page.getByRole('main').getByRole('link', { name: 'Traveller', exact: true }).click();
  await page.getByRole('tab', { name: 'Offered tools' }).click();
  const addresses = page.getByRole('region', { name: 'Addresses' });
  const url = await addresses
    .getByText(/^http.*\/mcp$/)
    .first()
    .innerText();
  await addresses.getByRole('link', { name: 'Create a key' }).click();
  await user.button('Create key').click();
  const form = user.dialog('Create a key');
  await form.getByLabel('Name').fill('Travel desk');
  await form.getByRole('button', { name: 'Create key' }).click();
  const shown = user.dialog('The key of Travel desk');
  const token = await shown.getByLabel('Key', { exact: true }).inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();
  const client = await connectV1({ url, token });
  try {
    expect(await client.toolNames()).toContain('plan_trip');
    const { content } = await client.call('plan_trip', { city: 'Rome' });
    expect(content).toEqual([{ type: 'text', text: 'Take the night train.' }]);
  } finally {
    await client.close();
  }
});
