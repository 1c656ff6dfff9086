import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../../src/agents/edit-agents.ts';
import type { HttpServer } from '../../src/http/server/serve.ts';
import { createHub, defineTool, type Hub, loadConfig, serveHttp, type Tool } from '../../src/index.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilFocused } from '../support/browser/focus.ts';
import { makePdf } from '../support/knowledge/make-pdf.ts';
import { type ModelStep, startModelServer, type TestModelServer } from '../support/models/model-server.ts';

/** The orders that the agent's tools count and delete. */
const orders: string[] = [];
let folder: string;
let model: TestModelServer;
let hub: Hub;
let server: HttpServer;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
let browserErrors: string[];
/** The model's answers, in order. */
let script: ModelStep[];
/** Releases models that a failed test left waiting. */
let releases: (() => void)[];

const tools: Tool[] = [
  defineTool({
    name: 'count_orders',
    description: 'Counts the orders.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: z.strictObject({}),
    run: () => ({ orders: orders.length }),
  }),
  defineTool({
    name: 'wipe_order',
    description: 'Forgets an order.',
    annotations: { destructiveHint: true },
    requiresApproval: true,
    input: z.strictObject({ order: z.string() }),
    run: ({ order }) => ({ gone: orders.splice(orders.indexOf(order), 1) }),
  }),
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'zoo-web-chat-'));
  model = await startModelServer({
    models: ['zebra', 'owl'],
    script: () => script.shift() ?? { status: 400, body: { error: { message: 'The script is over' } } },
  });
  writeFileSync(
    join(folder, 'zoo.toml'),
    `[providers.scripted]
type = "openai-compatible"
base_url = "${model.url}"

[providers.scripted.prices."zebra"]
input = 2.5
output = 10

[connectors.filesystem.handbook]
root = "handbook"
`,
  );
  mkdirSync(join(folder, 'handbook'));
  writeFileSync(join(folder, 'handbook', 'returns.md'), '# Returns\n\nAn order is taken back within thirty days.\n');
  const config = await loadConfig({
    explicitFile: 'zoo.toml',
    cwd: folder,
    env: { AGENT_ZOO_HOME: join(folder, 'data') },
    home: folder,
  });
  hub = await createHub({ config, tools, watch: false });
  await createAgent(hub, {
    id: 'clerk',
    name: 'Clerk',
    description: 'Takes orders.',
    systemPrompt: 'You keep the orders of the shop.',
    skills: [{ id: 'polite', name: 'Polite words' }],
    tools: ['count_orders', 'wipe_order'],
    model: 'scripted/zebra',
  });
  await createAgent(hub, {
    id: 'guide',
    name: 'Guide',
    systemPrompt: 'You show {city} to people.',
    arguments: [{ name: 'city', description: 'Where they are.', required: true }],
    model: 'scripted/owl',
  });
  await hub.knowledge.sync({ target: 'all' });
  await createAgent(hub, {
    id: 'reader',
    name: 'Reader',
    systemPrompt: 'You know the handbook.',
    knowledge: [{ query: 'order taken back' }],
    model: 'scripted/owl',
  });
  await createAgent(hub, {
    id: 'porter',
    name: 'Porter',
    systemPrompt: 'You open doors.',
    model: 'scripted/owl',
    exposes: [
      {
        name: 'book_room',
        description: 'Books a room.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        prompt: 'Book a room in {city}.',
      },
    ],
  });
  server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await tab.close();
  await server?.close();
  await hub?.close();
  await model?.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  script = [];
  releases = [];
  browserErrors = [];
  orders.splice(0, orders.length, 'A1', 'A2', 'A3');
  await openTab(1440);
});

afterEach(async () => {
  for (const release of releases) release();
  await tab.leave();
  expect(browserErrors).toEqual([]);
});

async function openTab(width: number): Promise<void> {
  await tab.leave();
  page = await tab.open({ width, height: 900 });
  page.on('pageerror', (error) => browserErrors.push(error.message));
  page.on('console', (message) => {
    // The browser reports every error reply and every lost connection.
    if (message.type() === 'error' && !/status of|net::ERR/.test(message.text())) browserErrors.push(message.text());
  });
}

const open = (path: string) => page.goto(server.url + path);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const box = () => page.getByRole('textbox', { name: 'Message' });
const conversation = () => page.getByRole('list', { name: 'Conversation' });
const past = () => page.getByRole('list', { name: 'Past chats' });
const tabs = () => page.getByRole('navigation', { name: 'Open chats' });
const card = (tool: string) => page.getByRole('article', { name: `Call to ${tool}` });
const answers = (agent = 'Clerk') => page.getByRole('article', { name: `Answer from ${agent}` });
const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Sends a message as soon as possible. Enter does nothing while agents load or an answer is in progress. */
async function say(text: string): Promise<void> {
  await box().fill(text);
  await button('Send').and(page.locator(':enabled')).waitFor();
  await box().press('Enter');
}

/** Starts a chat with the clerk. */
async function beginChat(message: string, ...steps: ModelStep[]): Promise<string> {
  script.push(...steps);
  await open('/chat?with=clerk');
  await page.getByRole('heading', { name: 'Talk to Clerk' }).waitFor();
  await say(message);
  await page.waitForURL(/\/chat\/.+/);
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

/** Holds back the model's answer from piece `at` until it is opened. */
function newGate(): { before: (index: number) => Promise<void>; open: () => void; at: number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  releases.push(resolve);
  const gate = {
    at: 2,
    open: resolve,
    before: (index: number) => (index >= gate.at ? promise : Promise.resolve()),
  };
  return gate;
}

describe('a chat', () => {
  it('starts by keyboard alone, streams its answer, and survives a reload', async () => {
    const hold = newGate();
    script.push({
      text: ['Three **orders**', ' are open.\n\n- A1\n- A2'],
      usage: { input: 1_200, output: 40 },
      beforePiece: hold.before,
    });
    await open('/');
    await page.locator('[data-live="live"]').first().waitFor();
    await page.keyboard.press('c');
    await page.waitForURL('**/chat');
    await page.getByRole('combobox', { name: 'Agent', exact: true }).waitFor();
    await page.keyboard.type('cler');
    await page.getByRole('option', { name: /Clerk/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Talk to Clerk' }).waitFor();
    await expect.poll(() => box().evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type('Which orders are open?');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Be short.');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/chat\/.+/);
    await conversation().getByText('Which orders are open?\nBe short.').waitFor();
    await answers().locator('strong', { hasText: 'orders' }).waitFor();
    expect(await answers().textContent()).not.toContain('are open');
    await tabs().locator('[data-state="answering"]').waitFor();
    await button('Stop').waitFor();
    hold.open();
    await answers().getByRole('listitem').getByText('A2').waitFor();
    await answers()
      .getByText(/1\.2k in, 40 out · \$0\.0034/)
      .waitFor();
    await tabs().locator('[data-state]').waitFor({ state: 'detached' });
    // The header shows the total cost.
    await page
      .locator('header')
      .getByText(/1\.2k in, 40 out · \$0\.0034/)
      .waitFor();
    expect(await box().inputValue()).toBe('');
    await page.reload();
    await answers().locator('strong', { hasText: 'orders' }).waitFor();
    expect(await answers().count()).toBe(1);
    await past()
      .getByRole('link', { name: /Which orders are open/ })
      .waitFor();
  });

  it("fills in the agent's arguments", async () => {
    script.push({ text: 'Welcome to Kraków.' });
    await open('/chat?with=guide');
    const city = page.getByRole('textbox', { name: 'city' });
    await city.waitFor();
    await box().fill('Hello');
    await box().press('Enter');
    await page.getByText('Fill in city first.').waitFor();
    await city.fill('Kraków');
    await box().press('Enter');
    await answers('Guide').getByText('Welcome to Kraków.').waitFor();
    const [system] = model.requests.at(-1)?.body.messages ?? [];
    expect(JSON.stringify(system)).toContain('You show Kraków to people.');
  });

  it("waits for the agent's arguments, alone and in a comparison", async () => {
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/agents/guide', async (route) => {
      await gate.promise;
      await route.continue();
    });
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/chats')) sent.push(request.url());
    });
    const loading = page.getByRole('status', { name: "Loading the agent's arguments" });
    await open('/chat/compare?with=guide');
    await expect.poll(() => loading.count()).toBe(2);
    await box().fill('Hello');
    await page.getByText("Loading the agent's arguments…").waitFor();
    await box().press('Enter');
    await open('/chat?with=guide');
    await loading.waitFor();
    await box().fill('Hello');
    await page.getByText("Loading the agent's arguments…").waitFor();
    await box().press('Enter');
    gate.resolve();
    await page.getByText('Fill in city first.').waitFor();
    expect(sent).toEqual([]);
  });

  it('keeps an unsent draft across a reload', async () => {
    await beginChat('Hello', { text: 'Hi.' });
    await answers().getByText('Hi.').waitFor();
    await box().fill('Not yet\nsent');
    await page.reload();
    await expect.poll(() => box().inputValue()).toBe('Not yet\nsent');
    await open('/chat');
    await expect.poll(() => box().inputValue()).toBe('');
  });
});

describe('a call that needs approval', () => {
  const wipe = (id: string, order: string): ModelStep => ({
    text: 'I forget it.',
    toolCalls: [{ id, name: 'wipe_order', arguments: { order } }],
  });

  it('is approved once by keyboard, then denied, then approved for the chat', async () => {
    await beginChat('Forget A1', wipe('w1', 'A1'), { text: 'A1 is forgotten.' });
    await card('wipe_order').getByText('needs your approval').waitFor();
    await tabs().locator('[data-state="waiting"]').waitFor();
    // The call is in view.
    await page.getByRole('region', { name: 'Input of wipe_order' }).getByText('"A1"').waitFor();
    await page.getByText('A call needs your approval. Press Esc to go to it.').waitFor();
    // A number key types a number in the message box.
    await box().fill('');
    await box().press('1');
    expect(await box().inputValue()).toBe('1');
    await box().fill('');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Allow once');
    await page.keyboard.press('1');
    await answers().getByText('A1 is forgotten.').waitFor();
    await card('wipe_order').and(page.locator('[data-call="finished"]')).waitFor();
    await card('wipe_order')
      .getByText(/done · \d+ ms/)
      .waitFor();
    expect(orders).toEqual(['A2', 'A3']);

    script.push(wipe('w2', 'A2'), { text: 'I leave A2 alone.' });
    await say('Forget A2');
    await button('Deny').click();
    await answers().getByText('I leave A2 alone.').waitFor();
    await card('wipe_order').and(page.locator('[data-call="denied"]')).waitFor();
    expect(orders).toEqual(['A2', 'A3']);

    script.push(wipe('w3', 'A3'), wipe('w4', 'A2'), { text: 'Nothing is left.' });
    await say('Forget all');
    await button('Allow in this chat').click();
    await answers().getByText('Nothing is left.').waitFor();
    expect(orders).toEqual([]);
    expect(await card('wipe_order').count()).toBe(4);
    expect(await page.locator('[data-approval]').count()).toBe(0);
    // Its input and output can be expanded.
    const last = card('wipe_order').last();
    await last.getByRole('button', { name: /^Output/ }).click();
    await last.getByText('gone:').waitFor();

    // The approval is listed, and the agent asks again after it is revoked.
    await button('Show context').click();
    const approved = page.getByRole('region', { name: 'Approved in this chat' });
    await approved.getByText('wipe_order').waitFor();
    await approved.getByRole('button', { name: 'Ask again before wipe_order' }).click();
    await approved.waitFor({ state: 'detached' });
    script.push(wipe('w5', 'A9'), { text: 'I leave A9 alone.' });
    await say('Forget A9');
    await button('Deny').click();
    await answers().getByText('I leave A9 alone.').waitFor();
  });

  it('still waits after a reload, and its tab shows that', async () => {
    const id = await beginChat('Forget A1', wipe('w1', 'A1'), { text: 'Done.' });
    await button('Allow once').waitFor();
    await page.reload();
    await card('wipe_order').getByText('needs your approval').waitFor();
    await tabs().getByRole('link', { name: 'New chat' }).click();
    await page.waitForURL(/\/chat$/);
    await tabs().locator(`[data-tab="${id}"] [data-state="waiting"]`).waitFor();
    await past().getByRole('listitem').first().locator('[data-state="waiting"]').waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await page.waitForURL(`**/chat/${id}`);
    await button('Allow once').click();
    await answers().getByText('Done.').waitFor();
  });
});

describe('an answer', () => {
  it('is stopped with Esc, retried, and its message edited and resent', async () => {
    await beginChat('Tell a story', { text: ['Once upon', ' a time'], hangAfter: 2 });
    await answers().getByText('Once upon').waitFor();
    await page.keyboard.press('Escape');
    await answers().getByText('Stopped.').waitFor();
    await answers().getByText('Once upon').waitFor();

    script.push({ text: 'The owl slept.' });
    await button('Answer again').click();
    await answers().getByText('The owl slept.').waitFor();
    expect([await answers().count(), await conversation().getByText('Once upon').count()]).toEqual([1, 0]);

    script.push({ text: 'And then?' });
    await say('Go on');
    await answers().getByText('And then?').waitFor();
    script.push({ text: 'The zebra ran.' });
    const first = page.getByRole('article', { name: 'Your message' }).first();
    await first.hover();
    await first.getByRole('button', { name: 'Edit and resend' }).click();
    const edit = page.getByRole('textbox', { name: 'Edit message' });
    expect(await edit.inputValue()).toBe('Tell a story');
    await edit.fill('Tell a short story');
    await edit.press('Enter');
    await answers().getByText('The zebra ran.').waitFor();
    // The next message can be typed at once.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message');
    await expect.poll(messages).toEqual(['Tell a short story']);
    const sent = model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user');
    expect(JSON.stringify(sent)).not.toContain('Go on');
    await page.reload();
    await answers().getByText('The zebra ran.').waitFor();
    await expect.poll(messages).toEqual(['Tell a short story']);

    // Back to the earlier message, with its newest continuation; the focus stays on the arrow.
    await button('Previous version of this message').focus();
    await page.keyboard.press('Enter');
    await answers().getByText('And then?').waitFor();
    await expect.poll(messages).toEqual(['Tell a story', 'Go on']);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Previous version of this message');
    await button('Previous version of this answer').click();
    await answers().getByText('Stopped.').waitFor();
    await expect.poll(messages).toEqual(['Tell a story']);
    await page.reload();
    await answers().getByText('Once upon').waitFor();
    await expect.poll(versions).toEqual(['1 / 2', '1 / 2']);

    // An edit belongs to the version that it was begun in.
    await first.hover();
    await first.getByRole('button', { name: 'Edit and resend' }).click();
    await edit.fill('Tell a long story');
    await button('Next version of this message').click();
    await answers().getByText('The zebra ran.').waitFor();
    expect(await edit.count()).toBe(0);
    await button('Previous version of this message').click();
    await answers().getByText('And then?').waitFor();
    expect(await edit.count()).toBe(0);
    await button('Previous version of this answer').click();
    await answers().getByText('Once upon').waitFor();
    expect(await edit.inputValue()).toBe('Tell a long story');
    await edit.press('Escape');

    // The chosen branch is what the model sees.
    script.push({ text: 'It rained.' });
    await say('Continue');
    await answers().getByText('It rained.').waitFor();
    const seen = JSON.stringify(model.requests.at(-1)?.body.messages);
    expect([seen.includes('Once upon'), seen.includes('owl'), seen.includes('zebra')]).toEqual([true, false, false]);
    await button('Next version of this message').click();
    await answers().getByText('The zebra ran.').waitFor();
    await expect.poll(messages).toEqual(['Tell a short story']);
  });

  const messages = async () => page.getByRole('article', { name: 'Your message' }).locator('p').allTextContents();
  const versions = async () =>
    page
      .getByRole('group', { name: /^Versions of this/ })
      .locator('[aria-hidden]:not(svg)')
      .allTextContents();

  it.each([1440, 390])('leaves room for the edit of a long earlier message at %i pixels', async (width) => {
    const lines = (count: number) => Array.from({ length: count }, (_, line) => `Line ${line}`).join('\n');
    await beginChat(lines(12), { text: 'One. '.repeat(400) });
    await answers().getByText('One.').waitFor();
    script.push({ text: 'Two.' });
    await say('Go on');
    await answers().getByText('Two.').waitFor();
    await page.setViewportSize({ width, height: 900 });
    const first = page.getByRole('article', { name: 'Your message' }).first();
    await first.hover();
    await first.getByRole('button', { name: 'Edit and resend' }).click();
    const edit = page.getByRole('textbox', { name: 'Edit message' });
    await edit.waitFor();
    const [shown, hidden] = ['clientHeight', 'scrollHeight'] as const;
    const sizes = () => edit.evaluate((box, [height, whole]) => [box[height], box[whole]], [shown, hidden] as const);
    const isWhole = async () => (await sizes()).reduce((height, whole) => whole - height) <= 1;
    await expect.poll(isWhole).toBe(true);
    const frame = page.locator('form').filter({ has: edit });
    await expect.poll(async () => (await frame.boundingBox())?.y).toBeGreaterThan(80);
    // Some browsers do not grow text boxes themselves.
    await edit.evaluate((box) => box.style.setProperty('field-sizing', 'fixed', 'important'));
    await edit.fill(lines(14));
    await expect.poll(isWhole).toBe(true);
    await edit.fill(lines(300));
    await expect.poll(async () => (await sizes())[0]).toBe(360);
    expect(await isWhole()).toBe(false);
    await edit.fill('Short');
    await expect.poll(async () => (await sizes())[0]).toBeLessThan(60);
  });

  it('goes on when Esc leaves a notice', async () => {
    await hub.chats.create({ agentId: 'guide', title: 'A trip to delete' });
    await beginChat('Tell a story', { text: ['Once upon', ' a time'], hangAfter: 2 });
    await answers().getByText('Once upon').waitFor();
    const other = past().getByRole('listitem').filter({ hasText: 'A trip to delete' });
    await other.hover();
    await other.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await button('Undo').waitFor();
    await box().focus();
    await page.keyboard.press('Alt+t');
    await page.keyboard.press('Escape');
    await expect.poll(() => box().evaluate((field) => field === document.activeElement)).toBe(true);
    // From nowhere, it goes back to nowhere.
    await box().evaluate((field) => field.blur());
    await page.keyboard.press('Alt+t');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(true);
    expect(await answers().getByText('Stopped.').count()).toBe(0);
    // Outside the notice, the key stops the answer again.
    await page.keyboard.press('Escape');
    await answers().getByText('Stopped.').waitFor();
  });

  it('continues after a reload while another chat is open', async () => {
    const hold = newGate();
    const slow = await beginChat('Count slowly', { text: ['One ', 'two ', 'three.'], beforePiece: hold.before });
    await answers().getByText('One').waitFor();
    const quick = await beginChat('Be quick', { text: 'Quick.' });
    await answers().getByText('Quick.').waitFor();
    await tabs().locator(`[data-tab="${slow}"] [data-state="answering"]`).waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await page.waitForURL(`**/chat/${slow}`);
    await page.reload();
    await answers().getByText('One').waitFor();
    await button('Stop').waitFor();
    hold.open();
    await answers().getByText('One two three.').waitFor();
    expect(await answers().getByText('One two three.').textContent()).toBe('One two three.');
    await expect.poll(() => tabs().getByRole('listitem').count()).toBe(2);
    await tabs().locator(`[data-tab="${quick}"]`).click({ button: 'middle' });
    await expect.poll(() => tabs().getByRole('listitem').count()).toBe(1);
    // The chat was closed, not deleted.
    await past()
      .getByRole('link', { name: /Be quick/ })
      .waitFor();
    await page.getByRole('button', { name: /^Close / }).click();
    await page.waitForURL(/\/chat$/);
  });

  it('continues after a lost connection without gaps or duplicates', async () => {
    const hold = newGate();
    await beginChat('Count', { text: ['One ', 'two ', 'three.'], beforePiece: hold.before });
    await answers().getByText('One').waitFor();
    const port = Number(new URL(server.url).port);
    await server.close();
    await page.getByText('Connection lost.').waitFor();
    hold.open();
    server = await serveHttp(hub, { host: '127.0.0.1', port });
    await answers().getByText('One two three.').waitFor();
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
    expect(await answers().count()).toBe(1);
  });

  it('that breaks off is retried and appears once', async () => {
    await beginChat('Count', { text: ['One ', 'two'], cutAfter: 3 }, { text: ['One ', 'two ', 'three.'] });
    await answers().getByText('One two three.').waitFor();
    expect(await answers().getByText('One two three.').textContent()).toBe('One two three.');
    expect(await answers().getByText('One').count()).toBe(1);
  });

  it('with fifty thousand characters redraws only its end', async () => {
    const paragraph = `${'Lorem ipsum dolor sit amet, *consectetur* adipiscing elit. '.repeat(8)}\n\n`;
    const count = Math.ceil(50_000 / paragraph.length);
    const hold = newGate();
    hold.at = 3;
    await beginChat('Write a lot', {
      text: [
        '# Title\n\nThe **first** paragraph.\n\n',
        'Second.\n\n',
        ...Array.from({ length: count }, () => paragraph),
        'The end.',
      ],
      beforePiece: hold.before,
    });
    const first = answers().locator('p', { hasText: 'The first paragraph.' });
    await answers().getByText('Second.').waitFor();
    await first.evaluate((element) => {
      const block = element.parentElement as HTMLElement;
      const observer = new MutationObserver((changes) => {
        block.dataset.changes = String(Number(block.dataset.changes ?? 0) + changes.length);
      });
      observer.observe(block, { childList: true, characterData: true, subtree: true });
    });
    hold.open();
    await answers().getByText('The end.').waitFor();
    expect(await first.evaluate((element) => element.parentElement?.dataset.changes)).toBeUndefined();
    // The end stays in view until the user scrolls up.
    await expect.poll(() => answers().getByText('The end.').isVisible()).toBe(true);
    await expect.poll(() => isInView('The end.')).toBe(true);
    await page.mouse.move(800, 400);
    await page.mouse.wheel(0, -4_000);
    await button('Jump to latest').click();
    await expect.poll(() => isInView('The end.')).toBe(true);
    await button('Jump to latest').waitFor({ state: 'detached' });
  });

  it('that fails explains what to do', async () => {
    await beginChat('Hello', { status: 401, body: { error: { message: 'This key was revoked.' } } });
    await answers().getByText('rejected the key (HTTP 401)', { exact: false }).waitFor();
    await answers().getByText('Enter a valid key in Models, then retry.').waitFor();
    script.push({ text: 'Hi.' });
    await button('Retry').click();
    await answers().getByText('Hi.').waitFor();

    await page.getByRole('button', { name: 'Model: scripted/zebra' }).click();
    const model = page.getByRole('combobox', { name: 'Model' });
    await model.fill('openai/gpt-5');
    await model.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/^Not saved: .*OPENAI_API_KEY/)
      .waitFor();
    expect(await model.inputValue()).toBe('openai/gpt-5');
    await page.getByRole('dialog').getByRole('link', { name: 'Models', exact: true }).click();
    await page.waitForURL('**/models');
  });
});

async function isInView(text: string): Promise<boolean> {
  return answers()
    .getByText(text)
    .evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= window.innerHeight;
    });
}

describe('files and code', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const files = () => page.getByLabel('Files to attach');
  const chips = () => page.getByRole('form', { name: 'New message' }).getByRole('list', { name: 'Attachments' });
  const attached = () => page.getByRole('article', { name: 'Your message' }).getByRole('list', { name: 'Attachments' });

  it('a PDF and an image are attached, reach the model, and are still there after a reload', async () => {
    await open('/chat?with=clerk');
    await page.getByRole('heading', { name: 'Talk to Clerk' }).waitFor();
    await files().setInputFiles([
      { name: 'terms.pdf', mimeType: 'application/pdf', buffer: Buffer.from(makePdf([['Orders ship on Mondays.']])) },
      { name: 'shelf.png', mimeType: 'image/png', buffer: png },
      { name: 'by-mistake.txt', mimeType: 'text/plain', buffer: Buffer.from('No') },
    ]);
    await button('Remove by-mistake.txt').click();
    await expect.poll(() => chips().getByRole('listitem').count()).toBe(2);
    script.push({ text: 'On Mondays.' });
    await say('When do they ship?');
    await answers().getByText('On Mondays.').waitFor();
    const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
    expect([sent.includes('Orders ship on Mondays.'), sent.includes('data:image/png;base64')]).toEqual([true, true]);
    expect(await chips().count()).toBe(0);
    await page.reload();
    const image = attached().getByRole('img', { name: 'shelf.png' });
    await image.waitFor();
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1);
    await attached()
      .getByRole('link', { name: /terms\.pdf/ })
      .waitFor();
    await answers().getByText('Read from outside:').waitFor();
  });

  it('a file that cannot be read is refused with the reason, and the message stays', async () => {
    await open('/chat?with=clerk');
    await page.getByRole('heading', { name: 'Talk to Clerk' }).waitFor();
    await files().setInputFiles({ name: 'run.exe', mimeType: '', buffer: Buffer.from([77, 90, 0, 1]) });
    await say('Run it');
    await page.getByText('“run.exe” cannot be attached').or(page.getByText('"run.exe" cannot be attached')).waitFor();
    await expect.poll(() => box().inputValue()).toBe('Run it');
    await files().setInputFiles({ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) });
    await page.getByRole('alert').getByText('“empty.txt” is empty.').waitFor();
  });

  it('files stay with their message: while it is sent, in another tab, without words, and named after a reload', async () => {
    const attach = (name: string) =>
      files().setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(`Text of ${name}`) });
    await open('/chat?with=clerk');
    await page.getByRole('heading', { name: 'Talk to Clerk' }).waitFor();
    await attach('one.txt');
    await chips().getByText('one.txt').waitFor();
    // The placeholder is what is sent.
    await expect.poll(() => box().getAttribute('placeholder')).toBe('See the attached file.');
    script.push({ text: 'Seen.' });
    await button('Send').click();
    await answers().getByText('Seen.').waitFor();
    await conversation().getByText('See the attached file.').waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('Text of one.txt');

    await attach('two.txt');
    await chips().getByText('two.txt').waitFor();
    const chat = page.url();
    await page.getByRole('link', { name: 'New chat', exact: true }).first().click();
    await page.getByRole('heading', { name: 'New chat' }).waitFor();
    await expect.poll(() => chips().count()).toBe(0);
    await page.goBack();
    await page.waitForURL(chat);
    await chips().getByText('two.txt').waitFor();

    // What is attached while a message is sent belongs to the next one.
    const { promise, resolve } = Promise.withResolvers<void>();
    releases.push(resolve);
    await page.route('**/messages', async (route) => {
      await promise;
      await route.continue();
    });
    script.push({ text: 'Both.' });
    await box().fill('Second');
    await box().press('Enter');
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['x'], 'three.txt', { type: 'text/plain' }));
      return transfer;
    });
    await page
      .getByRole('form', { name: 'New message' })
      .evaluate(
        (form, dataTransfer) =>
          form.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer })),
        data,
      );
    await chips().getByText('three.txt').waitFor();
    resolve();
    await answers().getByText('Both.').waitFor();
    await expect.poll(() => chips().getByRole('listitem').allTextContents()).toEqual(['three.txt1 bytes']);

    await page.reload();
    await page.getByText('Attach again: three.txt.').waitFor();
    await button('Dismiss').click();
    await page.reload();
    await answers().getByText('Both.').waitFor();
    expect(await page.getByText('Attach again').count()).toBe(0);
  });

  it('a folder is refused by name, and the files dropped with it are attached', async () => {
    await open('/chat?with=clerk');
    await page.getByRole('heading', { name: 'Talk to Clerk' }).waitFor();
    await page.evaluate(() => {
      const { readAsDataURL } = FileReader.prototype;
      FileReader.prototype.readAsDataURL = function (file: File) {
        if (file.name === 'photos') queueMicrotask(() => this.dispatchEvent(new ProgressEvent('error')));
        else readAsDataURL.call(this, file);
      };
    });
    await files().setInputFiles(
      ['photos', 'note.txt'].map((name) => ({ name, mimeType: '', buffer: Buffer.from('Notes') })),
    );
    await page.getByRole('alert').getByText('“photos” could not be read. If it is a folder').waitFor();
    await expect.poll(() => chips().getByRole('listitem').count()).toBe(1);
    script.push({ text: 'Noted.' });
    // A suggestion takes the files along.
    await button('What can you do for me?').click();
    await answers().getByText('Noted.').waitFor();
    await attached().getByText('note.txt').waitFor();
  });

  it('files can be pasted and dropped', async () => {
    await open('/chat?with=clerk');
    await page.getByRole('heading', { name: 'Talk to Clerk' }).waitFor();
    for (const [type, target] of [
      ['paste', '[data-composer]'],
      ['drop', 'form[aria-label="New message"]'],
    ] as const) {
      const data = await page.evaluateHandle((name) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['Notes'], name, { type: 'text/plain' }));
        return transfer;
      }, `${type}.txt`);
      await page.locator(target).evaluate(
        (element, [event, transfer]) => {
          const init = { bubbles: true, cancelable: true };
          element.dispatchEvent(
            event === 'paste'
              ? new ClipboardEvent(event, { ...init, clipboardData: transfer })
              : new DragEvent(event, { ...init, dataTransfer: transfer }),
          );
        },
        [type, data] as const,
      );
      await chips().getByText(`${type}.txt`).waitFor();
    }
  });

  it('code is highlighted and copied whole', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const code = "const name = 'zebra'; // striped\nreturn f(name);";
    await beginChat('Write code', { text: `Here:\n\n\`\`\`ts\n${code}\n\`\`\`\n` });
    await answers().locator('[data-code] .text-violet').first().waitFor();
    await expect
      .poll(() => answers().locator('[data-code] .text-violet').allTextContents())
      .toEqual(['const', 'return']);
    expect(await answers().locator('[data-code] code').textContent()).toBe(code);
    await button('Copy code').click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  });
});

describe('around a chat', () => {
  it('the model and the agent can be changed for the next message', async () => {
    await beginChat('Who are you?', { text: 'The clerk.' });
    await answers().getByText('The clerk.').waitFor();
    await page.getByRole('button', { name: 'Model: scripted/zebra' }).click();
    await page.getByRole('combobox', { name: 'Model' }).fill('scripted/owl');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Model: scripted/owl' }).waitFor();
    script.push({ text: 'Still the clerk.' });
    await say('And now?');
    await answers().getByText('Still the clerk.').waitFor();
    expect(model.requests.at(-1)?.body.model).toBe('owl');

    await page.getByRole('button', { name: 'Agent: Clerk' }).click();
    await page.getByRole('combobox', { name: 'Answered by' }).fill('port');
    await page.getByRole('option', { name: /Porter/ }).click();
    await page.getByRole('button', { name: 'Agent: Porter' }).waitFor();
    script.push({ text: 'The porter.' });
    await say('And you?');
    await answers('Porter').getByText('The porter.').waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('Still the clerk.');

    // An agent with required arguments asks for them first.
    await page.getByRole('button', { name: 'Agent: Porter' }).click();
    await page.getByRole('combobox', { name: 'Answered by' }).fill('guide');
    await page.getByRole('option', { name: /Guide/ }).click();
    await page.getByText('Fill in city first.').waitFor();
    expect(await button('Continue with Guide').isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'city' }).fill('Lisbon');
    await button('Continue with Guide').click();
    await page.getByRole('button', { name: 'Agent: Guide' }).waitFor();
    script.push({ text: 'The guide.' });
    await say('Where to?');
    await answers('Guide').getByText('The guide.').waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('You show Lisbon to people.');
  });

  it('the context shows the system prompt, the skills and the tools that need approval', async () => {
    await beginChat('Hello', { text: 'Hi.' });
    await answers().getByText('Hi.').waitFor();
    await button('Show context').click();
    const panel = page.getByRole('complementary', { name: 'Context' });
    await panel.getByText('You keep the orders of the shop.').waitFor();
    await panel.getByRole('region', { name: 'Skills' }).getByText('Polite words').waitFor();
    const listed = panel.getByRole('region', { name: 'Tools' }).getByRole('listitem');
    await expect.poll(() => listed.allTextContents()).toEqual(['count_orders', 'wipe_orderNeeds approval']);
    await panel.getByText('No passages from the knowledge base.').waitFor();
    await panel.getByRole('button', { name: 'Hide context' }).click();
    await panel.waitFor({ state: 'detached' });
  });

  it('the passages link to their documents', async () => {
    script.push({ text: 'Within thirty days.' });
    await open('/chat?with=reader');
    await say('How long?');
    await answers('Reader').getByText('Within thirty days.').waitFor();
    await button('Show context').click();
    const passage = page.getByRole('region', { name: 'Passages' }).getByRole('article', { name: 'Returns' });
    await passage.getByTitle('filesystem:handbook').waitFor();
    await passage.getByRole('button', { name: /An order is taken back/ }).click();
    await passage.getByRole('link', { name: 'returns.md' }).click();
    await page.waitForURL('**/knowledge/documents/**');
    await page.getByRole('heading', { name: 'Returns' }).first().waitFor();
  });

  it('a chat is found by its words, renamed, exported and deleted', async () => {
    const id = await beginChat('Where is the pangolin?', { text: 'The pangolin sleeps under the stairs.' });
    await answers().getByText('under the stairs').waitFor();
    await open('/chat');
    await page.getByRole('searchbox', { name: 'Search past chats' }).fill('stairs');
    await expect.poll(() => past().getByRole('link').count()).toBe(1);
    await past().locator('mark', { hasText: 'stairs' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search past chats' }).fill('xylophone');
    await page.getByText('No chats found').waitFor();
    await page.getByRole('searchbox', { name: 'Search past chats' }).fill('pangolin');
    await expect.poll(() => past().getByRole('link').count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/chat/${id}?q=pangolin`);
    await answers().getByText('under the stairs').waitFor();

    const menu = page.locator('header').getByRole('button', { name: /^Actions for/ });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('The pangolin');
    await page.keyboard.press('Enter');
    await tabs().getByRole('link', { name: 'The pangolin' }).waitFor();

    for (const [name, parts] of [
      ['Export as Markdown', ['# The pangolin', 'Where is the pangolin?', 'under the stairs']],
      ['Export as JSON', ['"The pangolin"', 'under the stairs']],
    ] as const) {
      await menu.click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name }).click(),
      ]);
      const text = readFileSync(await download.path(), 'utf8');
      for (const part of parts) expect(text).toContain(part);
    }

    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.waitForURL(/\/chat(\?.*)?$/);
    await page.getByText('No chats found').waitFor();
    await open(`/chat/${id}`);
    await page.getByRole('heading', { name: 'Chat not found' }).waitFor();
  });

  it('a chat that tests a tool shows its parameters and links back to it', async () => {
    script.push({ text: 'Kraków is booked.' });
    const response = await page.request.post(`${server.url}/api/chats`, {
      data: { agentId: 'porter', origin: { kind: 'test', tool: 'book_room', parameters: { city: 'Kraków' } } },
    });
    const { id } = (await response.json()) as { id: string };
    await open(`/chat/${id}`);
    await answers('Porter').getByText('Kraków is booked.').waitFor();
    await conversation().getByText('Book a room in Kraków.').waitFor();
    const strip = page.getByRole('region', { name: 'Test' });
    await strip.getByText('book_room').waitFor();
    await strip.getByRole('button').click();
    await page.getByRole('region', { name: 'Parameters of book_room' }).getByText('"Kraków"').waitFor();
    await page.getByRole('combobox', { name: 'Filter by kind' }).click();
    await page.getByRole('option', { name: 'Tests' }).click();
    await expect.poll(() => past().getByRole('link').count()).toBe(1);
    await strip.getByRole('link', { name: 'Back to tool' }).click();
    await page.waitForURL('**/a/porter?tab=offered-tools&tool=book_room');
    await page.getByRole('tab', { name: /Offered tools/, selected: true }).waitFor();
  });

  it('chats can be filtered by agent', async () => {
    await beginChat('Clerk, are you there?', { text: 'Yes.' });
    await answers().getByText('Yes.').waitFor();
    await page.getByRole('combobox', { name: 'Filter by agent' }).click();
    await page.getByRole('option', { name: 'Guide' }).click();
    await expect
      .poll(() =>
        past()
          .getByRole('link', { name: /Clerk, are you there/ })
          .count(),
      )
      .toBe(0);
    await page.getByRole('combobox', { name: 'Filter by kind' }).click();
    await page.getByRole('option', { name: 'Tests' }).click();
    await page.getByText('Change the filters to see more chats.').waitFor();
  });

  it('more chats load while scrolling', async () => {
    const { chats } = hub;
    for (let count = 1; count <= 60; count += 1) await chats.create({ agentId: 'reader', title: `Number ${count}` });
    await open('/chat?agent=reader');
    await past()
      .getByRole('link', { name: /Number 60 / })
      .waitFor();
    expect(await past().getByRole('link').count()).toBeLessThan(60);
    await past().getByRole('link').last().scrollIntoViewIfNeeded();
    await past().getByRole('link').last().hover();
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 3_000);
        return past()
          .getByRole('link', { name: /Number 1 / })
          .count();
      })
      .toBe(1);
  });

  it("a chat can be started from an agent's card", async () => {
    await open('/');
    await page.getByRole('button', { name: 'Actions for Guide' }).click();
    await page.getByRole('menuitem', { name: 'Chat' }).click();
    await page.getByRole('heading', { name: 'Talk to Guide' }).waitFor();
  });
});

describe('comparing', () => {
  const side = (name: 'First' | 'Second') => page.getByRole('region', { name, exact: true });
  async function choose(name: 'First' | 'Second', typed: string, option: RegExp) {
    await side(name).getByRole('combobox', { name: 'Agent', exact: true }).click();
    await page.keyboard.type(typed);
    await page.getByRole('option', { name: option }).waitFor();
    await page.keyboard.press('Enter');
  }

  it('two agents answer one question side by side, and either is continued as a chat', async () => {
    await open('/chat');
    await page.getByRole('link', { name: 'Compare two agents or models' }).click();
    await page.waitForURL('**/chat/compare');
    await page.getByText('Choose an agent on both sides first.').waitFor();
    await choose('First', 'guid', /Guide/);
    await choose('Second', 'read', /Reader/);
    await side('Second').getByRole('combobox', { name: 'Model' }).fill('scripted/other');
    await page.reload();
    await page.getByText('Fill in city for Guide first.').waitFor();
    await expect.poll(() => side('Second').getByRole('combobox', { name: 'Agent' }).inputValue()).toBe('Reader');
    await expect
      .poll(() => side('Second').getByRole('combobox', { name: 'Model' }).inputValue())
      .toBe('scripted/other');
    await side('Second').getByRole('combobox', { name: 'Model' }).fill('');
    await side('First').getByRole('textbox', { name: 'city' }).fill('Oslo');
    await page.getByText('Fill in city for Guide first.').waitFor({ state: 'detached' });
    // Typing in a field with a selected agent searches for another one.
    await choose('First', 'cler', /Clerk/);
    script.push({ text: 'An answer.', usage: { input: 10, output: 2 } }, { text: 'An answer.' });
    await say('What is open?');
    await page.waitForURL(/left=.+right=/);
    await side('First').getByRole('article', { name: 'Answer from Clerk' }).getByText('An answer.').waitFor();
    await side('Second').getByRole('article', { name: 'Answer from Reader' }).getByText('An answer.').waitFor();
    await page.reload();
    script.push({ text: 'Again.' }, { text: 'Again.' });
    await say('And now?');
    for (const name of ['First', 'Second'] as const) await side(name).getByText('Again.').waitFor();
    await side('Second').getByRole('link', { name: 'Continue as chat' }).click();
    await page.waitForURL(/\/chat\/chat_/);
    await answers('Reader').getByText('Again.').waitFor();
  });

  it('a comparison is reopened from its chats, and says when one of them is gone', async () => {
    await open('/chat/compare?with=clerk');
    await choose('Second', 'read', /Reader/);
    script.push({ text: 'One side.' }, { text: 'One side.' });
    await say('Which one is it?');
    await page.waitForURL(/left=.+right=/);
    for (const name of ['First', 'Second'] as const) await side(name).getByText('One side.').waitFor();
    const [address, { searchParams }] = [page.url(), new URL(page.url())];
    await side('First').getByRole('link', { name: 'Continue as chat' }).click();
    await page.waitForURL(/\/chat\/chat_/);
    await page.locator('header').getByRole('link', { name: 'Open comparison' }).click();
    await page.waitForURL(address);
    for (const name of ['First', 'Second'] as const) await side(name).getByText('One side.').waitFor();
    await page.getByRole('button', { name: 'New comparison' }).click();
    await page.getByRole('navigation', { name: 'Earlier comparisons' }).getByRole('link').first().click();
    await page.waitForURL(address);

    await hub.chats.remove(searchParams.get('right') ?? '');
    await page.reload();
    await side('First').getByText('One side.').waitFor();
    await side('Second').getByText('Chat not found').waitFor();
    await page.getByText('One chat is gone. Choose another agent.').waitFor();
    await page.route(/\/api\/chats\/[^/]+$/, (route) =>
      route.fulfill({ status: 400, json: { error: { code: 'bad_request', message: 'No, not now.' } } }),
    );
    await page.reload();
    await side('First').getByText('No, not now.').waitFor();
    await page.unroute(/\/api\/chats\/[^/]+$/);
    await side('First').getByRole('button', { name: 'Try again' }).click();
    await side('First').getByText('One side.').waitFor();
    await side('Second').getByRole('button', { name: 'Try again' }).click();
    await side('Second').getByRole('button', { name: 'Choose another agent' }).click();
    await choose('Second', 'read', /Reader/);
    script.push({ text: 'Two again.' }, { text: 'Two again.' });
    await say('And now?');
    for (const name of ['First', 'Second'] as const) await side(name).getByText('Two again.').waitFor();
  });

  it('each side of a comparison gets a message once, asks by keyboard, and can be stopped with Esc', async () => {
    await open('/chat/compare?with=clerk');
    await choose('Second', 'read', /Reader/);
    let failing = true;
    await page.route('**/api/chats', async (route) => {
      const { agentId } = route.request().postDataJSON() as { agentId?: string };
      if (agentId !== 'reader' || !failing) return route.fallback();
      await route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'The hub is closing.' } } });
    });
    const { chats } = await hub.chats.list({ limit: 200 });
    script.push({ text: 'An answer.' });
    await say('What is open?');
    await page.getByRole('alert').getByText('Not sent to the second: The hub is closing.').waitFor();
    await page.getByText('Wait until the hub is ready again, then retry.').waitFor();
    await side('First').getByText('An answer.').waitFor();
    failing = false;
    script.push({ text: 'Another answer.' });
    await button('Send').click();
    await side('Second').getByText('Another answer.').waitFor();
    await page.waitForURL(/left=.+right=/);
    expect(await side('First').getByRole('article', { name: 'Your message' }).count()).toBe(1);
    expect((await hub.chats.list({ limit: 200 })).chats.length - chats.length).toBe(2);

    const wipe = { toolCalls: [{ name: 'wipe_order', arguments: { order: 'A1' } }] };
    const last = { text: ['Wait', ' for it'], hangAfter: 2 };
    script = [];
    model.requests.length = 0;
    await side('Second').getByRole('button', { name: 'Agent: Reader' }).click();
    await page.getByRole('combobox', { name: 'Answered by' }).fill('Cler');
    await page.getByRole('option', { name: /Clerk/ }).click();
    await side('Second').getByRole('button', { name: 'Agent: Clerk' }).waitFor();
    script.push(wipe, wipe, last, last);
    await say('Wipe A1');
    await side('First').locator('[data-approval]').waitFor();
    await side('Second').locator('[data-approval]').waitFor();
    await page.keyboard.press('Escape');
    await untilFocused(side('First').locator('[data-approval]'));
    await page.keyboard.press('3');
    await side('First').locator('[data-approval]').waitFor({ state: 'detached' });
    // Its button shows the key once it is the one that is asked for.
    await side('Second').getByRole('button', { name: 'Deny' }).filter({ hasText: '3' }).waitFor();
    await page.keyboard.press('3');
    await side('Second').locator('[data-approval]').waitFor({ state: 'detached' });
    for (const name of ['First', 'Second'] as const) await side(name).getByText('Wait').waitFor();
    await page.keyboard.press('Escape');
    for (const name of ['First', 'Second'] as const) await side(name).getByText('Stopped.').waitFor();
    expect(orders).toContain('A1');
  });

  it('a suggestion starts a chat, and a chat is copied as Markdown', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    script.push({ text: 'I count orders.' });
    await open('/chat?with=clerk');
    await page
      .getByRole('list', { name: 'Suggestions' })
      .getByRole('button', { name: /Polite words/ })
      .waitFor();
    await button('What can you do for me?').click();
    await answers().getByText('I count orders.').waitFor();
    await page
      .getByRole('region', { name: 'Chat', exact: true })
      .getByRole('button', { name: /^Actions for/ })
      .click();
    // Safari refuses to write a text that came after the click.
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('late', 'NotAllowedError'));
    });
    await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('I count orders.');
  });

  it('hundreds of chats are reached by keyboard, with few rows in the page', async () => {
    const { chats } = hub;
    const made = Array.from({ length: 700 }, (_, index) => chats.create({ agentId: 'guide', title: `Trip ${index}` }));
    await Promise.all(made);
    await open('/chat?agent=guide');
    const list = past();
    await list.getByRole('link').first().waitFor();
    await list.getByRole('link').first().focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.evaluate(() => Number(document.activeElement?.getAttribute('data-row') ?? -1));
      })
      .toBeGreaterThan(600);
    expect(await list.getByRole('listitem').count()).toBeLessThan(60);
    await page.keyboard.press('Home');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-row'))).toBe('0');
    // With an open chat, j moves past its neighbour.
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/chat\/chat_/);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message');
    await list.getByRole('link').first().focus();
    for (const row of ['1', '2', '3']) {
      await page.keyboard.press('j');
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-row'))).toBe(row);
    }
  });

  it('a chat that loads late leaves the focus where it has moved meanwhile', async () => {
    await hub.chats.create({ agentId: 'guide', title: 'A late trip' });
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await open('/chat?agent=guide&q=late');
    await page.route(/\/api\/chats\/chat_[^/]+$/, async (route) => {
      await isReleased;
      await route.continue();
    });
    await past()
      .getByRole('link', { name: /A late trip/ })
      .press('Enter');
    await page.getByRole('status', { name: 'Loading chat' }).waitFor();
    const search = page.getByRole('searchbox', { name: 'Search past chats' });
    await search.focus();
    release();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);
  });
});

describe('on a phone', () => {
  it('the open chats stay where they were scrolled to when one of them gets a longer title', async () => {
    await openTab(390);
    const chats = [];
    for (const title of ['A', 'The second of the chats', 'The third of the chats', 'The last of the chats'])
      chats.push(await hub.chats.create({ agentId: 'guide', title }));
    for (const chat of chats) {
      await open(`/chat/${chat.id}`);
      await tabs().locator(`[data-tab="${chat.id}"]`).waitFor();
    }
    const row = tabs().getByRole('list');
    await expect.poll(() => row.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
    await row.evaluate((element) => element.scrollTo(0, 0));
    await expect.poll(() => row.evaluate((element) => element.scrollLeft)).toBe(0);
    await hub.chats.update(chats[0]?.id ?? '', { title: 'A much longer title' });
    await tabs().getByText('A much longer title').waitFor();
    // The sizes of the tabs are noticed in the next frame.
    const scrolledTo = await row.evaluate(async (element) => {
      for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
      return element.scrollLeft;
    });
    expect(scrolledTo).toBe(0);
  });

  it('the keyboard does not cover the conversation after a button has gone', async () => {
    await openTab(390);
    await beginChat('Tell a story', { text: ['Once upon', ' a time'], hangAfter: 2 });
    await answers().getByText('Once upon').waitFor();
    await page.keyboard.press('Escape');
    // An answer that comes at once would leave the button in its place.
    const hold = newGate();
    hold.at = 0;
    script.push({ text: ['The owl', ' slept.'], beforePiece: hold.before });
    await button('Answer again').click();
    await button('Answer again').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    hold.open();
    await answers().getByText('The owl slept.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });

  it('past chats open in a sheet, and nothing is wider than the screen', async () => {
    await openTab(390);
    await beginChat('Small screen?', {
      text: 'A table:\n\n| a | b | c | d | e | f | g | h |\n|---|---|---|---|---|---|---|---|\n| 1111111 | 2222222 | 3333333 | 4444444 | 5555555 | 6666666 | 7777777 | 8888888 |\n\n`averyveryverylongwordthatdoesnotfitintoonelineofaphoneinanycase`',
    });
    await answers().getByText('8888888').waitFor();
    await expect.poll(overflow).toBe(0);
    await button('Show context').click();
    await page.getByRole('dialog').getByText('You keep the orders of the shop.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button('Past chats').click();
    await past()
      .getByRole('link', { name: /Small screen/ })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await open('/chat');
    await page.getByRole('heading', { name: 'New chat' }).waitFor();
    await expect.poll(overflow).toBe(0);
  });
});
