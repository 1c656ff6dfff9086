import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentListBody } from '../../src/agents/agents.contract.ts';
import type { AgentExport } from '../../src/agents/transfer-agents.ts';
import { TestTab } from '../support/browser/browser.ts';
import { skipAfterFailure } from '../support/chain.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

/** Each test continues the one before. */
let zoo: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', acceptDownloads: true });

skipAfterFailure();

beforeAll(async () => {
  zoo = await serveTestHub({ toml: '[agents.heron]\nname = "Heron"\ntags = ["birds"]\nsystem_prompt = "You wade."\n' });
  for (const name of ['Otter', 'Badger', 'Lynx', 'Owl']) {
    await zoo.call('POST', '/api/agents', { body: { name, tags: name === 'Owl' ? ['birds', 'night'] : [] } });
  }
  page = await tab.open();
  await page.goto(`${zoo.server.url}/?sort=name`);
});

afterAll(async () => {
  await tab.close();
  await zoo?.end();
});

const shownNames = () => page.getByRole('article').getByRole('heading').allInnerTexts();
const select = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
const bar = () => page.getByRole('region', { name: 'Selected agents' });
const storedTags = async () => {
  const { body } = await zoo.call<AgentListBody>('GET', '/api/agents');
  return Object.fromEntries(body.agents.map(({ name, tags }) => [name, tags]));
};

it('a tag in the editor is a filter in the gallery', async () => {
  await page.getByRole('link', { name: 'Otter' }).click();
  await page.getByRole('textbox', { name: 'Tags, separated by commas' }).fill('river, night');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(async () => (await storedTags()).Otter).toEqual(['river', 'night']);
  await page.goto(`${zoo.server.url}/?sort=name`);
  await page.getByRole('combobox', { name: 'Tag' }).click();
  await page.getByRole('option', { name: 'night (2)' }).click();
  await expect.poll(shownNames).toEqual(['Otter', 'Owl']);
  await page.reload();
  await expect.poll(shownNames).toEqual(['Otter', 'Owl']);
  await page.getByRole('combobox', { name: 'Tag' }).click();
  await page.getByRole('option', { name: 'All tags' }).click();
  await expect.poll(shownNames).toEqual(['Badger', 'Heron', 'Lynx', 'Otter', 'Owl']);
});

it('favourites come first, also after a reload, and can be shown alone', async () => {
  await page.getByRole('button', { name: 'Add Owl to favourites' }).click();
  await expect.poll(shownNames).toEqual(['Owl', 'Badger', 'Heron', 'Lynx', 'Otter']);
  await page.reload();
  await expect.poll(shownNames).toEqual(['Owl', 'Badger', 'Heron', 'Lynx', 'Otter']);
  await page.getByRole('button', { name: 'Favourites', exact: true }).click();
  await expect.poll(shownNames).toEqual(['Owl']);
  await page.getByRole('button', { name: 'Favourites', exact: true }).click();
});

it('folders show where agents come from, and fold', async () => {
  await page.getByRole('combobox', { name: 'Group by' }).click();
  await page.getByRole('option', { name: 'Grouped by source' }).click();
  await expect.poll(shownNames).toEqual(['Owl', 'Badger', 'Lynx', 'Otter', 'Heron']);
  // A range follows what is shown: Heron comes last here, and is third by name.
  await select('Badger').click();
  await select('Otter').click({ modifiers: ['Shift'] });
  await bar().getByText('3 selected', { exact: true }).waitFor();
  expect(await select('Heron').isChecked()).toBe(false);
  await bar().getByRole('button', { name: 'Clear the selection' }).click();
  await select('Owl').click();
  await page.getByRole('button', { name: 'Made in the app 4' }).click();
  await expect.poll(shownNames).toEqual(['Heron']);
  // What is folded away is not selected either.
  await bar().waitFor({ state: 'detached' });
  await select('Heron').click();
  await bar().getByRole('button', { name: 'Select all' }).click();
  await bar().getByText('1 selected · 1 from files, read-only').waitFor();
  await bar().getByRole('button', { name: 'Clear the selection' }).click();
  await page.getByRole('button', { name: 'Made in the app 4' }).click();
  await page.getByRole('combobox', { name: 'Group by' }).click();
  await page.getByRole('option', { name: 'No groups' }).click();
});

it('several agents are tagged at once, and undo restores their tags', async () => {
  await select('Badger').click();
  await select('Otter').click({ modifiers: ['Shift'] });
  await bar().getByText('4 selected · 1 from files, read-only').waitFor();
  await bar().getByRole('button', { name: 'Tag…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tag 3 agents' });
  await dialog.getByRole('combobox', { name: 'Tag' }).fill('river');
  await dialog.getByRole('button', { name: 'Add tag' }).click();
  await page.getByText('Tag “river” added to 2 agents').waitFor();
  expect(await storedTags()).toMatchObject({ Badger: ['river'], Lynx: ['river'], Otter: ['river', 'night'] });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Tags of 2 agents restored').waitFor();
  expect(await storedTags()).toMatchObject({ Badger: [], Lynx: [], Otter: ['river', 'night'], Heron: ['birds'] });
});

it('tags that were added elsewhere meanwhile survive a tag action and its undo', async () => {
  const tagElsewhere = (id: string, tags: string[]) => zoo.call('PATCH', `/api/agents/${id}`, { body: { tags } });
  // Just before the tab saves.
  let isTagged = false;
  await page.route('**/api/agents/badger', async (route) => {
    if (route.request().method() === 'PATCH' && !isTagged) {
      isTagged = true;
      await tagElsewhere('badger', ['set']);
    }
    await route.continue();
  });
  await bar().getByRole('button', { name: 'Tag…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tag 3 agents' });
  await dialog.getByRole('combobox', { name: 'Tag' }).fill('forest');
  await dialog.getByRole('button', { name: 'Add tag' }).click();
  await page.getByText('Tag “forest” added to 3 agents').waitFor();
  expect(await storedTags()).toMatchObject({ Badger: ['set', 'forest'], Lynx: ['forest'] });
  await page.unroute('**/api/agents/badger');
  await tagElsewhere('lynx', ['forest', 'shy']);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('Tags of 3 agents restored').waitFor();
  expect(await storedTags()).toMatchObject({ Badger: ['set'], Lynx: ['shy'], Otter: ['river', 'night'] });
  // A tag that comes back returns to its place.
  await bar().getByRole('button', { name: 'Tag…' }).click();
  await dialog.getByRole('button', { name: 'Remove a tag' }).click();
  await dialog.getByRole('combobox', { name: 'Tag' }).fill('river');
  await dialog.getByRole('button', { name: 'Remove tag' }).click();
  await page.getByText('Tag “river” removed from “Otter”').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('Tags of “Otter” restored').waitFor();
  expect(await storedTags()).toMatchObject({ Otter: ['river', 'night'] });
});

it('the selected agents are exported as one file', async () => {
  const download = page.waitForEvent('download');
  await bar().getByRole('button', { name: 'Export' }).click();
  const file = JSON.parse(readFileSync(await (await download).path(), 'utf8')) as AgentExport;
  expect(file.agents).toHaveLength(4);
  expect(file.agents).toContainEqual(expect.objectContaining({ id: 'otter', tags: ['river', 'night'] }));
  await bar().getByRole('button', { name: 'Clear the selection' }).click();
  await bar().waitFor({ state: 'detached' });
});

it('several agents are deleted with the keyboard, the focus stays in the gallery, and undo brings them back', async () => {
  await page.getByRole('link', { name: 'Lynx' }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await bar().getByText('2 selected').waitFor();
  await bar().getByRole('button', { name: 'Delete' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('2 agents deleted').waitFor();
  await expect.poll(shownNames).toEqual(['Owl', 'Badger', 'Heron']);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Heron');
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('2 agents restored', { exact: true }).waitFor();
  await expect.poll(shownNames).toEqual(['Owl', 'Badger', 'Heron', 'Lynx', 'Otter']);
});

it('the favourites that are counted are those that exist, and a tag that was typed is kept', async () => {
  await page.getByRole('button', { name: 'Actions for Owl' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Favourites', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByRole('button', { name: 'Favourites', exact: true }).waitFor();

  await select('Lynx').click();
  await bar().getByRole('button', { name: 'Tag…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tag 1 agent' });
  await dialog.getByRole('combobox', { name: 'Tag' }).fill('half a ta');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await bar().getByRole('button', { name: 'Tag…' }).click();
  expect(await dialog.getByRole('combobox', { name: 'Tag' }).inputValue()).toBe('half a ta');
  await page.keyboard.press('Escape');
});

it('many agents are deleted at once, with progress and one undo', async () => {
  for (let number = 10; number < 40; number += 1)
    await zoo.call('POST', '/api/agents', { body: { name: `Ant ${number}` } });
  await page.goto(`${zoo.server.url}/?sort=name&q=ant`);
  await select('Ant 10').click();
  await bar().getByRole('button', { name: 'Select all' }).click();
  await bar().getByText('30 selected').waitFor();
  const gate = Promise.withResolvers<void>();
  await page.route('**/api/agents/ant-2*', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await bar().getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 8 of 30 agents…').waitFor();
  gate.resolve();
  await page.getByText('30 agents deleted').waitFor();
  await expect.poll(() => page.getByText('of 30 agents…').count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('30 agents restored').waitFor();
  await expect.poll(async () => (await shownNames()).length).toBe(30);
});

it('on a phone, what was opened recently is in the menu', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${zoo.server.url}/a/heron`);
  await page.getByRole('tab', { name: 'Prompt' }).waitFor();
  await page.goto(zoo.server.url);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'More' }).click();
  const recent = page.getByRole('group', { name: 'Recent' });
  await recent.getByRole('menuitem', { name: 'Agent: Heron' }).click();
  await page.waitForURL('**/a/heron');
});
