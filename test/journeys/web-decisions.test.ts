import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DemoHub, startDemoHub } from '../../scripts/demo-hub.ts';
import { dayMs } from '../../src/base/clock.ts';
import type { DecisionEntry } from '../../src/tools/decision-log.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilTyping } from '../support/browser/focus.ts';
import { settled } from '../support/browser/settled.ts';
import { type ConnectedClient, connectV1 } from '../support/clients/mcp-clients.ts';

const oldEntries = 20_000;
let demo: DemoHub;
let client: ConnectedClient;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  demo = await startDemoHub();
  client = await connectV1({ url: `${demo.url}/mcp` });
  await addOldEntries();
});

afterAll(async () => {
  await client?.close();
  await tab.close();
  await demo?.close();
});

beforeEach(async () => {
  page = await tab.open();
});

afterEach(() => tab.leave());

/** The calls of a member in the last weeks, two entries each, oldest first. Every fiftieth failed. */
async function addOldEntries(): Promise<void> {
  const firstAt = Date.now() - 30 * dayMs;
  const entries = Array.from({ length: oldEntries / 2 }, (_, index): DecisionEntry[] => {
    const hasFailed = index % 50 === 49;
    const call = {
      callId: `call_old_${index}`,
      surface: 'http',
      agentId: 'worker-7',
      persona: null,
      taskId: 'task-old',
      tool: 'old_tool',
      decision: 'Invoked tool: old_tool',
      reasoning: 'Automatic tool invocation log',
    };
    const at = firstAt + index * 60_000;
    const outcome = hasFailed ? { code: 'TOOL_ERROR', message: `No luck with ${index}` } : { done: index };
    return [
      { ...call, kind: 'invocation', at, context: JSON.stringify({ number: index }) },
      { ...call, kind: hasFailed ? 'error' : 'result', at: at + 250, context: JSON.stringify(outcome) },
    ];
  });
  await Promise.all(entries.flat().map((entry) => demo.hub.decisions.append(entry)));
}

const open = (path: string) => page.goto(demo.url + path);
const list = () => page.getByRole('list', { name: 'Log entries' });
const entries = () => list().getByRole('button');
const entry = (name: RegExp) => list().getByRole('button', { name });
const choose = async (filter: string, option: string) => {
  await page.getByRole('combobox', { name: filter }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const isLive = () => page.locator('[data-live="live"]').first().waitFor();
const opened = () => page.getByRole('complementary', { name: 'Entry' });

describe('the tail', () => {
  it('shows an MCP call and its result live and counts it in the chart', async () => {
    // The chart ends with the newest entry, not with the old ones.
    await client.call('agent_zoo_get_agent', { agentId: 'architect' });
    await open('/decisions');
    await entries().first().waitFor();
    await isLive();
    const calls = async () =>
      Number.parseInt(
        (
          (await page
            .getByRole('figure')
            .getByText(/^[\d,]+ calls?$/)
            .textContent()) ?? ''
        ).replaceAll(',', ''),
        10,
      );
    const before = await calls();
    await client.call('agent_zoo_get_agent', { agentId: 'architect' });
    await entry(/Call .*agent_zoo_get_agent .*agentId: architect/)
      .first()
      .waitFor();
    await entry(/Result .*agent_zoo_get_agent/)
      .first()
      .waitFor();
    await expect.poll(calls).toBe(before + 1);
  });

  it('keeps the position of a user who reads further down and counts new entries', async () => {
    await open('/decisions');
    await entries().first().waitFor();
    await isLive();
    await page.mouse.wheel(0, 6_000);
    await entry(/Result .*old_tool/)
      .first()
      .waitFor();
    const places = () =>
      entries().evaluateAll((rows) => rows.map((row) => [row.textContent, row.getBoundingClientRect().top]));
    // The wheel event returns before the page has scrolled and drawn the rows.
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    const before = await settled(page, places);
    await client.call('agent_zoo_get_agent', { agentId: 'writer' });
    const pill = page.getByRole('button', { name: '2 new entries' });
    await pill.waitFor();
    expect(await places()).toEqual(before);
    await pill.click();
    await entry(/agentId: writer/)
      .first()
      .waitFor();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  });

  it('pauses when turned off and catches up later', async () => {
    await open('/decisions');
    await entries().first().waitFor();
    await isLive();
    await page.getByRole('switch', { name: 'Live updates' }).click();
    // Another live page is updated at the same time.
    const other = await page.context().newPage();
    await other.goto(`${demo.url}/decisions`);
    await other.locator('[data-live="live"]').first().waitFor();
    await client.call('agent_zoo_get_agent', { agentId: 'test-engineer' });
    await other
      .getByRole('button', { name: /agentId: test-engineer/ })
      .first()
      .waitFor();
    expect(await entry(/agentId: test-engineer/).count()).toBe(0);
    await page.getByRole('switch', { name: 'Live updates' }).click();
    await entry(/agentId: test-engineer/)
      .first()
      .waitFor();
  });
});

describe('filters', () => {
  it('by kind and tool are kept in the URL and removed one by one', async () => {
    await open('/decisions');
    await choose('Tool', 'old_tool');
    await choose('Kind', 'Errors');
    await expect.poll(() => entry(/Error .*old_tool/).count()).toBeGreaterThan(5);
    await expect.poll(() => entry(/(Call|Result) .*old_tool/).count()).toBe(0);
    expect(page.url()).toContain('tool=old_tool');
    expect(page.url()).toContain('kind=error');
    await page.reload();
    await entry(/Error .*old_tool/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Remove filter: Kind' }).click();
    await entry(/Result .*old_tool/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  it('by text search the whole log and report no match', async () => {
    await open('/decisions');
    await entries().first().waitFor();
    await page.keyboard.press('/');
    await untilTyping(page);
    await page.keyboard.type('No luck with 4949');
    await expect.poll(() => entries().count()).toBe(1);
    await entry(/TOOL_ERROR: No luck with 4949$/).waitFor();
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('never written down');
    await page.getByRole('heading', { name: 'No entries found' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await entries().first().waitFor();
  });

  it('change the chart as well, each of them', async () => {
    const end = async (callId: string, given: { tool: string; agentId: string; outcome: object; kind?: 'error' }) => {
      const { tool, agentId, outcome, kind = 'result' } = given;
      const call = { callId, surface: 'http', agentId, persona: null, taskId: null, tool };
      const words = { decision: `Ended: ${tool}`, reasoning: 'Automatic tool result log' };
      await demo.hub.decisions.append({ ...call, ...words, kind, at: Date.now(), context: JSON.stringify(outcome) });
    };
    const failure = { code: 'TOOL_ERROR', message: 'No luck' };
    await end('count_1', { tool: 'counted_a', agentId: 'counter-1', outcome: { note: 'needle' } });
    await end('count_2', { tool: 'counted_a', agentId: 'counter-1', outcome: { note: 'hay' } });
    await end('count_3', { tool: 'counted_a', agentId: 'counter-1', outcome: failure, kind: 'error' });
    await end('count_4', { tool: 'counted_b', agentId: 'counter-1', outcome: { note: 'hay' } });
    await end('count_5', { tool: 'counted_a', agentId: 'counter-2', outcome: { note: 'hay' } });
    const sums = () =>
      page
        .getByRole('figure')
        .getByText(/^[\d,]+ (call|error)s?$/)
        .allTextContents();
    const search = page.getByRole('searchbox', { name: 'Search the log' });
    const remove = (filter: string) => page.getByRole('button', { name: `Remove filter: ${filter}` }).click();
    await open('/decisions?agentId=counter-1');
    await expect.poll(sums).toEqual(['4 calls', '1 error']);
    await choose('Tool', 'counted_a');
    await expect.poll(sums).toEqual(['3 calls', '1 error']);
    await choose('Kind', 'Errors');
    await expect.poll(sums).toEqual(['1 call', '1 error']);
    await choose('Kind', 'Results');
    await expect.poll(sums).toEqual(['2 calls', '0 errors']);
    await remove('Kind');
    await expect.poll(sums).toEqual(['3 calls', '1 error']);
    await search.fill('needle');
    await expect.poll(sums).toEqual(['1 call', '0 errors']);
    await search.fill('');
    await remove('Member');
    await expect.poll(sums).toEqual(['4 calls', '1 error']);
    await choose('Time', 'Last 24 hours');
    await expect.poll(sums).toEqual(['4 calls', '1 error']);
    await open('/decisions?callId=count_5');
    await expect.poll(sums).toEqual(['1 call', '0 errors']);
    await open('/decisions?tool=old_tool');
    await expect.poll(async () => (await sums())[0]).toBe('10,000 calls');
    await choose('Time', 'Last 7 days');
    await page.getByRole('figure').getByText('No calls in this time range').waitFor();
  });

  it('by a time range dragged in the chart', async () => {
    await open('/decisions?tool=old_tool');
    await page.getByText(/^Last \d+ days$/).waitFor();
    const chart = page.locator('[data-chart] .u-over');
    // Waits until the chart stays in its place.
    await chart.hover({ position: { x: 10, y: 20 } });
    const box = await chart.boundingBox();
    if (!box) throw new Error('The chart has no place on the page.');
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4, box.y + 30, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/since=.*until=/);
    const until = new URL(page.url()).searchParams.get('until') ?? '';
    const times = () =>
      list()
        .locator('time')
        .evaluateAll((all) => all.map((each) => each.getAttribute('datetime') ?? ''));
    await expect.poll(async () => (await times()).length).toBeGreaterThan(5);
    // Until the reply, the list shows what it had before.
    await expect.poll(async () => (await times()).filter((at) => Date.parse(at) > Date.parse(until))).toEqual([]);
  });
});

describe('an entry', () => {
  it('shows the input and output of its call and has a URL', async () => {
    await client.call('agent_zoo_get_agent', { agentId: 'code-reviewer' });
    await open('/decisions');
    await entry(/Call .*agent_zoo_get_agent .*agentId: code-reviewer/)
      .first()
      .click();
    await opened().getByRole('region', { name: 'Input' }).getByText('"code-reviewer"').waitFor();
    await opened().getByRole('region', { name: 'Output' }).getByText('systemPrompt:').waitFor();
    await opened().getByText('Position in the chain').click();
    await opened().getByText('zoo log verify').waitFor();
    expect(page.url()).toContain('seq=');
    await page.reload();
    await opened().getByRole('region', { name: 'Output' }).waitFor();
    await page.keyboard.press('Escape');
    await opened().waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('seq=');
    await page.goBack();
    await opened().getByRole('region', { name: 'Output' }).waitFor();
  });

  it('shows client data as text, never as HTML', async () => {
    await client.call('agent_zoo_get_agent', { agentId: '<img src="x" onerror="window.hacked = 1">' });
    await open('/decisions?kind=invocation&tool=agent_zoo_get_agent');
    await entry(/onerror/)
      .first()
      .click();
    await opened().getByRole('region', { name: 'Input' }).getByText('onerror').waitFor();
    await opened().getByRole('heading', { name: 'Error' }).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });

  it('of a failed call shows the error; a missing entry is reported', async () => {
    await open('/decisions?kind=error&tool=old_tool');
    await entries().first().click();
    await opened().getByText('TOOL_ERROR: No luck with 9999').waitFor();
    await opened().getByRole('region', { name: 'Input' }).getByText('9999').waitFor();
    await opened().getByRole('link', { name: 'task-old' }).waitFor();
    await open('/decisions?seq=987654321');
    await page.getByRole('heading', { name: 'Entry 987654321 not found' }).waitFor();
  });

  it('is opened and closed by keyboard', async () => {
    await open('/decisions');
    await entries().first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-row'))).toBe('1');
    await page.keyboard.press('Enter');
    await opened().waitFor();
    const first = page.url();
    await page.keyboard.press('j');
    await expect.poll(() => page.url()).not.toBe(first);
    expect(page.url()).toContain('seq=');
    await page.keyboard.press('Escape');
    await opened().waitFor({ state: 'detached' });
  });

  it('fills the screen of a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/decisions');
    await entries().first().click();
    const sheet = page.getByRole('dialog', { name: 'Entry' });
    await sheet.getByRole('region', { name: 'Input' }).waitFor();
    await expect.poll(async () => (await sheet.boundingBox())?.width).toBe(390);
    await sheet.getByRole('button', { name: 'Close' }).click();
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});

describe('a long log', () => {
  it('scrolls through older pages while drawing only a few rows', async () => {
    await open('/decisions');
    await entries().first().waitFor();
    const newest = await entries().first().textContent();
    const pages = new Set<string>();
    page.on('request', (request) => {
      const cursor = new URL(request.url()).searchParams.get('cursor');
      if (cursor && request.url().includes('/api/decisions?')) pages.add(cursor);
    });
    let maxRows = 0;
    await expect
      .poll(
        async () => {
          await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
          maxRows = Math.max(maxRows, await page.locator('[data-row]').count());
          return pages.size;
        },
        { interval: 20 },
      )
      .toBeGreaterThanOrEqual(12);
    expect(maxRows).toBeLessThan(80);
    expect(await page.locator('li').count()).toBeLessThan(120);
    await entry(/(Call|Result|Error) .*old_tool/)
      .first()
      .waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    await expect.poll(() => entries().first().textContent()).toBe(newest);
  });

  it('that cannot be loaded shows the error and can be retried', async () => {
    let isBroken = true;
    await page.route('**/api/decisions?*', (route) =>
      isBroken
        ? route.fulfill({ status: 400, json: { error: { code: 'bad_request', message: 'No, not now.' } } })
        : route.continue(),
    );
    await open('/decisions');
    await page.getByText('No, not now.').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await entries().first().waitFor();
  });
});

describe('verifying', () => {
  const verify = async () => {
    await open('/decisions');
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    return page.getByRole('dialog', { name: 'Verify the log' });
  };

  it('says what it proves, and finds an entry that was changed in the database', async () => {
    const dialog = await verify();
    await dialog.getByText(/^No changes found in [\d,]+ entries of/).waitFor();
    await dialog.getByRole('region', { name: 'Proven', exact: true }).waitFor();
    const change = (from: string, to: string) => {
      const database = new DatabaseSync(join(demo.dataDir, 'zoo.sqlite'));
      database.prepare('update decision_groups set entries = replace(entries, ?, ?)').run(from, to);
      database.close();
    };
    change('No luck with 49"', 'All fine here 49"');
    await dialog.getByRole('button', { name: 'Verify again' }).click();
    await dialog.getByText(/^The log was changed: 1 problem found/).waitFor();
    await dialog.getByRole('region', { name: 'Problems' }).waitFor();
    change('All fine here 49"', 'No luck with 49"');
    await dialog.getByRole('button', { name: 'Verify again' }).click();
    await dialog.getByText(/^No changes found/).waitFor();
  });
});
