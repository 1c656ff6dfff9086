import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { noUsage } from '../../src/engine/usage.ts';
import { TestTab } from '../support/browser/browser.ts';
import { skipAfterFailure } from '../support/chain.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';

/** Runs and usage of a hub whose model has prices. Each test continues the one before. */
let model: TestModelServer;
let zoo: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

skipAfterFailure();

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
  await expect.poll(() => steps().first().textContent()).toMatch(/house\/priced.*800 in, 200 out.*\$1\.00/);
  await expect.poll(() => steps().nth(1).textContent()).toContain('search');
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
  const again = page.url();
  expect(again).not.toBe(first);
  const notices = page.getByRole('region', { name: /Notifications/ });
  await notices.getByText('Run started again').waitFor();
  await notices.getByRole('button', { name: 'Original run' }).click();
  await page.waitForURL(first);
  await page.goto(again);
  model.add({ text: '## Next\n\nRestart the **worker**.', ...usage });
  await button('Fork from step 1').click();
  await dialog().getByRole('textbox', { name: 'Next message' }).fill('How do I empty it?');
  await dialog().getByRole('button', { name: 'Fork' }).click();
  // An answer is formatted as in its chat.
  await page.getByRole('heading', { name: 'Next', exact: true }).waitFor();
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
  await page.getByRole('combobox', { name: 'Agent', exact: true }).fill('incident');
  await page.locator('[role="option"][data-highlighted]', { hasText: 'Incident responder' }).waitFor();
  await page.keyboard.press('Enter');
  await choose('Time', 'Last hour');
  await expect.poll(() => new URL(page.url()).search).toBe('?agent=incident-responder&last=hour');
  await expect.poll(() => page.locator('[data-run]').count()).toBe(4);
});

test('the usage adds up by agent, model and client, follows its filters, and is exported', async () => {
  await open('/');
  await go('Usage');
  await page.locator('[data-chart] canvas').waitFor();
  const sums = async (name: string) => (await row(name).allTextContents()).slice(0, 5);
  await expect.poll(() => sums('Total')).toEqual(['$4.00', '5', '1', '3.2k', '800']);
  await expect.poll(() => sums('Incident responder')).toEqual(['$4.00', '5', '1', '3.2k', '800']);
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
  await button('Add budget').click();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Enter a number above 0.').waitFor();
  await dialog().getByRole('textbox', { name: 'Limit' }).fill('4');
  await choose('When the limit is reached', 'Stop model calls', dialog());
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
  // In its chat, the answer leads to the budget: another message would be refused, too.
  await page.getByRole('link', { name: 'Open chat' }).click();
  const refused = page.getByRole('article', { name: /^Answer from/ }).last();
  await refused.getByText(/The budget of the hub for this month is used up/).waitFor();
  expect(await refused.textContent()).not.toContain('Send a message to continue');
  await refused.getByRole('link', { name: 'Usage' }).click();
  await page.waitForURL('**/usage');
  await button('Edit Whole hub, per month').click();
  await dialog().getByRole('textbox', { name: 'Limit' }).fill('8');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => budget.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('50');
  await button('Delete Whole hub, per month').click();
  await page.getByText('No budgets yet').waitFor();
  await button('Undo').click();
  await budget.getByText('$4.00 of $8.00').waitFor();
});

test('the run of a called agent is found from the step that called it, and leads back; the list shows it on request', async () => {
  for (const body of [
    { id: 'clerk', name: 'Clerk', systemPrompt: 'You file.', mode: 'autonomous' },
    { id: 'chief', name: 'Chief', systemPrompt: 'You lead.', tools: ['agent__clerk'], toolPermission: 'never' },
  ])
    expect((await zoo.call('POST', '/api/agents', { body })).status).toBe(201);
  const call = { id: 'call_9', name: 'agent__clerk', arguments: { message: 'File the report.' } };
  model.add({ toolCalls: [call], ...usage }, { text: 'Filed under R.', ...usage }, { text: 'All done.', ...usage });
  await zoo.call('POST', '/api/runs', { body: { agentId: 'chief', input: 'Archive everything.' } });
  await open('/runs?text=everything');
  await expect.poll(() => page.locator('[data-run]').textContent()).toContain('+ 1 called run');
  await expect.poll(() => total('Cost').textContent()).toBe('$3.00');
  await expect.poll(() => total('Runs').textContent()).toBe('1');
  await page.locator('dl[aria-label="Totals"]').getByText('with 1 called run').waitFor();
  await page.getByText('Archive everything.').click();
  await page.getByText('+ $1.00 for called agents').waitFor();
  const parent = page.url();
  await steps().nth(1).getByRole('link', { name: 'Run of Clerk' }).click();
  await page.getByText('Filed under R.').waitFor();
  await expect.poll(() => steps().count()).toBe(1);
  await expect.poll(() => steps().first().textContent()).toMatch(/800 in, 200 out.*\$1\.00/);
  const child = page.url();
  await page.getByRole('link', { name: 'Chief: Archive everything. · step 2' }).click();
  await page.waitForURL(`${parent}#step-2`);
  await page.locator('#step-2').getByText('agent__clerk').waitFor();
  await open('/runs?text=report');
  await button('Include called runs').click();
  await page.locator('[data-run]').waitFor();
  await choose('Called runs', 'Only called runs');
  await expect.poll(() => total('Cost').textContent()).toBe('$1.00');
  await page.getByText('Called by another run: ').waitFor({ state: 'attached' });
  await page.locator('[data-run]').click();
  await page.waitForURL(child);
  model.add({ text: 'Filed once more.', ...usage });
  await button('Run again').click();
  await page.getByText('Filed once more.').waitFor();
  await page.getByRole('link', { name: 'Open chat' }).waitFor();
});

test('a called run that ends after the run that called it is shown as ended', async () => {
  const { runs } = zoo.hub.store;
  const begun = { agentId: 'incident-responder', model: 'house/priced', title: 'A check', messages: [] };
  const end = { ticks: 1, usage: noUsage, cost: 0, messages: [], calls: [], reason: '', error: null };
  await runs.begin({ ...begun, id: 'stopped' });
  await runs.begin({ ...begun, id: 'late', calledBy: { runId: 'stopped', callId: 'call_1', tick: 1 } });
  await runs.finish('stopped', { ...end, status: 'aborted' });
  await open('/runs/stopped');
  const called = page.getByRole('list', { name: 'Called runs without a step' });
  await called.getByText('· Running').waitFor();
  await runs.finish('late', { ...end, status: 'completed' });
  await called.getByText('· Running').waitFor({ state: 'detached' });
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
  const list = page.getByRole('list', { name: 'Steps' });
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return list.locator('li').filter({ hasText: '600' }).count();
    })
    .toBeGreaterThan(0);
  await open('/runs');
  await open('/runs/long#step-300');
  const isInView = (row: Element) => {
    const { top, bottom } = row.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight;
  };
  await expect.poll(() => list.locator('#step-300').evaluate(isInView)).toBe(true);
});

test('usage at an unknown price leads to its form, which our list fills in; the confirmed price counts from then on', async () => {
  for (const { id } of await zoo.hub.usage.budgets()) await zoo.call('DELETE', `/api/budgets/${id}`);
  await zoo.hub.models.save('openai', { type: 'openai', baseUrl: model.url });
  const ask = async () => {
    model.add({ text: 'Fine.', ...usage });
    const body = { agentId: 'incident-responder', input: 'And now?', model: 'openai/gpt-5' };
    const { body: begun } = await zoo.call<{ runId: string }>('POST', '/api/runs', { body });
    await expect.poll(async () => (await zoo.hub.store.runs.get(begun.runId)).status).toBe('completed');
    return (await zoo.hub.store.runs.get(begun.runId)).cost;
  };
  expect(await ask()).toBeNull();
  await open('/usage');
  await page.getByRole('link', { name: 'Set price of openai/gpt-5' }).click();
  const field = (name: string) => dialog().getByRole('textbox', { name, exact: true });
  await expect.poll(() => field('Input').inputValue()).toBe('1.25');
  await dialog()
    .getByText(/Filled in as published on 20\d\d-/)
    .waitFor();
  await field('Output').fill('ten');
  await dialog().getByRole('button', { name: 'Save price' }).click();
  await dialog().getByText('Enter dollars, such as 1.25.').waitFor();
  await field('Input').fill('1000');
  await field('Output').fill('1000');
  await dialog().getByRole('button', { name: 'Save price' }).click();
  await dialog().waitFor({ state: 'hidden' });
  expect(await ask()).toBe(1);
  await button('Show prices of openai').click();
  await page.getByRole('list', { name: 'Prices of openai' }).getByText('$1,000.00 in · $1,000.00 out').waitFor();
  await button('Remove the price of gpt-5').click();
  await page.getByText('No prices yet').waitFor();
  await button('Undo').click();
  await page.getByRole('list', { name: 'Prices of openai' }).waitFor();
  await open('/usage?by=model&model=openai%2Fgpt-5');
  await expect.poll(async () => (await row('Total').allTextContents())[0]).toBe('$1.00*');
});

test('a run of an agent with arguments asks for them, shows them, and is repeated with them', async () => {
  const body = { id: 'polyglot', name: 'Polyglot', systemPrompt: 'You answer in {language}.' };
  const args = [{ name: 'language', description: 'What to answer in.', required: true }];
  expect((await zoo.call('POST', '/api/agents', { body: { ...body, arguments: args } })).status).toBe(201);
  await open('/runs');
  await button('Start a run').first().click();
  await dialog().getByRole('combobox', { name: 'Agent' }).fill('poly');
  await page.getByRole('option', { name: /Polyglot/ }).click();
  await dialog().getByRole('textbox', { name: 'Input' }).fill('Hello');
  const language = dialog().getByRole('textbox', { name: 'language' });
  await language.waitFor();
  await dialog().getByRole('button', { name: 'Start' }).click();
  await dialog().getByText('Enter a value.').waitFor();
  await language.fill('Latin');
  model.add({ text: 'Salve.' }, { text: 'Ave.' });
  await dialog().getByRole('button', { name: 'Start' }).click();
  await page.getByText('Salve.').waitFor();
  await page.getByRole('region', { name: 'Arguments' }).getByText('Latin').waitFor();
  await button('Run again').click();
  await page.getByText('Ave.').waitFor();
  await page.getByRole('region', { name: 'Arguments' }).getByText('Latin').waitFor();
  const { runs } = await zoo.hub.store.runs.list({ agentId: 'polyglot', limit: 10 });
  expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed']);
});

test('a run waits for the arguments of its agent, and says when they cannot be loaded', async () => {
  const body = { id: 'poet', name: 'Poet', systemPrompt: 'You rhyme.{tone}' };
  const args = [{ name: 'tone', description: 'How it sounds.', required: false }];
  expect((await zoo.call('POST', '/api/agents', { body: { ...body, arguments: args } })).status).toBe(201);
  const gate = Promise.withResolvers<void>();
  let isRefused = true;
  await page.route('**/api/agents/poet', async (route) => {
    await gate.promise;
    if (isRefused)
      await route.fulfill({ status: 400, json: { error: { code: 'INVALID_ARGUMENTS', message: 'Not now.' } } });
    else await route.continue();
  });
  const started: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/runs')) started.push(request.postDataJSON());
  });
  await open('/runs?start=true');
  await dialog().getByRole('combobox', { name: 'Agent' }).fill('poet');
  await page.getByRole('option', { name: /Poet/ }).click();
  await dialog().getByRole('textbox', { name: 'Input' }).fill('A rhyme');
  await dialog().getByRole('textbox', { name: 'Input' }).press('Control+Enter');
  await dialog().getByRole('status', { name: "Loading the agent's arguments" }).waitFor();
  gate.resolve();
  await dialog().getByRole('alert').getByText('Not now.').waitFor();
  await dialog().getByRole('textbox', { name: 'Input' }).press('Control+Enter');
  isRefused = false;
  await dialog().getByRole('button', { name: 'Try again' }).click();
  await dialog().getByRole('textbox', { name: 'tone' }).fill('Merry');
  expect(started).toEqual([]);
  model.add({ text: 'Bells and shells.' });
  await dialog().getByRole('button', { name: 'Start' }).click();
  await page.getByText('Bells and shells.').waitFor();
  expect(started).toEqual([{ agentId: 'poet', input: 'A rhyme', arguments: { tone: 'Merry' } }]);
});

test('a run that is repeated while the user opens another page says so, and leads to the new run', async () => {
  await open('/runs?agent=poet');
  await page.locator('[data-run]').first().click();
  await page.getByText('Bells and shells.').waitFor();
  const gate = Promise.withResolvers<void>();
  await page.route('**/fork', async (route) => {
    await gate.promise;
    await route.continue();
  });
  model.add({ text: 'Shells and bells.' });
  await button('Run again').click();
  await go('Runs');
  await button('Start a run').waitFor();
  gate.resolve();
  await button('Open new run').click();
  await page.getByText('Shells and bells.').waitFor();
  // An agent that needs more by now is asked again in the form.
  await page.route('**/fork', (route) =>
    route.fulfill({ status: 400, json: { error: { code: 'bad_request', message: 'Agent "poet" needs "metre".' } } }),
  );
  await button('Run again').click();
  await page.getByText('Agent "poet" needs "metre".').waitFor();
  await button('Start a new run').click();
  await expect.poll(() => dialog().getByRole('combobox', { name: 'Agent' }).inputValue()).toBe('Poet');
});

test('a running answer leads to its run; a run leads to its answer on any branch of the chat', async () => {
  model.add('hang');
  const { body: chat } = await zoo.call<{ id: string }>('POST', '/api/chats', {
    body: { agentId: 'polyglot', arguments: { language: 'Latin' }, message: 'Good morning' },
  });
  await open(`/chat/${chat.id}`);
  const answer = page.getByRole('article', { name: /^Answer from/ });
  await answer.getByRole('link', { name: 'Steps' }).click();
  await page.waitForURL(/\/runs\//);
  await page.getByText('The first step is in progress.').waitFor();
  const first = page.url();
  await zoo.call('POST', `/api/chats/${chat.id}/stop`);
  await expect.poll(async () => (await zoo.hub.chats.get(chat.id)).state).toBe('idle');

  // The next answer is on a branch of its own.
  model.add({ text: 'Salve.' });
  await zoo.call('POST', `/api/chats/${chat.id}/retry`);
  await expect.poll(async () => (await zoo.hub.chats.get(chat.id)).state).toBe('idle');
  await open(`/chat/${chat.id}`);
  await answer.getByText('Salve.').waitFor();
  const second = (await answer.getByRole('link', { name: 'Steps' }).getAttribute('href')) ?? '';
  await page.goto(first);
  await page.getByRole('link', { name: 'Open chat' }).click();
  await answer.getByText('Stopped.').waitFor();
  await open(second);
  await expect.poll(() => steps().first().textContent()).toMatch(/\d\d:\d\d:\d\d · /);
  await expect.poll(() => page.locator('[data-axis]').textContent()).toMatch(/^0 (ms|s)[\d.]+ \1[\d.]+ \1$/);
  await page.getByRole('link', { name: 'Open chat' }).click();
  await answer.getByText('Salve.').waitFor();
});

test('an answer that reached a limit of its own run asks for another message', async () => {
  const body = { id: 'brief', name: 'Brief', systemPrompt: 'Be brief.', tools: ['search'], toolPermission: 'never' };
  const { status } = await zoo.call('POST', '/api/agents', { body: { ...body, modelSettings: { maxChatTurns: 1 } } });
  expect(status).toBe(201);
  model.add({ toolCalls: [{ id: 'call_1', name: 'search', arguments: { query: 'x' } }], ...usage });
  const { body: chat } = await zoo.call<{ id: string }>('POST', '/api/chats', {
    body: { agentId: 'brief', message: 'Look it up.' },
  });
  await open(`/chat/${chat.id}`);
  await page.getByText(/Send a message to continue\.$/).waitFor();
  await page.getByRole('link', { name: 'Usage' }).first().waitFor();
  expect(await page.getByRole('article').getByRole('link', { name: 'Usage' }).count()).toBe(0);
});

test('the chart of the usage has a line for each group', async () => {
  await open('/usage');
  await choose('Group by', 'Agent');
  const lines = page.getByRole('list', { name: 'Lines' });
  await lines.getByText('Incident responder').waitFor();
  await lines.getByText('Polyglot').waitFor();
  const names = await lines.getByRole('listitem').allTextContents();
  const heads = page.getByRole('figure').getByRole('columnheader');
  await expect.poll(async () => (await heads.allTextContents()).slice(2, -1)).toEqual(names);
  await choose('Group by', 'Client');
  await lines.waitFor({ state: 'detached' });
});

test('a long prompt and a long answer draw only a part of what they have', async () => {
  const { runs, chats } = zoo.hub.store;
  const messages = Array.from({ length: 600 }, (_, index) => {
    const role = index % 2 === 0 ? ('user' as const) : ('assistant' as const);
    return { role, content: [{ type: 'text' as const, text: `Line ${index}.` }] };
  });
  const tools = Array.from({ length: 600 }, (_, index) => {
    return { name: `tool_${index}`, description: 'Does it.', inputSchema: { type: 'object' as const } };
  });
  const begun = { agentId: 'polyglot', model: 'house/priced', title: 'A long talk' };
  const times = { startedAt: 0, firstAt: null, endedAt: 9 };
  const step = { kind: 'model', step: 1, tick: 1, ...times, model: 'house/priced', usage: null, cost: null } as const;
  const steps = [{ ...step, error: null, messages: 600, prompt: { system: 'You answer.', tools } }];
  await runs.begin({ ...begun, id: 'talk', messages });
  const ended = { status: 'completed', reason: '', error: null } as const;
  await runs.finish('talk', { ...ended, ticks: 1, usage: noUsage, cost: 0, messages, calls: [], steps });
  await open('/runs/talk');
  await button('Show the prompt of step 1').click();
  await dialog().getByText('600 messages').waitFor();
  await dialog().getByText('Line 0.').waitFor();
  expect(await dialog().getByRole('listitem').count()).toBeLessThan(100);
  const bottom = () =>
    dialog()
      .locator('.overflow-y-auto')
      .first()
      .evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await expect
    .poll(async () => {
      await bottom();
      return dialog().getByText('tool_599', { exact: true }).count();
    })
    .toBe(1);
  expect(await dialog().getByRole('listitem').count()).toBeLessThan(100);

  const { id } = await zoo.hub.chats.create({ agentId: 'incident-responder', title: 'Many calls' });
  const runId = 'many-calls';
  await chats.begin(id, { ...begun, lastSeq: 0, messageId: 'm1', text: 'Check all.', runId });
  const calls = Array.from({ length: 700 }, (_, index) => `c${index}`);
  const events = calls.flatMap((callId) => [
    { type: 'tool.called' as const, runId, id: callId, tool: `check_${callId}`, input: {} },
    {
      type: 'tool.finished' as const,
      runId,
      id: callId,
      tool: `check_${callId}`,
      isError: false,
      content: [],
      durationMs: 1,
    },
  ]);
  const end = { type: 'answer.finished' as const, runId, ...ended, usage: noUsage, cost: 0 };
  await chats.finish(id, { runId, events: [...events, end], messages: [], usage: noUsage, cost: 0, state: 'idle' });
  await open(`/chat/${id}`);
  const cards = page.getByText(/^check_c\d+$/);
  await page.getByText('check_c699', { exact: true }).waitFor();
  await expect.poll(() => cards.count()).toBe(200);
  for (const first of [300, 100, 0]) {
    await button(/^Show earlier steps/).click();
    await page.getByText(`check_c${first}`, { exact: true }).waitFor();
    expect(await cards.count()).toBeLessThanOrEqual(400);
  }
  await button(/^Show later steps/).click();
  await page.getByText('check_c499', { exact: true }).waitFor();
});
