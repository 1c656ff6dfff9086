import type { Locator, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changing } from '../../scripts/screen.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilFocused } from '../support/browser/focus.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  zoo = await serveTestHub();
  const agents = [
    { id: 'incident-responder', name: 'Incident responder', description: 'Tests theories about a failure.' },
    { id: 'latest', name: 'Latest news', description: '' },
    { id: 'test-engineer', name: 'Test engineer', description: 'Writes checks.' },
  ];
  for (const agent of agents) expect((await zoo.call('POST', '/api/agents', { body: agent })).status).toBe(201);
});

beforeEach(async () => {
  page = await tab.open();
});
afterEach(() => tab.leave());
afterAll(async () => {
  await tab.close();
  await zoo?.end();
});

const open = (path: string) => page.goto(`${zoo.server.url}${path}`);
const field = (name: string) => page.getByRole('combobox', { name, exact: true });
const optionNames = () => page.getByRole('option').allInnerTexts();

/** Every place where an agent is chosen. */
const pickers: { place: string; path: string; press?: string; label: string }[] = [
  { place: 'a new chat', path: '/chat', label: 'Agent' },
  { place: 'the past chats', path: '/chat', label: 'Filter by agent' },
  { place: 'a run', path: '/runs', press: 'Start a run', label: 'Agent' },
  { place: 'the filter of the runs', path: '/runs?called=show', label: 'Agent' },
  { place: 'Connect', path: '/connect', label: 'What to connect' },
  { place: 'a new key', path: '/access', press: 'Create key', label: 'Agents' },
  { place: 'a new member', path: '/team/members', press: 'Add member', label: 'Agent' },
  { place: 'a budget', path: '/usage', press: 'Add budget', label: 'For' },
  { place: 'a call of a tool', path: '/tools/agent_zoo_list_agents', label: 'Run as' },
];

describe('typing searches where an agent is chosen, and the best match comes first', () => {
  it.each(pickers)('for $place', async ({ path, press, label }) => {
    await open(path);
    if (press) await page.getByRole('button', { name: press }).first().click();
    const picker: Locator = press ? page.getByRole('dialog').getByRole('combobox', { name: label }) : field(label);
    if (press) await untilFocused(page.getByRole('dialog'));
    await picker.focus();
    await page.keyboard.type('test');
    await expect.poll(async () => (await optionNames())[0]).toMatch(/^Test engineer/);
    await page.locator('[role="option"][data-highlighted]', { hasText: 'Test engineer' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => picker.inputValue()).toBe('Test engineer');
  });
});

it('every word counts, in any order, and ids and descriptions come after names', async () => {
  await open('/chat');
  await field('Agent').focus();
  await page.keyboard.type('test');
  const firstLines = async () => (await optionNames()).map((text) => text.split('\n')[0]);
  await expect.poll(firstLines).toEqual(['Test engineer', 'Latest news', 'Incident responder']);
  await field('Agent').fill('engineer test');
  await expect.poll(firstLines).toEqual(['Test engineer']);
  await field('Agent').fill('failure responder');
  await expect.poll(firstLines).toEqual(['Incident responder']);
});

it('a choice is taken back by choosing none, not by emptying the field, and Esc only closes the dialog', async () => {
  await open('/team/members');
  await page.getByRole('button', { name: 'Add member' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add member' });
  const agent = dialog.getByRole('combobox', { name: 'Agent' });
  const chosen = () => agent.inputValue();
  const choose = async (name: RegExp) => {
    await agent.click();
    await page.getByRole('option', { name }).click();
  };
  expect(await agent.getAttribute('placeholder')).toBe('No agent');
  await choose(/^Test engineer/);
  await expect.poll(chosen).toBe('Test engineer');
  // Half a name changes nothing.
  await agent.fill('Inc');
  await page.getByRole('option', { name: 'Incident responder' }).waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(chosen).toBe('Test engineer');
  await agent.fill('');
  await page.keyboard.press('Tab');
  await expect.poll(chosen).toBe('Test engineer');
  await choose(/^No agent/);
  await expect.poll(chosen).toBe('');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

it("Esc in a member's details closes them and keeps the agent", async () => {
  await zoo.call('POST', '/api/team/members', { body: { id: 'anna', type: 'WORKER', agent: 'test-engineer' } });
  await open('/team/members?member=anna');
  const agent = page.getByRole('dialog').getByRole('combobox', { name: 'Agent' });
  await expect.poll(() => agent.inputValue()).toBe('Test engineer');
  await untilFocused(page.getByRole('dialog'));
  await agent.focus();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await zoo.call('GET', '/api/team/members/anna')).body).toMatchObject({
    member: { agent: 'test-engineer' },
  });
});

describe('what is typed at once is kept', () => {
  /** Draws nothing until the returned function is called, as on a machine that is too busy to draw. */
  async function stopDrawing(): Promise<() => Promise<void>> {
    await page.evaluate(() => {
      const draw = window.requestAnimationFrame;
      const waiting: FrameRequestCallback[] = [];
      window.requestAnimationFrame = (callback) => waiting.push(callback);
      Object.assign(window, {
        drawAgain: () => {
          window.requestAnimationFrame = draw;
          for (const callback of waiting) draw(callback);
        },
      });
    });
    return () => page.evaluate(() => (Reflect.get(window, 'drawAgain') as () => void)());
  }

  const members = changing<{ members: { id: string }[] }>('**/api/team/members', ({ members: [first] }) => ({
    members: Array.from({ length: 1_000 }, (_, index) => ({ ...first, id: `item-${String(index).padStart(4, '0')}` })),
    believesCallers: true,
  }));

  beforeAll(async () => {
    await zoo.call('POST', '/api/team/members', { body: { id: 'bea', type: 'WORKER' } });
  });

  it.each([
    ['a click', (picker: Locator) => picker.click()],
    ['the keyboard', (picker: Locator) => picker.press('Enter')],
  ])('in a long list that %s opens, before it is drawn', async (_, openList) => {
    await members(page);
    await open('/team/members');
    const picker = field('Create a token for');
    await picker.waitFor();
    const drawAgain = await stopDrawing();
    await openList(picker);
    await page.keyboard.type('0999');
    await drawAgain();
    await page.getByRole('option', { name: 'item-0999' }).waitFor();
    expect(await page.getByLabel('Search: Create a token for').inputValue()).toBe('0999');
    expect(new URL(page.url()).pathname).toBe('/team/members');
    await page.keyboard.press('Escape');
    await expect.poll(() => picker.evaluate((box) => box === document.activeElement)).toBe(true);
  });

  it('in a field whose list is drawn later', async () => {
    await open('/chat');
    const drawAgain = await stopDrawing();
    await field('Agent').click();
    await page.keyboard.type('late');
    await drawAgain();
    await expect.poll(optionNames).toEqual(['Latest news\nlatest']);
    expect(await field('Agent').inputValue()).toBe('late');
  });

  it('while the agents load, and when they change', async () => {
    let arrive = () => {};
    const loaded = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route('**/api/agents', async (route) => {
      await loaded;
      await route.continue();
    });
    await open('/chat?agent=latest');
    const filter = field('Filter by agent');
    await filter.click();
    await page.keyboard.type('eng');
    arrive();
    await expect.poll(optionNames).toEqual(['Test engineer\nWrites checks.']);
    expect(await filter.inputValue()).toBe('eng');
    const renamed = page.waitForResponse((response) => response.url().endsWith('/api/agents'));
    await zoo.call('PATCH', '/api/agents/latest', { body: { name: 'Newest' } });
    await renamed;
    await page.keyboard.type('i');
    await expect.poll(() => filter.inputValue()).toBe('engi');
    await page.keyboard.press('Escape');
    await expect.poll(() => filter.inputValue()).toBe('Newest');
  });

  it('and leaving a field closes its list at once', async () => {
    await open('/chat');
    const drawAgain = await stopDrawing();
    await field('Agent').click();
    await page.keyboard.type('late');
    await page.keyboard.press('Tab');
    await drawAgain();
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await expect.poll(() => field('Agent').inputValue()).toBe('');
  });
});
