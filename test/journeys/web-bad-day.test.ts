import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestTab } from '../support/browser/browser.ts';
import { type RunningZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { createDatabase, type RunningPostgres, startPostgres } from '../support/databases/postgres.ts';

/** What the user sees while something is broken, and that it clears by itself once fixed. */
let folder: ZooFolder;
let hub: RunningZoo;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

afterAll(() => tab.close());

async function openHub(toml: string): Promise<void> {
  folder = await zooFolder();
  await writeFile(join(folder.dir, 'zoo.toml'), toml);
  hub = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  const [url] = await hub.says(/http:\/\/127\.0\.0\.1:\d+/);
  page = await tab.open();
  await page.goto(url);
  await status('Live').waitFor();
}

afterEach(async () => {
  await tab.leave();
  await hub?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const sidebar = () => page.getByRole('complementary');
const status = (words: string) => sidebar().getByRole('status').filter({ hasText: words });
const critical = (words: string) => page.getByRole('alert').filter({ hasText: words });
const open = (name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).first().click();

describe('a hub with several problems', () => {
  const oddTools = fileURLToPath(new URL('../support/servers/odd-tools-server.ts', import.meta.url));
  const toml = `
[agents.first]
[agents.script.lost]
path = "lost.lua"
[mcp_servers.odd]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(oddTools)}]
`;
  beforeEach(() => openHub(toml));

  it('warns on every screen that nothing is saved, and recovers', async () => {
    const problems = page.getByRole('region', { name: 'Problems' });
    // The first problem is shown in full, however many there are.
    await problems.getByText('lost.lua cannot be read: there is no such file.').waitFor();
    const more = problems.getByText('3 more problems');
    await more.waitFor();
    expect(await problems.getByText('input-is-text').isVisible()).toBe(false);
    await more.click();
    await problems.getByText('input-is-text').waitFor();

    const file = join(folder.dir, 'home', 'zoo.sqlite');
    await rename(file, `${file}.away`);
    await critical('Nothing is saved any more.').waitFor();
    await status('Database problem').waitFor();
    // Once is enough: the list of the others does not repeat it.
    await expect.poll(() => page.getByText('Nothing is saved any more.').count()).toBe(1);
    await open('Tools');
    await page.getByRole('heading', { name: 'Tools', level: 1 }).waitFor();
    await critical('Nothing is saved any more.').waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    await critical('Nothing is saved any more.').waitFor();
    // The app draws the narrow layout after it has heard of the new size.
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    // Full-height screens leave room for it.
    await open('Chat');
    await page.getByRole('region', { name: 'Chat', exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBe(844);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBe(900);

    await rename(`${file}.away`, file);
    await status('Live').waitFor();
    await critical('Nothing is saved any more.').waitFor({ state: 'detached' });
  });

  it('shows why a tool cannot be used, without asking for a decision', async () => {
    await open('Servers');
    await page.getByRole('link', { name: 'odd', exact: true }).click();
    const row = (name: string) => page.getByRole('article', { name, exact: true });
    await row('input-is-text').getByText('Its input schema does not describe an object').waitFor();
    await row('first').getByRole('switch', { name: 'Offer first' }).waitFor();
    await row('first').getByText('Needs approval').waitFor();
    expect(await row('input-is-text').getByRole('switch').count()).toBe(0);
    expect(await row('input-is-text').getByText('Needs approval').count()).toBe(0);
    await row('input-is-text').getByRole('button').click();
    await row('input-is-text').getByRole('region', { name: 'From the server' }).waitFor();
    expect(await row('input-is-text').getByRole('switch').count()).toBe(0);
    expect(await row('input-is-text').getByRole('textbox').count()).toBe(0);
  });
});

describe('a page whose live updates connect late', () => {
  beforeEach(() => openHub('[agents.first]\n'));

  it('shows what changed between its first requests and the connection', async () => {
    const connect = Promise.withResolvers<void>();
    await page.route('**/api/events', async (route) => {
      await connect.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByText('first', { exact: true }).first().waitFor();
    const data = { name: 'second', systemPrompt: 'You came late.' };
    expect((await page.request.post(new URL('/api/agents', page.url()).href, { data })).status()).toBe(201);
    connect.resolve();
    await page.getByText('second', { exact: true }).first().waitFor();
  });
});

describe('a page whose connection was lost', () => {
  beforeEach(() => openHub('[agents.first]\n'));

  it.each([
    ['its first one', 1],
    ['a later one', 2],
  ])('sends a request that never got its reply again: %s', async (_, silent) => {
    const isAsked = Promise.withResolvers<void>();
    const lose = Promise.withResolvers<void>();
    let connections = 0;
    await page.route('**/api/events', async (route) => {
      connections += 1;
      if (connections > 1) return route.continue();
      // The first connection opens once the page is drawn, and ends at once.
      await lose.promise;
      await route.fulfill({ contentType: 'text/event-stream', body: '' });
    });
    let requests = 0;
    await page.route('**/api/agents', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      requests += 1;
      if (requests !== silent) return route.continue();
      isAsked.resolve();
    });
    await page.reload();
    if (silent > 1) await page.getByText('first', { exact: true }).first().waitFor();
    lose.resolve();
    await isAsked.promise;
    const data = { name: 'second', systemPrompt: 'You came meanwhile.' };
    expect((await page.request.post(new URL('/api/agents', page.url()).href, { data })).status()).toBe(201);
    await page.getByText('second', { exact: true }).first().waitFor();
  });
});

describe('a hub whose PostgreSQL goes away', () => {
  let postgres: RunningPostgres;
  beforeAll(async () => {
    postgres = await startPostgres({ isDurable: false });
  });
  afterAll(() => postgres?.stop());

  it('is read-only meanwhile: it shows what it has, says why and since when, keeps what is typed, and recovers', async () => {
    await openHub(`[agents.first]\n[db]\nurl = ${JSON.stringify(await createDatabase(postgres.url))}\n`);
    const origin = new URL(page.url()).origin;
    const data = { name: 'Stored', systemPrompt: 'You are stored.' };
    expect((await page.request.post(`${origin}/api/agents`, { data })).status()).toBe(201);
    await page.getByText('Stored', { exact: true }).first().waitFor();
    await postgres.kill('SIGKILL');
    await status('Read-only').waitFor();
    await critical('Read-only since').waitFor();
    await critical('PostgreSQL at 127.0.0.1').waitFor();
    await page.getByText('Stored', { exact: true }).first().waitFor();
    // A write is refused with a sentence, and the form keeps what was typed.
    await page.getByRole('link', { name: 'New agent' }).first().click();
    await page.getByRole('button', { name: 'Use Code reviewer' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Typed meanwhile');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByText('Nothing was saved.').first().waitFor();
    expect(await name.inputValue()).toBe('Typed meanwhile');
    // What is in memory is still served, and the process is alive, but not ready.
    const { agents } = await (await fetch(`${origin}/agents/list`)).json();
    expect(agents.map((agent: { name: string }) => agent.name).toSorted()).toEqual(['first', 'stored']);
    expect((await fetch(`${origin}/health`)).status).toBe(200);
    expect((await fetch(`${origin}/ready`)).status).toBe(503);
    await postgres.start();
    await expect.poll(async () => (await fetch(`${origin}/ready`)).status).toBe(200);
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.waitForURL('**/a/typed-meanwhile**');
    await status('Live').waitFor();
    await postgres.kill('SIGKILL');
    await status('Read-only').waitFor();
    // A screen opened in the meantime loads once the database is back.
    await open('Mail');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await postgres.start();
    await status('Live').waitFor();
    await critical('PostgreSQL').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' });
  });
});

describe('the log of a day', () => {
  it('has one-line headings between two-line rows on a phone', async () => {
    await openHub('[agents.first]\n');
    await fetch(`${new URL(page.url()).origin}/tools/agent_zoo_list_agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(new URL('/decisions', page.url()).href);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    const rows = page.getByRole('list', { name: 'Log entries' }).locator('li');
    const readBoxes = () => rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().toJSON()));
    // The call has two entries, and the browser that claimed the hub has one.
    await expect.poll(async () => (await readBoxes()).map(({ height }) => height)).toEqual([32, 60, 60, 60]);
    const boxes = await readBoxes();
    // Rows neither overlap nor leave gaps.
    for (const [index, box] of boxes.entries()) if (index > 0) expect(box.top).toBe(boxes[index - 1].bottom);
  });
});
