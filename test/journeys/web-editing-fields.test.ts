import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DemoHub, startDemoHub } from '../../scripts/demo-hub.ts';
import { TestTab } from '../support/browser/browser.ts';
import { openPalette } from '../support/browser/palette.ts';

let demo: DemoHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 } });

beforeAll(async () => {
  demo = await startDemoHub();
});

afterAll(async () => {
  await tab.close();
  await demo?.close();
});

beforeEach(async () => {
  page = await tab.open();
});

afterEach(() => tab.leave());

async function agent(id: string) {
  return (await demo.hub.agents.get(id)).agent;
}

async function open(path: string, on: Page = page): Promise<void> {
  await on.goto(demo.url + path);
}

const save = (on: Page = page) => on.keyboard.press('ControlOrMeta+s');
/** Draws what the last key changed. An error that is not held back is there then. */
const settled = () =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
const empty = () => page.getByText('Must not be empty.');

describe('an error', () => {
  it.each([
    ['Add search', 'knowledge', 'Search for'],
    ['Add file or page', 'context', 'File or address'],
  ])('waits after %s until the field was left', async (button, tabName, field) => {
    await open(`/a/architect?tab=${tabName}`);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    const input = page.getByLabel(field, { exact: true });
    await expect.poll(() => input.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.type('x');
    await page.keyboard.press('Backspace');
    await settled();
    expect(await empty().count()).toBe(0);
    expect(await page.getByLabel('has problems').count()).toBe(0);
    await page.keyboard.press('Tab');
    await empty().waitFor();
    await page.getByRole('tab', { selected: true }).getByLabel('has problems').waitFor();
    // Once it was shown, it goes as soon as it is corrected.
    await input.fill('standards');
    await expect.poll(() => empty().count()).toBe(0);
  });

  it('of the name waits until the field was left', async () => {
    await open('/a/architect');
    await page.getByLabel('Name', { exact: true }).fill('');
    await settled();
    expect(await page.getByText('Name: Must not be empty.').count()).toBe(0);
    await page.keyboard.press('Tab');
    await page.getByText('Name: Must not be empty.').waitFor();
  });

  it('of a parameter of an offered tool waits until the field was left', async () => {
    await open('/a/architect?tab=offered-tools');
    await page.getByRole('button', { name: 'Add tool' }).click();
    await page.getByRole('button', { name: 'Add parameter' }).click();
    await page.getByLabel('Name of parameter1').fill('');
    await settled();
    expect(await page.getByText('Enter a name.').count()).toBe(0);
    await page.keyboard.press('Tab');
    await page.getByText('Enter a name.').waitFor();
  });

  it('is shown at once when saving is refused', async () => {
    await open('/a/architect?tab=knowledge');
    await page.getByRole('button', { name: 'Add search' }).first().click();
    await settled();
    expect(await empty().count()).toBe(0);
    await save();
    await page.getByText('Not saved: One field needs attention').waitFor();
    await empty().first().waitFor();
  });
});

/** The tabs that are not completely in sight. */
function hiddenTabs(): Promise<string[]> {
  return page.getByRole('tablist', { name: 'Agent' }).evaluate((list) => {
    const seen = list.getBoundingClientRect();
    const isHidden = (tab: Element) => {
      const { left, right, top, bottom } = tab.getBoundingClientRect();
      return left < seen.left || right > seen.right + 0.5 || top < seen.top || bottom > seen.bottom + 0.5;
    };
    return [...list.querySelectorAll('[role=tab]')].filter(isHidden).map((tab) => tab.textContent ?? '');
  });
}

describe('the tabs of the editor', () => {
  it.each([820, 1440])('are all in sight at a width of %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await open('/a/code-reviewer?tab=history');
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    // Counts make the tabs wider.
    for (const [name, button] of [
      ['Rules', 'Add rule'],
      ['Arguments', 'Add argument'],
      ['Knowledge', 'Add search'],
    ] as const) {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('button', { name: button }).first().click();
    }
    await page.getByRole('tab', { name: 'Knowledge 1' }).waitFor();
    expect(await hiddenTabs()).toEqual([]);
  });

  it('scroll to the active one on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/a/code-reviewer?tab=history');
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    await expect.poll(hiddenTabs).not.toContain('History');
    await page.getByRole('tab', { name: 'Brain' }).click();
    await expect.poll(hiddenTabs).not.toContain('Brain');
  });
});

describe('from the editor of an agent', () => {
  it.each(['shortcut', 'palette'])('a new chat by the %s is with this agent', async (way) => {
    await open('/a/architect?tab=history');
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    if (way === 'shortcut') await page.keyboard.press('c');
    else await choose('New chat');
    await page.waitForURL('**/chat?with=architect');
  });

  it('a run is started with this agent', async () => {
    await open('/a/architect?tab=history');
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    await choose('Start a run');
    const agentField = page.getByRole('dialog', { name: 'Start a run' }).getByRole('combobox', { name: 'Agent' });
    await expect.poll(() => agentField.inputValue()).toBe('Architect');
  });

  async function choose(action: string): Promise<void> {
    await openPalette(page);
    await page.keyboard.type(action);
    await page.getByRole('option', { name: action }).first().click();
  }
});

describe('two writers', () => {
  it('changes to different things are combined, and the writer chooses only where both changed the same', async () => {
    const other = await page.context().newPage();
    await open('/a/security-auditor?tab=skills');
    await other.route('**/api/events', (route) => route.abort());
    await open('/a/security-auditor?tab=prompt', other);
    const [one, two] = (await agent('security-auditor')).skills;
    await page.getByRole('switch', { name: `Enable ${one?.name}` }).click();
    await page.getByLabel('Version', { exact: true }).fill('2.0.0');
    await page.getByLabel('Description').fill('Theirs.');
    await save();
    await expect.poll(async () => (await agent('security-auditor')).description).toBe('Theirs.');
    const { revision } = await demo.hub.agents.get('security-auditor');

    await other.locator('.cm-content').click();
    await other.keyboard.press('ControlOrMeta+a');
    await other.keyboard.type('Mine.');
    await other.getByLabel('Description').fill('Mine, too.');
    await other.getByRole('tab', { name: /^Skills/ }).click();
    await other.getByRole('switch', { name: `Enable ${two?.name}` }).click();
    await save(other);
    const dialog = other.getByRole('dialog', { name: 'This agent was changed elsewhere' });
    await dialog.getByRole('button', { name: 'Keep theirs' }).click();
    expect(await dialog.getByRole('group', { name: /^Keep for/ }).count()).toBe(1);
    await dialog.getByRole('button', { name: 'Your changes' }).click();
    await dialog.getByText('System prompt').waitFor();
    await dialog.getByRole('button', { name: 'Save combined version' }).click();
    await other.getByText('Combined version saved').waitFor();
    const saved = await demo.hub.agents.get('security-auditor');
    expect(saved.revision).toBe((revision ?? 0) + 1);
    expect(saved.agent).toMatchObject({ description: 'Theirs.', version: '2.0.0', systemPrompt: 'Mine.' });
    expect(saved.agent.skills.slice(0, 2).map(({ enabled }) => enabled)).toEqual([false, false]);
    // The editor shows what was saved, and the next change is saved on top of it.
    await expect.poll(() => other.getByLabel('Description').inputValue()).toBe('Theirs.');
    await other.getByLabel('Version', { exact: true }).fill('3.0.0');
    await save(other);
    await expect.poll(async () => (await agent('security-auditor')).version).toBe('3.0.0');
  });
});
