import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/run-step.ts';
import type { ServerInfo } from '../../src/servers/servers.ts';
import { TestTab } from '../support/browser/browser.ts';
import { type RunningZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

/** The catalogue of servers in a browser, from an empty home. The servers are real, and npx takes them from this checkout. */
let folder: ZooFolder;
let hub: RunningZoo;
let page: Page;
let url: string;
let registry: Server;
let list: unknown;
const tab = new TestTab({});
const dialog = () => page.getByRole('dialog', { name: 'Add server' });

beforeAll(async () => {
  folder = await zooFolder();
  await symlink(join(root, 'node_modules'), join(folder.dir, 'node_modules'));
  registry = createServer((_, reply) => void reply.end(JSON.stringify(list))).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  hub = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir, env: { npm_config_offline: 'true' } });
  url = (await hub.says(/http:\/\/127\.0\.0\.1:\d+/))[0];
  page = await tab.open();
  await page.goto(`${url}/servers`);
});

afterAll(async () => {
  await tab.close();
  await hub?.[Symbol.asyncDispose]();
  registry?.closeAllConnections();
  registry?.close();
  await folder?.[Symbol.asyncDispose]();
});

it('a server that needs nothing is found, chosen and added, and its tools are there', async () => {
  await page.getByRole('button', { name: 'Add server' }).click();
  await dialog().getByRole('searchbox', { name: 'Search the catalogue' }).fill('nothing like this');
  await dialog().getByText('No servers found').waitFor();
  await dialog().getByRole('button', { name: 'Clear search' }).click();
  await dialog().getByRole('searchbox', { name: 'Search the catalogue' }).fill('everything');
  await dialog().getByRole('button', { name: 'Choose Everything' }).click();
  await dialog()
    .getByText(/^npx -y @modelcontextprotocol\/server-everything@\d/)
    .waitFor();
  await dialog().getByRole('button', { name: 'Add server' }).click();
  await page.locator('[data-server="everything"][data-state="connected"], [data-state="connected"]').first().waitFor();
  await page.getByRole('link', { name: 'everything' }).click();
  await page.getByRole('switch', { name: 'Offer echo' }).waitFor();
});

it('a server that needs a value asks for it alone', async () => {
  await page.goto(`${url}/servers?add=catalogue`);
  await dialog().getByRole('button', { name: 'Choose Filesystem' }).press('Enter');
  await expect
    .poll(() =>
      dialog()
        .getByRole('textbox', { name: 'folder' })
        .evaluate((field) => field === document.activeElement),
    )
    .toBe(true);
  await dialog().getByRole('button', { name: 'Add server' }).click();
  await dialog().getByText('Enter a value for folder.').waitFor();
  await dialog().getByRole('textbox', { name: 'folder' }).fill(folder.dir);
  await dialog().getByRole('button', { name: 'Add server' }).click();
  await page
    .getByRole('listitem', { name: 'filesystem', exact: true })
    .and(page.locator('[data-state="connected"]'))
    .waitFor();
});

it('every variable is shown with its value, and what was typed survives a reload, except secrets', async () => {
  await page.goto(`${url}/servers?add=catalogue`);
  const choose = async () => {
    await dialog().getByRole('searchbox', { name: 'Search the catalogue' }).fill('mongodb');
    await dialog().getByRole('button', { name: 'Choose MongoDB' }).click();
  };
  await choose();
  await dialog().getByText('MDB_MCP_READ_ONLY=true', { exact: true }).waitFor();
  await dialog().getByLabel('MDB_MCP_CONNECTION_STRING').fill('mongodb://me:a-secret@db.test/x');
  await dialog().getByText('Name and optional settings').click();
  await dialog().getByRole('textbox', { name: 'Name' }).fill('archive');
  await page.reload();
  await choose();
  await dialog().getByText('Restored what you typed').waitFor();
  await dialog().getByText('Name and optional settings').click();
  expect(await dialog().getByRole('textbox', { name: 'Name' }).inputValue()).toBe('archive');
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('a-secret');
  await dialog().getByRole('button', { name: 'Discard' }).click();
  await dialog().getByText('Restored what you typed').waitFor({ state: 'detached' });
});

it('a secret is asked for, stored hidden, and a second server of the kind gets its own name', async () => {
  for (const name of ['brave-search', 'brave-search-2']) {
    await page.goto(`${url}/servers?add=catalogue`);
    await dialog().getByRole('button', { name: 'Choose Brave Search' }).click();
    const field = dialog().getByLabel('BRAVE_API_KEY');
    expect(await field.getAttribute('type')).toBe('password');
    await field.fill('not-to-be-shown');
    await dialog().getByRole('button', { name: 'Add server' }).click();
    await page.getByRole('listitem', { name, exact: true }).waitFor();
    const reply = await page.request.get(`${url}/api/servers/${name}`);
    expect(await reply.text()).not.toContain('not-to-be-shown');
    const { definition }: ServerInfo = await reply.json();
    expect(definition).toMatchObject({ transport: 'stdio', command: 'npx', trust: 'first-use' });
  }
});

it('an update is fetched when asked, and a bad list changes nothing', async () => {
  const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/servers`;
  const weather = {
    name: 'io.github.ada/weather',
    title: 'Weather of Ada',
    description: 'Tells the weather.',
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: 'https://weather.example.com/mcp' }],
  };
  await page.goto(`${url}/servers?add=catalogue`);
  await dialog().getByRole('button', { name: 'Update catalogue' }).click();
  await dialog().getByRole('textbox', { name: 'Address of the list' }).fill(address);
  list = { servers: [{ server: { ...weather, name: 'weather' } }] };
  await dialog().getByRole('button', { name: 'Update', exact: true }).click();
  await dialog()
    .getByRole('alert')
    .filter({ hasText: 'The catalogue was not changed.' })
    .filter({ hasText: 'server.name' })
    .waitFor();
  list = { servers: [{ server: weather }] };
  await dialog().getByRole('button', { name: 'Update', exact: true }).click();
  await dialog().getByRole('searchbox', { name: 'Search the catalogue' }).fill('ada');
  await dialog().getByRole('button', { name: 'Choose Weather of Ada' }).click();
  await dialog().getByText('https://weather.example.com/mcp').waitFor();
});

it('an update comes from a file, and a file that cannot be read changes nothing', async () => {
  await page.goto(`${url}/servers?add=catalogue`);
  await dialog().getByRole('button', { name: 'Update catalogue' }).click();
  const choose = async (name: string, text: string) => {
    const chooser = page.waitForEvent('filechooser');
    await dialog().getByRole('button', { name: 'Choose file' }).click();
    await (await chooser).setFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
  };
  await choose('tides.json', '{ "servers": [');
  await dialog()
    .getByRole('alert')
    .filter({ hasText: 'The catalogue was not changed.' })
    .filter({ hasText: 'The text is not valid JSON' })
    .waitFor();
  const tides = {
    name: 'io.github.ada/tides',
    title: 'Tides of Ada',
    description: 'Knows the tides.',
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: 'https://tides.example.com/mcp' }],
  };
  // The same file again, corrected.
  await choose('tides.json', JSON.stringify({ servers: [{ server: tides }] }));
  await page.getByText('The catalogue has 1 server from tides.json.').waitFor();
  await dialog().getByText('from tides.json.').waitFor();
  await dialog().getByRole('searchbox', { name: 'Search the catalogue' }).fill('tides');
  await dialog().getByRole('button', { name: 'Choose Tides of Ada' }).click();
  await dialog().getByText('https://tides.example.com/mcp').waitFor();
});

it('fits a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${url}/servers?add=catalogue`);
  await dialog().getByRole('button', { name: 'Choose Everything' }).waitFor();
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(overflow).toBe(0);
  await dialog().getByRole('button', { name: 'Choose GitHub' }).click();
  await dialog().getByText('https://api.githubcopilot.com/mcp/').waitFor();
  await expect.poll(overflow).toBe(0);
});
