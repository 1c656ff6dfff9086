import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../../src/agents/edit-agents.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import type { HttpServer } from '../../src/http/server/serve.ts';
import { createHub, defineTool, type Hub, loadConfig, serveHttp, type Tool } from '../../src/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ToolContent } from '../../src/tools/content.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilFocused, untilTyping } from '../support/browser/focus.ts';
import { endedHolder } from '../support/databases/holders.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';
import { npmServer } from '../support/servers/npm-servers.ts';

/** Tools, models and runs in a browser, on a hub with a real external server and a scripted model. */
const bulk = 1_000;
const orders: unknown[] = [];
const waits: AbortSignal[] = [];
let folder: string;
let model: TestModelServer;
let hub: Hub;
let server: HttpServer;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

const Order = z.strictObject({
  customer: z.strictObject({
    name: z.string().min(2).describe('Who it is for.'),
    address: z.strictObject({ city: z.string(), floor: z.int().min(0).max(99).optional() }).optional(),
  }),
  lines: z.array(z.strictObject({ sku: z.string().regex(/^[A-Z]{2}-\d+$/), amount: z.int().min(1) })).min(1),
  delivery: z.enum(['pickup', 'courier']).default('pickup'),
  gift: z.boolean().optional(),
  extra: z.record(z.string(), z.number()).optional(),
});

const tools: Tool[] = [
  defineTool({
    name: 'place_order',
    title: 'Place an order',
    description: 'Takes an order and says its number.\n<b>Not bold</b> and not **bold** either.',
    annotations: { destructiveHint: false, openWorldHint: false },
    input: Order,
    run: (input) => ({ number: orders.push(input), lines: input.lines.length }),
  }),
  defineTool({
    name: 'wipe_orders',
    description: 'Forgets every order.',
    annotations: { destructiveHint: true, openWorldHint: false },
    input: z.strictObject({}),
    run: () => ({ gone: orders.splice(0).length }),
  }),
  defineTool({
    name: 'wait_for_me',
    description: 'Waits until nobody waits for it.',
    annotations: { readOnlyHint: true },
    input: z.strictObject({}),
    run: (_, { signal }) => {
      waits.push(signal);
      return new Promise<object>((resolve) => signal.addEventListener('abort', () => resolve({})));
    },
  }),
  defineTool({
    name: 'ring',
    description: 'Rings a bell.',
    annotations: { readOnlyHint: true },
    input: z.strictObject({}),
    run: () =>
      new ToolContent(
        [
          { type: 'text', text: 'The bell is cracked.' },
          { type: 'audio', data: silence(0.5), mimeType: 'audio/wav' },
          { type: 'resource_link', uri: 'https://example.com/bell', name: 'The bell' },
          { type: 'resource_link', uri: 'javascript:alert(1)', name: 'No bell' },
        ],
        { isError: true },
      ),
  }),
  ...Array.from({ length: bulk }, (_, index) =>
    defineTool({
      name: `bulk_${String(index).padStart(4, '0')}`,
      description: `Number ${index} of many.`,
      annotations: { readOnlyHint: true },
      input: z.strictObject({}),
      run: () => ({}),
    }),
  ),
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'zoo-web-tools-'));
  model = await startModelServer({ models: ['zebra', 'owl'] });
  writeFileSync(
    join(folder, 'zoo.toml'),
    `[mcp_servers.everything]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(npmServer('everything'))}]

[providers.scripted]
type = "openai-compatible"
base_url = "${model.url}"

[providers.locked]
type = "openai"
base_url = "${model.url}"
`,
  );
  const config = await loadConfig({
    explicitFile: 'zoo.toml',
    cwd: folder,
    env: { AGENT_ZOO_HOME: join(folder, 'data') },
    home: folder,
  });
  hub = await createHub({ config, tools });
  await createAgent(hub, { id: 'clerk', name: 'Clerk', systemPrompt: 'You take orders.', tools: ['place_order'] });
  await (await hub.servers.open()).connect('everything');
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
  orders.length = 0;
  await openTab(1440);
});

afterEach(() => tab.leave());

/** Returns a WAV file of this many seconds as base64. */
function silence(seconds: number): string {
  const rate = 8_000;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + rate * seconds, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(rate * seconds, 40);
  return Buffer.concat([header, Buffer.alloc(rate * seconds, 128)]).toString('base64');
}

async function openTab(width: number): Promise<void> {
  await tab.leave();
  page = await tab.open({ width, height: 900 });
}

const open = (path: string) => page.goto(server.url + path);
const field = (name: string) => page.getByLabel(name, { exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const run = () => page.getByRole('button', { name: 'Run', exact: true }).click();
const result = () => page.getByRole('region', { name: 'Result' });
const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function fillOrder(sku: string, amount: string): Promise<void> {
  await field('name').fill('Ada');
  if ((await field('sku').count()) === 0) await button('Add to lines').click();
  await field('sku').fill(sku);
  await field('amount').fill(amount);
}

describe('a tool', () => {
  it('is found, filled in and run by keyboard alone, and its call appears in Decisions', async () => {
    await open('/');
    await page.locator('[data-live="live"]').first().waitFor();
    await page.keyboard.press('w');
    await page.waitForURL('**/tools');
    await page.getByRole('list', { name: 'Tools' }).waitFor();
    await page.keyboard.press('/');
    await untilTyping(page);
    await page.keyboard.type('order takes');
    await page
      .getByRole('status')
      .getByText(/^1 of 1,\d+$/)
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await untilFocused(page.getByRole('link', { name: /^place_order/ }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/tools/place_order?**');

    await field('name').focus();
    await page.keyboard.type('Ada');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // The focus goes to the first field of the new entry.
    await untilFocused(field('city'));
    await page.keyboard.type('Kraków');
    await page.keyboard.press('Tab');
    await page.keyboard.type('3');
    await page.keyboard.press('Tab');
    await page.keyboard.type('AB-7');
    await page.keyboard.press('Tab');
    await page.keyboard.type('2');
    await page.keyboard.press('Control+Enter');
    await result().getByText('Done').waitFor();
    expect(orders).toEqual([
      {
        customer: { name: 'Ada', address: { city: 'Kraków', floor: 3 } },
        lines: [{ sku: 'AB-7', amount: 2 }],
        delivery: 'pickup',
      },
    ]);
    await result().getByText('number:').waitFor();

    await result().getByRole('link', { name: 'View in Decisions' }).click();
    await page.waitForURL('**/decisions?callId=**');
    const log = page.getByRole('list', { name: 'Log entries' });
    await log.getByRole('button', { name: /Call .*place_order/ }).waitFor();
    await log.getByRole('button', { name: /Result .*place_order/ }).waitFor();
    await expect.poll(() => log.getByRole('button').count()).toBe(2);

    await page.goBack();
    // The draft is still there, and earlier input can be sent again.
    expect(await field('city').inputValue()).toBe('Kraków');
    await button('Reset').click();
    await expect.poll(() => field('name').inputValue()).toBe('');
    await button('Earlier inputs').click();
    await page.getByRole('menuitem', { name: /Kraków/ }).click();
    await expect.poll(() => field('sku').inputValue()).toBe('AB-7');
  });

  it('shows errors at the field, from the form and from the hub', async () => {
    await open('/tools/place_order');
    await field('name').fill('A');
    await field('name').blur();
    await page.getByRole('alert').getByText('name must have at least 2 characters.').waitFor();
    await fillOrder('lower-1', '0');
    await run();
    await result().getByText('INVALID_ARGUMENTS').waitFor();
    await result()
      .getByText(/lines\[0\]\.sku: .*lines\[0\]\.amount:/)
      .waitFor();
    await expect.poll(() => field('sku').getAttribute('aria-invalid')).toBe('true');
    await page
      .getByRole('alert')
      .getByText(/^sku must match the pattern \/\^\[A-Z\]\{2\}-\\d\+\$\/.*/)
      .waitFor();
    await page
      .getByRole('alert')
      .getByText(/^amount must be /)
      .waitFor();
    expect(orders).toEqual([]);
    await field('sku').fill('AB-1');
    await expect.poll(() => field('sku').getAttribute('aria-invalid')).toBeNull();
    await field('amount').fill('1');
    await run();
    await result().getByText('Done').waitFor();
    expect(orders).toHaveLength(1);
  });

  it('is edited as a form or as JSON, which stay in sync', async () => {
    await open('/tools/place_order');
    await fillOrder('AB-1', '4');
    await button('Yes').click();
    await page.getByRole('combobox', { name: 'delivery' }).click();
    await page.getByRole('option', { name: 'courier' }).click();
    await field('extra').fill('{"weight": ');
    await field('extra').blur();
    await page.getByText('extra is not valid JSON.').waitFor();
    await run();
    await page.getByText('Not sent: the input is not valid JSON').waitFor();
    await field('extra').fill('{"weight": 3}');
    await button('JSON').click();
    const raw = field('Input as JSON');
    const written = JSON.parse(await raw.inputValue());
    expect(written).toEqual({
      customer: { name: 'Ada' },
      lines: [{ sku: 'AB-1', amount: 4 }],
      gift: true,
      delivery: 'courier',
      extra: { weight: 3 },
    });
    await raw.fill('{ "customer":');
    await button('Form').click();
    await page.getByText('Invalid JSON', { exact: true }).waitFor();
    await raw.fill(
      JSON.stringify({ ...written, customer: { name: 'Grace' }, lines: [...written.lines, { sku: 'CD-2' }] }),
    );
    await button('Form').click();
    await expect.poll(() => field('name').inputValue()).toBe('Grace');
    expect(await field('sku').nth(1).inputValue()).toBe('CD-2');
    expect(await field('amount').nth(1).inputValue()).toBe('');
  });

  it('that can delete asks for confirmation', async () => {
    orders.push('one');
    await open('/tools/wipe_orders');
    await run();
    await page.getByRole('dialog', { name: 'Run “wipe_orders”?' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(orders).toEqual(['one']);
    await run();
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
    await result().getByText('Done').waitFor();
    expect(orders).toEqual([]);
  });

  it('keeps its question open while the address follows a search, and closes it on Back', async () => {
    await open('/tools/place_order');
    await page.getByRole('link', { name: /^wipe_orders/ }).click();
    await run();
    const question = page.getByRole('dialog', { name: 'Run “wipe_orders”?' });
    await question.waitFor();
    await page.evaluate(() => history.replaceState(history.state, '', `${location.pathname}?q=wipe`));
    const search = page.getByRole('searchbox', { name: 'Search tools', includeHidden: true });
    await expect.poll(() => search.inputValue()).toBe('wipe');
    expect(await question.isVisible()).toBe(true);
    await page.goBack();
    await question.waitFor({ state: 'detached' });
  });

  it('that is running can be cancelled and is notified', async () => {
    await open('/tools/wait_for_me');
    await run();
    await expect.poll(() => waits.length).toBe(1);
    await button('Cancel').click();
    await result().getByText('Cancelled').waitFor();
    await expect.poll(() => waits[0]?.aborted).toBe(true);
    await button('Run').waitFor();
  });

  it('runs in the scope of an agent, which the hub enforces', async () => {
    await open('/tools/wait_for_me');
    await page.getByRole('combobox', { name: 'Run as' }).click();
    await page.getByRole('option', { name: 'Clerk Not in scope' }).click();
    await run();
    await result().getByText('PERMISSION_DENIED').waitFor();
    await open('/tools/place_order?tab=access');
    await page.getByRole('region', { name: 'Agents' }).getByRole('link', { name: 'Clerk' }).click();
    await page.waitForURL('**/a/clerk?tab=tools');
  });

  it('returns playable audio and its own errors', async () => {
    await open('/tools/ring');
    await run();
    await result().getByText('The tool returned an error').waitFor();
    await result().getByText('The bell is cracked.').waitFor();
    const sound = result().getByLabel('Audio 2');
    await expect.poll(() => sound.evaluate((element) => (element as HTMLAudioElement).duration)).toBeCloseTo(0.5);
    const link = result().getByRole('link', { name: 'https://example.com/bell' });
    expect(await link.getAttribute('rel')).toContain('noopener');
    // A script URL never becomes a link.
    await result().getByText('javascript:alert(1)').waitFor();
    expect(await result().getByRole('link', { name: 'javascript:alert(1)' }).count()).toBe(0);
  });

  it('shows its schema and its description as plain text', async () => {
    await open('/tools/place_order?tab=schema');
    await page.getByText('<b>Not bold</b> and not **bold** either.').waitFor();
    const input = page.getByRole('region', { name: 'Input' });
    await input.getByText('object[]', { exact: true }).waitFor();
    await input.getByText('one of: pickup, courier · default "pickup"').waitFor();
    await button('JSON').click();
    await page.getByRole('region', { name: 'Input schema' }).getByText('customer:').waitFor();
    // A program that requests the same URL learns how to call a tool.
    const asked = await fetch(`${server.url}/tools/place_order`);
    expect([asked.status, asked.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('a tool of an external server', () => {
  it('shows its image, its server and its original name', async () => {
    await open('/tools?only=external&q=tiny');
    await page.getByRole('link', { name: /^get-tiny-image/ }).click();
    await page.waitForURL('**/tools/mcp__everything__get-tiny-image?**');
    await page.getByRole('heading', { name: /tiny image/i }).waitFor();
    await run();
    const image = result().getByRole('img', { name: 'Image 2' });
    await image.waitFor();
    await expect
      .poll(() => image.evaluate((element) => element instanceof HTMLImageElement && element.naturalWidth))
      .toBeGreaterThan(0);
    await page.getByRole('article').getByRole('link', { name: 'everything' }).click();
    await page.waitForURL('**/servers/everything');
  });

  it('shows its data once, even if it also returns them as text', async () => {
    await open('/tools/mcp__everything__get-structured-content');
    await page.getByRole('combobox', { name: 'location' }).click();
    await page.getByRole('option', { name: 'New York' }).click();
    await run();
    await result().getByRole('region', { name: 'Structured content' }).getByText('temperature:').waitFor();
    expect(await result().getByText('temperature:').count()).toBe(1);
  });
});

describe('a thousand tools', () => {
  it('draw only visible rows, and the last is found by name', async () => {
    await open('/tools');
    const links = page.getByRole('list', { name: 'Tools' }).getByRole('link');
    await links.first().waitFor();
    expect(await links.count()).toBeLessThan(60);
    await page.getByLabel('Search tools').fill('bulk_0999');
    await expect.poll(() => links.count()).toBe(1);
    await page.goto(`${server.url}/tools/bulk_0999`);
    await page.getByRole('link', { name: /^bulk_0999/, exact: false }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: /^bulk_0999/ }).getAttribute('aria-current')).toBe('page');
  });
});

describe('on a phone', () => {
  it('the tool covers the list, which keeps its position', async () => {
    await openTab(390);
    await open('/tools');
    await page.getByLabel('Search tools').fill('place_order');
    await page.getByRole('link', { name: /^place_order/ }).click();
    await fillOrder('AB-1', '1');
    await run();
    await result().getByText('Done').waitFor();
    await expect.poll(overflow).toBe(0);
    await page.getByRole('article').getByRole('link', { name: 'All tools' }).click();
    await page.getByRole('link', { name: /^place_order/ }).waitFor();
    await expect.poll(() => page.getByLabel('Search tools').inputValue()).toBe('place_order');
    for (const path of ['/models', '/runs', '/tools/place_order?tab=schema', '/tools/place_order?tab=access']) {
      await open(path);
      await page.locator('main h1, main h2').first().waitFor();
      await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
      await expect.poll(overflow, { message: path }).toBe(0);
    }
  });
});

describe('models', () => {
  it('a key is saved, verified by asking a model, never shown, and removed', async () => {
    await open('/models');
    const card = page.getByRole('region', { name: 'locked', exact: true });
    await card.getByText('No key needed').waitFor();
    const official = page.getByRole('region', { name: 'openai', exact: true });
    await official.getByText('Not set up').waitFor();
    await official.getByText(/^You can also set OPENAI_API_KEY/).waitFor();
    await button('Set key for locked').click();
    const key = page.getByRole('dialog').getByLabel('API key');
    expect(await key.getAttribute('type')).toBe('password');
    await page.getByRole('dialog').getByText(`Stored encrypted and sent only to ${model.url}.`).waitFor();
    await key.fill('sk-very-secret-1');
    model.add({ text: 'ok' });
    await page.keyboard.press('Enter');
    await card.getByText(/answered in \d+ ms$/).waitFor();
    await button('List models from locked').click();
    await card.getByText('locked/zebra').waitFor();
    await card.getByText('Key stored encrypted').waitFor();
    expect(await page.content()).not.toContain('sk-very-secret-1');
    expect(await (await page.request.get(`${server.url}/api/providers`)).text()).not.toContain('sk-very-secret-1');
    await button("Remove locked's key").click();
    await button('Remove').click();
    await card.getByText('No key needed').waitFor();
  });

  it('an agent chooses a model in its editor', async () => {
    await open('/a/clerk?tab=tools');
    const input = page.getByRole('combobox', { name: 'Model' });
    await input.fill('scripted/');
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['scripted/owl', 'scripted/zebra']);
    await input.fill('scripted/zebr');
    await page.getByRole('option', { name: 'scripted/zebra' }).click();
    await expect.poll(() => input.inputValue()).toBe('scripted/zebra');
    await input.fill('scripted/zebro');
    await page
      .getByText('scripted does not list "zebro". Choose one of its 2 models, or check the name.')
      .last()
      .waitFor();
    await input.fill('scripted/zebra');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Approval for runs on the hub' }).click();
    await page.getByRole('option', { name: 'Ask before every call' }).click();
    await page.getByText('You approve every call.').waitFor();
    await page.keyboard.press('Control+s');
    await expect.poll(async () => (await hub.agents.get('clerk')).agent.toolPermission).toBe('always');
    expect((await hub.agents.get('clerk')).agent.model).toBe('scripted/zebra');
  });
});

describe('runs', () => {
  it('a run is followed live to its end with every call and result', async () => {
    let goOn = () => {};
    const waited = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const order = { customer: { name: 'Ada' }, lines: [{ sku: 'AB-1', amount: 2 }] };
    model.add(
      { text: 'I place it.', toolCalls: [{ id: 'c1', name: 'place_order', arguments: order }] },
      { text: 'Order 1 is placed.', beforePiece: () => waited },
    );
    const running = await hub.runAgent({
      agentId: 'clerk',
      input: 'Two of AB-1 for Ada, please.',
      model: 'scripted/zebra',
      approve: () => 'approve',
    });
    await open('/runs');
    const row = page.getByRole('list', { name: 'Runs' }).getByRole('link', { name: /Two of AB-1 for Ada/ });
    await row.getByText('running').waitFor();
    await row.click();
    await page
      .getByRole('article', { name: 'Call to place_order' })
      .and(page.locator('[data-call="finished"]'))
      .waitFor();
    await page.getByText('Running…').waitFor();
    goOn();
    await running.result;
    await page.getByText('Order 1 is placed.').waitFor();
    await page.getByText('completed').waitFor();
    expect(orders).toHaveLength(1);
    await page.getByRole('button', { name: /^Input / }).click();
    await page.getByRole('region', { name: 'Input of place_order' }).getByText('customer:').waitFor();
    await page.getByRole('link', { name: 'place_order' }).click();
    await page.waitForURL('**/tools/place_order');
  });

  it('a crashed run shows which calls may have taken effect', async () => {
    const id = 'run_crashed';
    const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Wipe them' }] };
    const dead = await openStore({
      db: hub.config.config.db,
      clock: systemClock,
      logger: silentLogger,
      holder: endedHolder(),
    });
    await dead.runs.begin({
      id,
      agentId: null,
      model: 'scripted/zebra',
      title: 'Wipe them',
      messages: [question],
    });
    await dead.runs.save(id, {
      ticks: 1,
      usage: { inputTokens: 1_200, outputTokens: 30, cachedInputTokens: 0, reasoningTokens: 0 },
      cost: null,
      messages: [
        question,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'w1', name: 'wipe_orders', input: {} }] },
      ],
      calls: [{ id: 'w1', tool: 'wipe_orders', state: 'running' }],
    });
    await dead.close();
    await open(`/runs/${id}`);
    await page.getByText('was running; it may have taken effect').waitFor();
    await page.getByText('the hub does not repeat them', { exact: false }).waitFor();
    await page.getByText('Unknown price').waitFor();
  });
});
