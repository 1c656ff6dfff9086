import { expect, it } from 'vitest';
import { untilFocused } from '../support/browser/focus.ts';
import { startAsNewUser } from '../support/browser/new-user.ts';
import { runCommand } from '../support/browser/palette.ts';
import { sendMessage } from '../support/browser/send-message.ts';

it('from an empty home, a model, an agent, a chat and a task are made without the mouse', async () => {
  await using user = await startAsNewUser(() => ({ text: 'Read the tests first.' }));
  const { page } = user;
  const focused = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      const label = activeElement instanceof HTMLInputElement ? activeElement.labels?.[0]?.textContent : undefined;
      return (activeElement?.getAttribute('aria-label') ?? label ?? activeElement?.textContent ?? '').trim();
    });
  const tabTo = async (name: RegExp) => {
    const seen: string[] = [];
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press('Tab');
      seen.push(await focused());
      if (name.test(seen.at(-1) ?? '')) return;
    }
    throw new Error(`Tab does not reach ${name}. It reached: ${seen.join(', ')}`);
  };
  const command = (words: string, option: string) => runCommand(page, words, option);

  await page.getByRole('heading', { name: 'Create your first agent' }).waitFor();
  await command('models', 'Models');
  await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
  await tabTo(/^Add provider$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  // The kinds of providers are one stop; the arrow keys choose.
  const compatible = page.getByRole('radio', { name: 'OpenAI-compatible' });
  await page.getByRole('radio').first().waitFor();
  await untilFocused(page.getByRole('dialog'));
  if (!(await page.evaluate(() => document.activeElement?.getAttribute('type') === 'radio')))
    await page.keyboard.press('Tab');
  for (let presses = 0; presses < 12 && !(await compatible.isChecked()); presses += 1)
    await page.keyboard.press('ArrowDown');
  await tabTo(/^Address/);
  await page.keyboard.type(user.model.url);
  await page.keyboard.press('Enter');
  await page.getByText(/^local lists 1 model/).waitFor();
  await tabTo(/^Make default$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await command('code rev', 'Code reviewer');
  await user.button('Use Code reviewer').waitFor();
  await tabTo(/^Use Code reviewer$/);
  await page.keyboard.press('Enter');
  await untilFocused(page.getByRole('dialog').getByLabel('Name'));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Ada');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/a\/ada/);
  await page.getByRole('tab', { name: 'Prompt' }).waitFor();
  await tabTo(/^Chat$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Talk to Ada' }).waitFor();
  await expect.poll(focused).toMatch(/^Message/);
  await sendMessage(page, 'How do you review?');
  await page.getByText('Read the tests first.').first().waitFor();

  await command('new task', 'New task');
  await page.getByRole('dialog', { name: 'New task' }).waitFor();
  await expect.poll(focused).toBe('Title');
  await page.keyboard.type('Review the parser');
  await page.keyboard.press('Enter');
  const card = page.getByRole('link', { name: 'Review the parser', exact: true });
  await card.waitFor();
  await card.focus();
  await page.keyboard.press('Enter');
  await untilFocused(page.getByRole('dialog', { name: 'Review the parser' }));
  await tabTo(/^Labels$/);
  await page.keyboard.type('parser');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('[data-column="PENDING"]').getByText('parser', { exact: true }).waitFor();
});
