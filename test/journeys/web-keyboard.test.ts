import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../../scripts/sign-in.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilFocused, untilTyping } from '../support/browser/focus.ts';
import { openPalette, runCommand } from '../support/browser/palette.ts';
import { sendMessage } from '../support/browser/send-message.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';

let model: TestModelServer;
let zoo: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  model = await startModelServer({ models: ['zebra'], script: () => ({ text: 'I read before I judge.' }) });
  zoo = await serveTestHub({
    toml: `[providers.scripted]
type = "openai-compatible"
base_url = "${model.url}"

[engine]
model = "scripted/zebra"
`,
  });
  page = await tab.open();
});

afterAll(async () => {
  await tab.close();
  await zoo?.end();
  await model?.close();
});

/** Presses Tab until an element with this name has the focus. */
async function tabTo(name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus').first();
    const found = (await focused.getAttribute('aria-label')) ?? (await focused.innerText());
    seen.push(found.trim());
    if (typeof name === 'string' ? found.trim() === name : name.test(found)) return;
  }
  throw new Error(`Tab does not reach ${name}. It reached: ${seen.join(', ')}`);
}

const command = (words: string, option: string) => runCommand(page, words, option);

const focusedLabel = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
const focusedName = () =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');

it('an agent is created, edited, asked, connected and deleted without the mouse', async () => {
  await page.goto(zoo.server.url);
  await page.getByRole('heading', { name: 'Create your first agent' }).waitFor();

  // The first stop of the page leads past the navigation.
  await page.keyboard.press('Tab');
  expect(await focusedName()).toBe('Skip to content');

  await command('code rev', 'Code reviewer');
  await page.waitForURL(/\/new\?template=code-reviewer/);
  await tabTo('Use Code reviewer');
  await page.keyboard.press('Enter');
  await untilFocused(page.getByRole('dialog').getByLabel('Name'));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Ada');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/a\/ada/);

  // What was opened is listed; where the focus is, one can go on.
  await page.getByRole('navigation', { name: 'Recent' }).getByRole('link', { name: 'Agent: Ada' }).waitFor();
  await page.getByLabel('Description').waitFor();
  await tabTo('Description');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Reads first.');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(async () => (await zoo.hub.agents.get('ada')).agent.description).toBe('Reads first.');

  // "ada" is Ada, not Team.
  await command('chat ada', 'Chat with Ada');
  await page.waitForURL(/\/chat/);
  const message = page.getByRole('textbox', { name: 'Message' });
  await expect.poll(() => message.evaluate((box) => box === document.activeElement)).toBe(true);
  await sendMessage(page, 'What do you do first?');
  await page.getByText('I read before I judge.').waitFor();

  await command('connect ada', 'Connect Ada');
  await page.waitForURL(/\/connect\?agent=ada/);

  await command('all agents', 'All agents');
  await page.getByRole('link', { name: 'Ada', exact: true }).first().waitFor();
  await expect.poll(focusedName).toBe('Agents');
  await page.keyboard.press('j');
  await expect.poll(focusedName).toBe('Ada');
  await tabTo('Actions for Ada');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect.poll(() => zoo.hub.agents.find('ada')).toBeUndefined();
  // Its row is gone: the focus is back at the start of the screen.
  await expect.poll(focusedName).toBe('Agents');
});

describe('in lists', () => {
  beforeAll(async () => {
    for (const name of ['Ant', 'Bee', 'Cat']) {
      await zoo.call('POST', '/api/agents', { body: { name, systemPrompt: 'You count.' } });
    }
  });

  it('shortcuts act after a filter was chosen: j and k move, and ? lists them all', async () => {
    await page.goto(zoo.server.url);
    const sort = page.getByRole('combobox', { name: 'Sort by' });
    await sort.focus();
    await page.keyboard.press('Enter');
    await untilFocused(page.getByRole('listbox'));
    await page.keyboard.press('Home');
    await page.keyboard.type('Na');
    await page.locator('[role="option"][data-highlighted]', { hasText: 'Name' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => sort.evaluate((box) => box === document.activeElement)).toBe(true);
    for (const [key, name] of [
      ['j', 'Ant'],
      ['j', 'Bee'],
      ['j', 'Cat'],
      ['k', 'Bee'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focusedName).toBe(name);
    }
    // A letter does not also choose the option that begins with it.
    await sort.focus();
    await page.keyboard.press('s');
    await page.waitForURL(/\/servers/);
    await page.goBack();
    await expect.poll(() => sort.innerText()).toContain('Name');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    // The focus is on the list, which the arrow keys scroll, and not on the switch.
    await expect.poll(focusedLabel).toBe('Shortcuts');
    const places = await help.getByRole('heading', { level: 3 }).allInnerTexts();
    expect(places).toEqual(expect.arrayContaining(['Everywhere', 'Lists', 'Editor', 'Chat', 'Board']));
    await help.getByRole('region', { name: 'Board' }).getByText('Move the focused task to the next column').waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(focusedLabel).toBe('Use one-letter shortcuts');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('shortcuts that are switched off are not shown', async () => {
    const hints = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('kbd')].map((key) => key.textContent).filter((key) => /^[\w/?]$/.test(key)),
      );
    const open = async (path: string) => {
      await page.goto(zoo.server.url + path);
      await page.getByRole('main').getByRole('heading').first().waitFor();
    };
    await open('/mail');
    await expect.poll(hints).toEqual(['/']);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const action of ['Send the comment', 'Select the agents up to', 'go up', 'Back to the list'])
      await help.getByText(action).first().waitFor();
    await help.getByRole('switch', { name: 'Use one-letter shortcuts' }).click();
    await expect.poll(hints).toEqual([]);
    await help.getByText('Send the comment').waitFor();
    expect(await help.getByRole('region', { name: 'Inbox' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    for (const path of ['/mail', '/servers', '/inbox']) {
      await open(path);
      expect(await hints()).toEqual([]);
    }
    await page.evaluate(() => localStorage.removeItem('zoo.shortcuts'));
  });

  it('the palette finds single settings, actions and old runs', async () => {
    await page.goto(zoo.server.url);
    await page.getByRole('link', { name: 'Ant', exact: true }).first().waitFor();
    await command('decision log', 'Decision log');
    await page.waitForURL(/\/settings\/retention#log\.keep_days/);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('log.keep_days');
    for (const [words, option, dialog] of [
      ['start a r', 'Start a run', 'Start a run'],
      ['add prov', 'Add provider', 'Add provider'],
      ['create ke', 'Create key', 'Create a key'],
    ] as const) {
      await command(words, option);
      await page.getByRole('dialog', { name: dialog }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => new URL(page.url()).search).toBe('');
    }
    await command('compare two ag', 'Compare two agents');
    await page.waitForURL(/\/chat\/compare/);
    const chooser = page.waitForEvent('filechooser');
    await command('import ag', 'Import agents');
    await chooser;
    // The hub searches all runs, not only the newest.
    const asked = page.waitForRequest((request) => /\/api\/runs\?.*text=what/.test(request.url()));
    await openPalette(page);
    await page.keyboard.type('what do you do');
    await asked;
    await page.getByRole('option', { name: /What do you do first\? Run/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('the palette finds members, epics and mail', async () => {
    await zoo.call('POST', '/api/team/members', { body: { id: 'melanie', type: 'WORKER' } });
    const { body: epic } = await zoo.call<{ id: string }>('POST', '/api/epics', { body: { title: 'Winter release' } });
    const mail = { toAgentId: 'melanie', subject: 'Frozen pipes', body: 'Please look at the basement.' };
    expect((await zoo.call('POST', '/api/mail', { body: mail })).status).toBeLessThan(300);
    await page.goto(zoo.server.url);
    await page.getByRole('link', { name: 'Ant', exact: true }).first().waitFor();
    await command('melan', 'melanie');
    await page.waitForURL(/\/team\/members\?member=melanie/);
    await page.getByRole('dialog', { name: 'melanie' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await command('release wint', 'Winter release');
    await page.waitForURL((address) => address.searchParams.get('epic') === epic.id);
    // Also by what was said.
    await command('basement', 'Frozen pipes');
    await page.waitForURL(/\/mail\/[^/]+$/);
    await page.getByRole('heading', { name: 'Frozen pipes' }).waitFor();
  });

  it('the best match in the palette stays chosen when better ones arrive, until an arrow moves the choice', async () => {
    await zoo.call('POST', '/api/team/members', { body: { id: 'yak-keeper', type: 'WORKER' } });
    await zoo.call('POST', '/api/tasks', { body: { title: 'Yak' } });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/api\/tasks\?.*text=yak/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(zoo.server.url);
    await openPalette(page);
    await page.keyboard.type('yak');
    const options = page.getByRole('option');
    const chosen = page.getByRole('option', { selected: true });
    await expect.poll(() => chosen.innerText()).toContain('yak-keeper');
    release();
    await expect.poll(() => options.first().innerText()).toMatch(/^Yak\b.*Task/s);
    await expect.poll(() => chosen.innerText()).toMatch(/^Yak\b.*Task/s);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => options.nth(1).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Escape');
  });

  it('many recent entries do not make the page scroll', async () => {
    await page.setViewportSize({ width: 1440, height: 720 });
    for (const path of ['/a/bee', '/a/ant', '/servers', '/usage']) {
      await page.goto(zoo.server.url + path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
    }
    await page.evaluate(() => {
      const opened = Array.from({ length: 12 }, (_, index) => ({
        kind: 'tool',
        id: `tool-${index}`,
        name: `Tool ${index}`,
      }));
      localStorage.setItem('opened', JSON.stringify(opened));
    });
    await page.reload();
    await page.getByRole('navigation', { name: 'Recent' }).getByRole('link').nth(6).waitFor();
    await page.waitForFunction(() => !document.querySelector('main [aria-busy="true"]'));
    const height = () => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
    const mainHeight = await page.evaluate(() => document.querySelector('main')?.getBoundingClientRect().height ?? 0);
    expect(await height()).toBeLessThanOrEqual(Math.max(0, Math.ceil(mainHeight) - 720));
  });

  it('Esc in the palette returns to where the focus was, and so does an action that stays on the screen', async () => {
    await page.goto(zoo.server.url);
    const card = page.getByRole('link', { name: 'Bee', exact: true }).first();
    const hasFocus = () => card.evaluate((link) => link === document.activeElement);
    await card.focus();
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(hasFocus).toBe(true);
    for (const _ of ['dark', 'light']) {
      await command('toggle th', 'Toggle theme');
      await expect.poll(hasFocus).toBe(true);
    }
    await command('keyboard sh', 'Keyboard shortcuts');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(hasFocus).toBe(true);
  });

  it('j and k move in a dialog, too', async () => {
    await page.goto(`${zoo.server.url}/servers?add=catalogue`);
    const rows = page.getByRole('list', { name: 'Catalogue' }).getByRole('button');
    await rows.first().waitFor();
    await untilTyping(page);
    await rows.first().focus();
    await page.keyboard.press('j');
    await expect.poll(() => rows.nth(1).evaluate((row) => row === document.activeElement)).toBe(true);
    await page.keyboard.press('k');
    await expect.poll(() => rows.first().evaluate((row) => row === document.activeElement)).toBe(true);
  });
});

describe('with an open notice', () => {
  const undo = () => page.getByRole('button', { name: 'Undo' });
  const start = () => page.getByRole('button', { name: 'New task' }).first();
  const hasFocus = (what: Locator) => what.evaluate((element) => element === document.activeElement);

  async function deleteTask(title: string): Promise<void> {
    await zoo.call('POST', '/api/tasks', { body: { title } });
    await page.goto(`${zoo.server.url}/team`);
    await deleteShown(title);
    await undo().waitFor();
  }

  async function deleteShown(title: string): Promise<void> {
    await page.getByRole('link', { name: title, exact: true }).click();
    await page.getByRole('dialog', { name: title }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  it('Tab goes through it and on, as through the rest of the page', async () => {
    await deleteTask('Passed by');
    await start().focus();
    await tabTo('Undo');
    const steps: string[] = [];
    for (const _ of [1, 2]) {
      await page.keyboard.press('Tab');
      steps.push(await focusedName());
    }
    expect(steps).toContain('Skip to content');
    expect(await undo().isVisible()).toBe(true);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(() => hasFocus(undo())).toBe(true);
  });

  it('Alt T goes to it, Escape goes back, and so does the focus when the notice closes', async () => {
    await deleteTask('Brought back');
    await start().focus();
    await page.keyboard.press('Alt+t');
    await expect.poll(() => hasFocus(start())).toBe(false);
    await page.keyboard.press('Escape');
    await expect.poll(() => hasFocus(start())).toBe(true);
    await page.keyboard.press('Alt+t');
    await tabTo('Undo');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Brought back', exact: true }).waitFor();
    await undo().waitFor({ state: 'detached' });
    await expect.poll(() => hasFocus(start())).toBe(true);
  });

  it('it stays while it has the focus, and no longer', async () => {
    // Pages of a context keep its clock.
    const own = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    const shared = page;
    page = await own.open();
    try {
      await signIn(page.context(), { hub: zoo.hub, url: zoo.server.url });
      await page.clock.install();
      await deleteTask('Waited for');
      const isStored = async () => {
        const { body } = await zoo.call<{ tasks: { title: string }[] }>('GET', '/api/tasks?text=Waited');
        return body.tasks.some(({ title }) => title === 'Waited for');
      };
      expect(await isStored()).toBe(true);
      await undo().focus();
      await page.clock.runFor('01:00');
      expect(await undo().isVisible()).toBe(true);
      await start().focus();
      await page.clock.runFor('01:00');
      await undo().waitFor({ state: 'detached' });
      // What waited for the notice is done when it closes by itself.
      await expect.poll(isStored).toBe(false);
      await expect.poll(() => hasFocus(start())).toBe(true);
      // The focus does not hold the others when one of them closes.
      for (const title of ['One', 'Two', 'Three']) {
        await zoo.call('POST', '/api/tasks', { body: { title } });
        await deleteShown(title);
      }
      await expect.poll(() => undo().count()).toBe(3);
      await undo().first().focus();
      await page.keyboard.press('Enter');
      await page.clock.runFor('01:00');
      await undo().first().waitFor({ state: 'detached' });
    } finally {
      page = shared;
      await own.close();
    }
  });
});

it('on a phone, More shows all its entries, and scrolls to them on a low one', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of ['One', 'Two', 'Three', 'Four']) {
    await zoo.call('POST', '/api/agents', { body: { name, systemPrompt: 'You count.' } });
    await page.goto(`${zoo.server.url}/a/${name.toLowerCase()}`);
    await page.getByLabel('Description').waitFor();
  }
  for (const height of [844, 500]) {
    await page.setViewportSize({ width: 390, height });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const menu = page.getByRole('menu');
    const docs = menu.getByRole('menuitem', { name: 'API docs' });
    await docs.waitFor();
    const isWhole = await menu.evaluate((box) => box.scrollHeight <= box.clientHeight);
    expect(isWhole).toBe(height === 844);
    await docs.scrollIntoViewIfNeeded();
    const sides = async (part: Locator) => {
      const box = await part.boundingBox();
      return { top: box?.y ?? 0, bottom: (box?.y ?? 0) + (box?.height ?? 0) };
    };
    const [item, box, bar] = [
      await sides(docs),
      await sides(menu),
      await sides(page.getByRole('button', { name: 'More', exact: true })),
    ];
    expect(box.top).toBeGreaterThanOrEqual(0);
    expect(item.bottom).toBeLessThanOrEqual(box.bottom);
    expect(box.bottom).toBeLessThanOrEqual(bar.top);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
});

it('on a low screen, the navigation scrolls and the footer stays whole', async () => {
  for (const name of ['One', 'Two', 'Three']) {
    await zoo.call('POST', '/api/agents', { body: { name, systemPrompt: 'You count.' } });
    await page.goto(`${zoo.server.url}/a/${name.toLowerCase()}`);
    await page
      .getByRole('navigation', { name: 'Recent' })
      .getByRole('link', { name: `Agent: ${name}` })
      .waitFor();
  }
  await page.setViewportSize({ width: 1440, height: 600 });
  const last = page.getByRole('navigation', { name: 'Recent' }).getByRole('link').last();
  await last.scrollIntoViewIfNeeded();
  const status = page.getByRole('complementary').getByRole('status');
  const topOf = async (what: Locator) => (await what.boundingBox())?.y ?? Number.NaN;
  const bottomOf = async (what: Locator) => {
    const box = await what.boundingBox();
    return box ? box.y + box.height : Number.NaN;
  };
  await expect.poll(async () => (await bottomOf(last)) <= (await topOf(status))).toBe(true);
  await expect.poll(() => bottomOf(status)).toBeLessThanOrEqual(600);
  await expect.poll(() => bottomOf(page.getByRole('link', { name: 'API docs' }))).toBeLessThanOrEqual(600);
});
