import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentDetail } from '../../src/agents/agents.contract.ts';
import { TestTab } from '../support/browser/browser.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

/** What somebody typed is never lost, from an empty home on. */
let test: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeEach(async () => {
  test = await serveTestHub({ instead: test });
  page = await tab.open();
});

afterEach(async () => {
  await tab.leave();
  await test.end();
});

afterAll(() => tab.close());

const restored = (on: Page) => on.getByText('Restored what you typed');
const agent = async (id: string) => (await test.call<AgentDetail>('GET', `/api/agents/${id}`)).body;

async function openNewAgent(on: Page): Promise<void> {
  await on.goto(test.server.url);
  await on.getByRole('link', { name: 'New agent' }).first().click();
  await on.getByRole('button', { name: 'Use Code reviewer' }).click();
}

/** Ends the process of a page at once: no `pagehide`, no `beforeunload`. */
async function crash(on: Page): Promise<void> {
  const crashed = on.waitForEvent('crash');
  const session = await on.context().newCDPSession(on);
  session.send('Page.crash').catch(() => undefined);
  await crashed;
  await on.close();
}

async function createAgent(name: string): Promise<void> {
  await openNewAgent(page);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByRole('tab', { name: 'Prompt' }).waitFor();
}

describe('drafts', () => {
  it('a half-filled form survives a reload, and a crash of its page', async () => {
    await openNewAgent(page);
    await page.getByLabel('Name', { exact: true }).fill('Half an otter');
    await page.reload();
    await openNewAgent(page);
    await restored(page).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half an otter');

    const crashing = await page.context().newPage();
    await openNewAgent(crashing);
    await crashing.getByLabel('Name', { exact: true }).fill('Half a badger');
    // It is in the storage while the page still lives: a crash has no last words.
    await expect
      .poll(() => page.evaluate(() => Object.values({ ...localStorage }).join('\n')))
      .toContain('Half a badger');
    await crash(crashing);

    const other = await page.context().newPage();
    await openNewAgent(other);
    expect(await other.getByLabel('Name', { exact: true }).inputValue()).toBe('Half a badger');
    await other.getByRole('button', { name: 'Discard', exact: true }).click();
    await expect.poll(() => other.getByLabel('Name', { exact: true }).inputValue()).toBe('Code reviewer');
  });

  it('an edit that the hub could not save survives until the hub is back', async () => {
    await createAgent('Otter');
    await page.context().route('**/*', (route) => route.abort('connectionrefused'));
    await page.getByLabel('Description').fill('Typed while the hub was gone.');
    await page.keyboard.press('Control+s');
    await page.getByText('Cannot reach the hub').first().waitFor();
    const address = page.url();
    // The page is closed without a question: its text is kept.
    await page.goto('about:blank');
    await page.context().unroute('**/*');

    await page.goto(address);
    await restored(page).waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Typed while the hub was gone.');
    await page.keyboard.press('Control+s');
    await expect.poll(async () => (await agent('otter')).description).toBe('Typed while the hub was gone.');
    await restored(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('tab', { name: 'Prompt' }).waitFor();
    expect(await restored(page).count()).toBe(0);
  });

  it('two pages type into the same form, and each finds its own text after a reload', async () => {
    await openNewAgent(page);
    const other = await page.context().newPage();
    await openNewAgent(other);
    await page.getByLabel('Name', { exact: true }).fill('Half an otter');
    await other.getByLabel('Name', { exact: true }).fill('Half a badger');
    for (const [each, text] of [
      [page, 'Half an otter'],
      [other, 'Half a badger'],
    ] as const) {
      await each.reload();
      await openNewAgent(each);
      await restored(each).waitFor();
      expect(await each.getByLabel('Name', { exact: true }).inputValue()).toBe(text);
    }
    // A new page gets the newest text, and discarding it leaves the other page its own.
    const third = await page.context().newPage();
    await openNewAgent(third);
    expect(await third.getByLabel('Name', { exact: true }).inputValue()).toBe('Half a badger');
    await third.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.reload();
    await openNewAgent(page);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half an otter');
  });

  it('two pages edit the same agent, and nothing of either is lost', async () => {
    await createAgent('Otter');
    const address = page.url();
    const other = await page.context().newPage();
    // It gets no live updates, so that it saves over an old version.
    await other.route('**/api/events', (route) => route.abort());
    await other.goto(address);
    await other.getByRole('tab', { name: 'Prompt' }).waitFor();
    await page.getByLabel('Description').fill('From the first page.');
    await page.keyboard.press('Control+s');
    await expect.poll(async () => (await agent('otter')).description).toBe('From the first page.');
    await other.getByLabel('Description').fill('From the second page.');
    await other.keyboard.press('Control+s');
    const dialog = other.getByRole('dialog', { name: 'This agent was changed elsewhere' });
    await dialog.getByText('From the first page.').first().waitFor();
    await dialog.getByText('From the second page.').first().waitFor();

    // Not even a reload in front of the question loses the second version.
    await other.reload();
    await restored(other).waitFor();
    expect(await other.getByLabel('Description').inputValue()).toBe('From the second page.');
    await other.keyboard.press('Control+s');
    await dialog.getByRole('button', { name: 'Save mine as new agent' }).click();
    await expect
      .poll(async () => (await test.hub.agents.list()).map(({ description }) => description).toSorted())
      .toEqual(['From the first page.', 'From the second page.']);
  });
});

describe('drafts of one form in two pages', () => {
  const newTask = (on: Page) => on.getByRole('dialog', { name: 'New task' });
  const title = (on: Page) => newTask(on).getByLabel('Title');
  const openTask = async (on: Page) => {
    await on.goto(`${test.server.url}/team?add=true`);
    await title(on).waitFor();
  };
  const type = async (on: Page, text: string) => {
    await title(on).fill(text);
    await expect
      .poll(() => on.evaluate(() => Object.values({ ...localStorage }).join('\n')))
      .toContain(JSON.stringify(text));
  };

  it.each(['first', 'last'])('what the other page typed %s stays when this page saves', async (when) => {
    const other = await page.context().newPage();
    await openTask(page);
    await openTask(other);
    if (when === 'first') await type(other, 'From the other page');
    await type(page, 'From this page');
    if (when === 'last') await type(other, 'From the other page');
    await newTask(page).getByRole('button', { name: 'Create task' }).click();
    await page.getByText('Created “From this page”').waitFor();
    await expect
      .poll(() => page.evaluate(() => Object.values({ ...localStorage }).join('\n')))
      .toContain('From the other page');
    await crash(other);

    const next = await page.context().newPage();
    await openTask(next);
    await restored(next).waitFor();
    expect(await title(next).inputValue()).toBe('From the other page');
  });

  it('unsaved changes to an agent stay when another page saves the agent', async () => {
    await createAgent('Otter');
    const address = page.url();
    const other = await page.context().newPage();
    await other.goto(address);
    await other.getByRole('tab', { name: 'Prompt' }).waitFor();
    const storedFor = (each: Page) => each.evaluate(() => Object.values({ ...localStorage }).join('\n'));
    await page.getByLabel('Description').fill('Not saved here.');
    await expect.poll(() => storedFor(page)).toContain('Not saved here.');
    const reply = other.waitForResponse((response) => response.request().method() === 'PUT');
    await other.getByRole('textbox', { name: 'Tags, separated by commas' }).fill('river');
    await other.keyboard.press('Control+s');
    await reply;
    expect((await agent('otter')).tags).toEqual(['river']);
    await expect.poll(() => other.getByRole('button', { name: /^Save/ }).isDisabled()).toBe(true);
    // The page that saved removes only its own text. It sees the other page's once that page has stored it again.
    await expect.poll(() => storedFor(other)).toContain('Not saved here.');
    await crash(page);

    const next = await other.context().newPage();
    await next.goto(address);
    await restored(next).waitFor();
    expect(await next.getByLabel('Description').inputValue()).toBe('Not saved here.');
    expect(await next.getByRole('textbox', { name: 'Tags, separated by commas' }).inputValue()).toBe('river');
  });

  it('a form that is closed while it is saved is empty afterwards, so that nothing is sent twice', async () => {
    await openTask(page);
    await title(page).fill('Only once');
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/tasks', async (route) => {
      if (route.request().method() === 'POST') await gate.promise;
      await route.continue();
    });
    await newTask(page).getByRole('button', { name: 'Create task' }).click();
    await page.keyboard.press('Escape');
    await newTask(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New task' }).first().click();
    expect(await title(page).inputValue()).toBe('');
    gate.resolve();
    await page.getByText('Created “Only once”').waitFor();
    await newTask(page).waitFor();
    await page.reload();
    await title(page).waitFor();
    expect(await title(page).inputValue()).toBe('');
  });

  it('a form that is closed while it is saved keeps its text if the hub refuses', async () => {
    await openTask(page);
    await title(page).fill('Not yet');
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/tasks', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await gate.promise;
      return route.abort('connectionrefused');
    });
    await newTask(page).getByRole('button', { name: 'Create task' }).click();
    await page.keyboard.press('Escape');
    gate.resolve();
    await page.getByText('Not saved. Your text is kept').waitFor();
    await page.getByRole('button', { name: 'New task' }).first().click();
    expect(await title(page).inputValue()).toBe('Not yet');
  });

  it('a form says that the browser does not keep its text, and closing the page asks', async () => {
    await openTask(page);
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await title(page).fill('Nowhere to go');
    await newTask(page).getByText('Browser storage is full; this text is not saved.').waitFor();
    const asked = page.waitForEvent('dialog');
    const leaving = page.reload().catch(() => undefined);
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await leaving;
  });
});

describe('what is easily lost', () => {
  it('servers that were pasted, with the names chosen for them, but not their secrets', async () => {
    const add = async () => {
      await page.goto(`${test.server.url}/servers`);
      await page.getByRole('button', { name: 'Add server' }).first().click();
      await page.getByRole('button', { name: 'Paste JSON' }).click();
    };
    await add();
    const server = { command: 'npx', args: ['-y', 'memory'], env: { API_KEY: 'a secret in JSON' } };
    await page.getByLabel('JSON', { exact: true }).fill(JSON.stringify({ mcpServers: { memory: server } }));
    await page.getByLabel('Name of memory').fill('notes');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard the secret?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await page.getByLabel('JSON', { exact: true }).inputValue()).toContain('a secret in JSON');
    await page.reload();
    await add();
    await restored(page).waitFor();
    expect(await page.getByLabel('Name of memory').inputValue()).toBe('notes');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('a secret in JSON');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByLabel('Name of memory').waitFor({ state: 'detached' });
  });

  it('the model that was typed for a chat', async () => {
    await createAgent('Otter');
    const { body } = await test.call<{ id: string }>('POST', '/api/chats', { body: { agentId: 'otter' } });
    const openModel = () => page.getByRole('button', { name: 'Model: default' }).click();
    const model = page.getByRole('dialog', { name: 'Model' }).getByRole('combobox');
    await page.goto(`${test.server.url}/chat/${body.id}`);
    await openModel();
    await model.fill('lab/half-a-na');
    await page.reload();
    await openModel();
    await restored(page).waitFor();
    expect(await model.inputValue()).toBe('lab/half-a-na');
  });

  it('signing out asks if it deletes drafts', async () => {
    await createAgent('Otter');
    await page.getByLabel('Description').fill('Not saved.');
    await page.goto(`${test.server.url}/access`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Sign out and delete what you typed?' });
    await question.getByText('This browser has 1 draft of text that is not saved.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.goto(`${test.server.url}/a/otter`);
    await restored(page).waitFor();
    await page.goto(`${test.server.url}/access`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await question.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'This browser was signed out' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('Not saved.');
  });
});

it('a part of the app that cannot be loaded says so, and nothing reloads by itself', async () => {
  await page.goto(test.server.url);
  await page.getByRole('link', { name: 'New agent' }).first().waitFor();
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await page.route('**/assets/**', (route) => route.abort('connectionreset'));
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' }).click();
  await page.getByText('This screen could not be loaded').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('This screen could not be loaded').waitFor();
  expect(await page.evaluate(() => Reflect.get(window, 'isSamePage'))).toBe(true);
  await page.unroute('**/assets/**');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('No tasks yet').waitFor();
  expect(await page.evaluate(() => Reflect.get(window, 'isSamePage'))).toBeUndefined();
});

describe('shortcuts', () => {
  it('can be switched off, and stay off', async () => {
    await page.goto(test.server.url);
    await page.getByRole('link', { name: 'New agent' }).first().waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByRole('switch', { name: 'Use one-letter shortcuts' }).click();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'New agent' }).first().waitFor();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    // The palette answers to the later key, so the earlier one had its chance.
    await page.getByRole('dialog').first().waitFor();
    expect(await help.count()).toBe(0);
  });
});
