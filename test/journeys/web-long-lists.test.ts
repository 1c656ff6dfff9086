import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { HttpServer } from '../../src/http/server/serve.ts';
import { createHub, defineTool, type Hub, loadConfig, serveHttp } from '../../src/index.ts';
import { TestTab } from '../support/browser/browser.ts';
import { fillLongLists } from '../support/hubs/fill-long-lists.ts';

/** Ten thousand of everything: a page draws only what is near its viewport. */
const count = 10_000;
const tools = Array.from({ length: 2_000 }, (_, index) =>
  defineTool({
    name: `measure_${String(index).padStart(4, '0')}`,
    title: 'Measure',
    description: 'Returns one value.',
    input: z.object({}),
    run: () => 0,
  }),
);
const maxNodes = 4_000;
let folder: string;
let hub: Hub;
let server: HttpServer;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'zoo-web-long-'));
  const env = { AGENT_ZOO_HOME: join(folder, 'data') };
  hub = await createHub({ config: await loadConfig({ cwd: folder, env, home: folder }), tools, watch: false });
  await fillLongLists(hub, count);
  server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
  page = await tab.open();
  // Thirty thousand writes take half a minute, and several times that on a busy machine.
}, 600_000);

afterAll(async () => {
  await tab.close();
  await server?.close();
  await hub?.close();
  rmSync(folder, { recursive: true, force: true });
});

const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);

describe('with ten thousand of each, few elements are drawn', () => {
  it('of the agents, up to the last one', async () => {
    await page.goto(server.url);
    const card = (position: number) =>
      page.getByRole('list', { name: 'Agents' }).locator(`[aria-posinset="${position}"]`);
    await card(1).waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await card(count).waitFor();
    expect(await card(1).count()).toBe(0);
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it('of the chats, while more and more load', async () => {
    await page.goto(`${server.url}/chat`);
    const list = page.getByRole('list', { name: 'Past chats' });
    await list.getByRole('link').first().focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.evaluate(() => Number(document.activeElement?.getAttribute('data-row') ?? -1));
      })
      .toBeGreaterThan(1_000);
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it("of an agent's memory, in which the oldest entry is found", async () => {
    await page.goto(`${server.url}/a/agent-0000?tab=brain`);
    await page.getByText('Note 9999').waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
    await page.getByLabel('Search entries').fill('Note 0000');
    await page.getByText('1 of 10000 entries').waitFor();
  });

  it('of the agents in a filter, which searches', async () => {
    await page.goto(`${server.url}/chat`);
    await page.getByRole('list', { name: 'Past chats' }).getByRole('link').first().waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter by agent' });
    await filter.focus();
    await page.keyboard.press('Enter');
    const options = page.getByRole('listbox').getByRole('option');
    await options.first().waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option', { name: 'Agent 9999', selected: false }).waitFor();
    await page.keyboard.type('agent 77');
    await expect.poll(() => options.first().innerText()).toBe('Agent 7700');
    expect(await options.first().getAttribute('aria-setsize')).toBe('100');
    await page.keyboard.press('Enter');
    await page.waitForURL(/agent=agent-7700/);
    await page.getByText('No chats found').waitFor();
    await expect.poll(() => filter.evaluate((box) => box === document.activeElement)).toBe(true);
    // It opens at the selected agent, however far down that is.
    await page.goto(`${server.url}/chat?agent=agent-7000`);
    await filter.click();
    await page.getByRole('option', { name: 'Agent 7000', selected: true }).waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it('of the agents in a picker, up to the last one', async () => {
    await page.goto(`${server.url}/chat`);
    const picker = page.getByRole('combobox', { name: 'Agent', exact: true });
    await picker.click();
    await page.getByRole('option', { name: 'Agent 0000' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option', { name: 'Agent 9999' }).waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it.each([
    ['tools', '/tools', 'list', 'Tools'],
    ['tools in an agent’s scope', '/a/agent-0000?tab=tools', 'region', 'Hub tools'],
    ['permissions', '/team/permissions', 'region', 'Types and tools'],
  ] as const)('of the %s, up to the last one', async (_, path, role, name) => {
    await page.goto(server.url + path);
    const list = page.getByRole(role, { name });
    const tool = (index: string) => list.getByText(`measure_${index}`, { exact: true });
    await page
      .getByText('measure_0000', { exact: true })
      .or(list.getByText(/^agent_zoo_/).first())
      .first()
      .waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
    await expect
      .poll(async () => {
        await page.evaluate(() => {
          for (const each of [document.documentElement, ...document.querySelectorAll('main *')])
            if (each.scrollHeight > each.clientHeight) each.scrollTop = each.scrollHeight;
        });
        return tool('1999').count();
      })
      .toBe(1);
    expect(await tool('0000').count()).toBe(0);
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it('of the tools, and j goes on from the focused one after it was scrolled out of view', async () => {
    await page.goto(`${server.url}/tools?q=measure`);
    const list = page.getByRole('list', { name: 'Tools' });
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-row'));
    await list.getByRole('link').first().focus();
    await list.getByRole('link').first().hover();
    await page.mouse.wheel(0, 6_000);
    await list.locator('[data-row="110"]').waitFor();
    await page.keyboard.press('j');
    await expect.poll(focused).toBe('2');
    await page.keyboard.press('k');
    await expect.poll(focused).toBe('1');
    await page.keyboard.press('k');
    expect(await focused()).toBe('1');
  });
});
