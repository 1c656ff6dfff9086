import { expect, it } from 'vitest';
import { startAsNewUser } from '../support/browser/new-user.ts';

it('from an empty home, a model is connected, and a run is started, read, repeated and forked', async () => {
  const usage = { usage: { input: 800, output: 200 } };
  await using user = await startAsNewUser([
    // Connecting the model asks it once.
    { text: 'Hello.' },
    { toolCalls: [{ id: 'call_1', name: 'search', arguments: { query: 'outage' } }], ...usage },
    { text: 'The queue is full.', ...usage },
    { text: 'Still full.', ...usage },
    { text: 'Restart the worker.', ...usage },
  ]);
  const { page, button, dialog, go } = user;
  await go('Runs');
  await page.getByText('No runs yet').waitFor();
  await user.addModel();
  await user.createAgent('Ada', 'Incident responder');

  await go('Runs');
  await button('Start a run').first().click();
  await dialog('Start a run').getByRole('combobox', { name: 'Agent' }).fill('ada');
  await page.getByRole('option', { name: /Ada/ }).click();
  await dialog('Start a run').getByRole('textbox', { name: 'Input' }).fill('What is broken?');
  await dialog('Start a run').getByRole('button', { name: 'Start' }).click();
  await page.getByText('The queue is full.').waitFor();
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
  await expect.poll(() => steps.count()).toBe(3);
  await expect.poll(() => steps.first().textContent()).toMatch(/local\/small.*800 in, 200 out/);
  await expect.poll(() => steps.nth(1).textContent()).toContain('search');

  const first = page.url();
  await button('Run again').click();
  await page.getByText('Still full.').waitFor();
  expect(page.url()).not.toBe(first);
  await page.getByRole('button', { name: 'Fork from step 1' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Next message' }).fill('How do I empty it?');
  await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click();
  await page.getByText('Restart the worker.').waitFor();
  await go('Runs');
  await expect.poll(() => page.locator('[data-run]').count()).toBe(3);
});
