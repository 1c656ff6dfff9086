import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { noUsage } from '../../src/engine/usage.ts';
import { TestTab } from '../support/browser/browser.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';

/** Runs and usage, from an empty home. Each test continues the one before. */
let model: TestModelServer;
let zoo: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  model = await startModelServer({ models: ['priced'] });
  zoo = await serveTestHub({
    toml: `[engine]
model = "house/priced"

[providers.house]
type = "openai-compatible"
base_url = "${model.url}"

[providers.house.prices."priced"]
input = 1000.0
output = 1000.0
`,
  });
});
afterAll(async () => {
  await tab.close();
  await zoo.end();
  await model.close();
});
beforeEach(async () => {
  page = await tab.open();
});

const usage = { usage: { input: 800, output: 200 } };
const open = (path: string) => page.goto(`${zoo.server.url}${path}`);
const go = (screen: string) => page.getByRole('link', { name: screen, exact: true }).first().click();
const button = (name: string | RegExp) => page.getByRole('button', { name });
const dialog = () => page.getByRole('dialog');
const choose = async (filter: string, option: string, within: Pick<Page, 'getByRole'> = page) => {
  await within.getByRole('combobox', { name: filter, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const steps = () => page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
const total = (name: string) =>
  page.locator('dl[aria-label="Totals"] > div').filter({ hasText: name }).locator('dd').first();
const row = (name: string) => page.getByRole('row').filter({ hasText: name }).getByRole('cell');

test('an empty hub says what to do; a run is started, and read as a waterfall with its prompts', async () => {
  await open('/new');
  await button('Use Incident responder').click();
  await button('Create agent').click();
  await page.waitForURL('**/a/incident-responder**');
  await go('Runs');
  await page.getByText('No runs yet').waitFor();
  await button('Start a run').first().click();
  model.add(
    { toolCalls: [{ id: 'call_1', name: 'search', arguments: { query: 'outage' } }], ...usage },
    { text: 'The queue is full.', ...usage },
  );
  await dialog().getByRole('button', { name: 'Start' }).click();
  await dialog().getByText('Choose an agent.').waitFor();
  await dialog().getByRole('combobox', { name: 'Agent' }).fill('incident');
  await page.getByRole('option', { name: /Incident responder/ }).click();
  await dialog().getByRole('textbox', { name: 'Input' }).fill('What is broken?');
  await dialog().getByRole('button', { name: 'Start' }).click();
  await page.getByText('The queue is full.').waitFor();
  await expect.poll(() => steps().count()).toBe(3);
  expect(await steps().first().textContent()).toMatch(/house\/priced.*800 in, 200 out.*\$1\.00/);
  expect(await steps().nth(1).textContent()).toContain('search');
  await button('Show the prompt of step 3').click();
  await dialog()
    .getByRole('region', { name: 'System' })
    .getByText(/incident/i)
    .first()
    .waitFor();
  await dialog().getByText('What is broken?').first().waitFor();
  await page.keyboard.press('Escape');
});

test('the run and its chat lead to each other; the run is repeated, and forked from a step', async () => {
  const first = page.url();
  await page.getByRole('link', { name: 'Open chat' }).click();
  await page.waitForURL(/\/chat\//);
  await page.locator('a[href*="/runs/"]').first().click();
  await page.waitForURL(first);
  model.add({ text: 'Still full.', ...usage });
  await button('Run again').click();
  await page.getByText('Still full.').waitFor();
  expect(page.url()).not.toBe(first);
  model.add({ text: 'Restart the worker.', ...usage });
  await button('Fork from step 1').click();
  await dialog().getByRole('textbox', { name: 'Next message' }).fill('How do I empty it?');
  await dialog().getByRole('button', { name: 'Fork' }).click();
  await page.getByText('Restart the worker.').waitFor();
});

test('runs are found by words, agent, state and time, and the totals follow', async () => {
  model.add({ status: 401, body: { error: { message: 'This key was revoked.' } } });
  await go('Runs');
  await button('Start a run').first().click();
  await dialog().getByRole('combobox', { name: 'Agent' }).fill('incident');
  await page.getByRole('option', { name: /Incident responder/ }).click();
  await dialog().getByRole('textbox', { name: 'Input' }).fill('Who is on call?');
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'hidden' });
  await button('Start a run').first().click();
  await dialog().getByText('Restored what you typed').waitFor();
  await dialog().getByRole('button', { name: 'Start' }).click();
  await page.getByText('rejected the key (HTTP 401)').first().waitFor();
  await open('/runs');
  await expect.poll(() => total('Runs').textContent()).toBe('4');
  await expect.poll(() => total('Cost').textContent()).toBe('$4.00');
  await page.getByRole('searchbox', { name: 'Search runs' }).fill('on call');
  await expect.poll(() => total('Runs').textContent()).toBe('1');
  await page.getByRole('searchbox', { name: 'Search runs' }).fill('');
  await expect.poll(() => total('Runs').textContent()).toBe('4');
  await choose('State', 'Failed');
  await expect.poll(() => total('Failed').textContent()).toBe('1');
  await expect.poll(() => page.locator('[data-run]').count()).toBe(1);
  await choose('State', 'All states');
  await choose('Agent', 'Incident responder');
  await choose('Time', 'Last hour');
  await expect.poll(() => page.locator('[data-run]').count()).toBe(4);
  expect(new URL(page.url()).search).toBe('?agent=incident-responder&last=hour');
});

test('the usage adds up by agent, model and client, follows its filters, and is exported', async () => {
  await open('/');
  await go('Usage');
  await page.locator('[data-chart] canvas').waitFor();
  const sums = async (name: string) => (await row(name).allTextContents()).slice(0, 5);
  await expect.poll(() => sums('Total')).toEqual(['5', '1', '3.2k', '800', '$4.00']);
  expect(await sums('Incident responder')).toEqual(['5', '1', '3.2k', '800', '$4.00']);
  await choose('Group by', 'Model');
  await page.getByRole('row').getByRole('button', { name: 'house/priced' }).click();
  await button('Remove the filter Model: house/priced').waitFor();
  await choose('Group by', 'Client');
  await page.getByRole('rowheader', { name: 'No client key' }).waitFor();
  await choose('Chart', 'Calls and errors');
  await page.getByRole('figure').getByText('5, 1 error').waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  const csv = await readFile(await (await downloading).path(), 'utf8');
  const lines = csv.split('\r\n').map((line) => line.split(','));
  expect(lines[0]?.slice(0, 7)).toEqual(['time', 'client', 'calls', 'errors', 'inputTokens', 'outputTokens', 'cost']);
  // Midnight may be between two of the calls.
  const sum = (column: number) => lines.slice(1, -1).reduce((all, line) => all + Number(line[column]), 0);
  expect([2, 3, 4, 5, 6].map(sum)).toEqual([5, 1, 3200, 800, 4]);
  await open('/usage?agent=nobody');
  await page.getByText('No model calls in this time range').waitFor();
  await button('Remove the filter Agent: nobody').click();
  await row('Total').first().waitFor();
});

test('a budget is set in the app, shows how close it is, and stops the next model call until it is raised', async () => {
  await button('Add a budget').click();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Enter a number above 0.').waitFor();
  await dialog().getByRole('textbox', { name: 'Limit' }).fill('4');
  await choose('Action', 'Stop model calls', dialog());
  await dialog().getByRole('button', { name: 'Save' }).click();
  const budget = page.getByRole('list', { name: 'Budgets' }).getByRole('listitem');
  await budget.getByText('$4.00 of $4.00').waitFor();
  await budget.getByText('Used up').waitFor();
  const asked = model.requests.length;
  await go('Runs');
  await page.getByText('What is broken?').first().click();
  await button('Run again').click();
  await page
    .getByText(/The budget of the hub for this month is used up/)
    .first()
    .waitFor();
  expect(model.requests).toHaveLength(asked);
  await go('Usage');
  await button('Edit Whole hub per month').click();
  await dialog().getByRole('textbox', { name: 'Limit' }).fill('8');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => budget.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('50');
  await button('Delete Whole hub per month').click();
  await page.getByText('No budgets yet').waitFor();
  await button('Undo').click();
  await budget.getByText('$4.00 of $8.00').waitFor();
});

test('long lists of runs and of steps draw only what is near the viewport', async () => {
  const { runs } = zoo.hub.store;
  const begun = { agentId: 'incident-responder', model: 'house/priced', messages: [] };
  const progress = { ticks: 1, usage: noUsage, cost: 0, messages: [], calls: [] };
  const end = { status: 'completed', reason: '', error: null } as const;
  for (let index = 0; index < 180; index += 1) {
    const id = `many-${index}`;
    await runs.begin({ ...begun, id, title: `Check ${index}` });
    await runs.finish(id, { ...progress, ...end });
  }
  const steps = Array.from({ length: 600 }, (_, index) => {
    const times = { startedAt: index * 10, endedAt: index * 10 + 9 };
    return {
      kind: 'tool',
      step: index + 1,
      tick: 1,
      ...times,
      id: `c${index}`,
      tool: 'ping',
      state: 'finished',
    } as const;
  });
  await runs.begin({ ...begun, id: 'long', title: 'A long check' });
  await runs.finish('long', { ...progress, ...end, steps });
  await open('/runs?text=check');
  await page.locator('[data-run="long"]').waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return page.locator('[data-run="many-0"]').count();
    })
    .toBe(1);
  expect(await page.locator('[data-run]').count()).toBeLessThan(60);
  await open('/runs/long');
  await page.locator('[data-step]').first().waitFor();
  expect(await page.locator('[data-step]').count()).toBeLessThan(60);
  await page.keyboard.press('End');
  await page.getByRole('list', { name: 'Steps' }).locator('li').filter({ hasText: '600' }).first().waitFor();
});
