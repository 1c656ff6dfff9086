import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { TestTab } from '../support/browser/browser.ts';
import { sendMessage } from '../support/browser/send-message.ts';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { type RunningZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';

let folder: ZooFolder;
let model: TestModelServer;
let hub: RunningZoo;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeEach(async () => {
  folder = await zooFolder({ isNew: true });
  model = await startModelServer({ models: ['small'], script: () => ({ text: 'I would start with the tests.' }) });
  page = await tab.open();
});
afterEach(async () => {
  await tab.leave();
  await hub?.[Symbol.asyncDispose]();
  await model?.close();
  await folder?.[Symbol.asyncDispose]();
});
afterAll(() => tab.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const steps = () => page.getByRole('region', { name: /^First steps|^You are all set/ });
const goHome = () =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' }).first().click();

it('a new user gets from an empty home to a working agent by what the first screen says', async () => {
  const notes = join(folder.dir, 'notes');
  await mkdir(notes);
  await writeFile(join(notes, 'review.md'), '# Review\n\nRead the tests first.\n');
  hub = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  const [url] = await hub.says(/http:\/\/127\.0\.0\.1:\d+/);
  await page.goto(url);
  await steps().getByText('0 of 5').waitFor();

  await steps().getByRole('link', { name: 'Choose a model' }).click();
  await button('Add provider').click();
  await page.getByRole('radio', { name: 'OpenAI-compatible' }).check({ force: true });
  await page.getByRole('textbox', { name: 'Address' }).fill(model.url);
  await button('Connect and test').click();
  await page.getByText(/^local lists 1 model/).waitFor();
  await button('Make default').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await goHome();
  await steps().getByText('A model has answered').waitFor();

  // The example is one click away, and the new agent can be asked at once.
  await steps().getByRole('link', { name: 'Code reviewer' }).click();
  await button('Use Code reviewer').click();
  await button('Create agent').click();
  await page.waitForURL('**/a/code-reviewer**');
  await page.getByRole('main').getByRole('link', { name: 'Chat', exact: true }).click();
  await sendMessage(page, 'How do you review?');
  await page.getByText('I would start with the tests.').waitFor();

  await goHome();
  await steps()
    .getByText(/^1 agent/)
    .waitFor();
  await steps().getByText('Waiting for a client such as Claude Code…').waitFor();
  await steps().getByRole('link', { name: 'Connect a client' }).click();
  await page.getByRole('button', { name: 'Claude Code' }).click();
  await page.getByText('Waiting for Claude Code…').waitFor();
  // Claude Code as it introduces itself.
  const client = await connectV1({ url: `${url}/mcp` }, 'claude-code');
  try {
    const tools = await client.toolNames();
    await page.getByText(`Claude Code connected, ${tools.length} tools`).waitFor();
    await goHome();
    await steps().getByText(`Claude Code connected, ${tools.length} tools`).waitFor();
    await steps().getByText('List my agents with agent-zoo').waitFor();
    await client.call('agent_zoo_list_agents', {});
    await steps().getByText('A client has called a tool').waitFor();
  } finally {
    await client.close();
  }

  await steps().getByRole('link', { name: 'Add a folder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add folder' });
  await dialog.getByLabel('Folder').fill(notes);
  await dialog.getByRole('button', { name: 'Add and sync' }).click();
  await page.getByRole('listitem', { name: 'notes' }).and(page.locator('[data-state="ready"]')).waitFor();

  await goHome();
  await page.getByRole('region', { name: 'You are all set' }).getByText('5 of 5').waitFor();
  // From now on, the first screen is about the agents.
  await Promise.all([page.waitForResponse('**/api/first-steps'), page.reload()]);
  await page.getByRole('link', { name: 'Code reviewer', exact: true }).first().waitFor();
  await expect.poll(() => steps().count()).toBe(0);
});

it('a client of one agent is suggested a question that works there, or the agent a tool', async () => {
  hub = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  const [url] = await hub.says(/http:\/\/127\.0\.0\.1:\d+/);
  await page.goto(url);
  await steps().getByText('0 of 5').waitFor();
  const add = (data: object) => page.request.post(`${url}/api/agents`, { data, headers: { origin: url } });
  await add({ name: 'Sage', tools: ['agent_zoo_query_brain_entries'] });
  await add({ name: 'Otter' });
  const connect = (agentId: string) => connectV1({ url: `${url}/mcp?agent=${agentId}` }, 'claude-code');
  await using connected = new AsyncDisposableStack();
  const otter = await connect('otter');
  connected.defer(() => otter.close());
  await steps().getByRole('link', { name: 'Give Otter a tool' }).waitFor();
  const sage = await connect('sage');
  connected.defer(() => sage.close());
  expect(await sage.toolNames()).toEqual(['agent_zoo_query_brain_entries']);
  await steps().getByText('Use agent_zoo_query_brain_entries and tell me what you remember').waitFor();
  expect(await steps().getByText('List my agents').count()).toBe(0);
  await sage.call('agent_zoo_query_brain_entries', { agentId: 'sage' });
  await steps().getByText('A client has called a tool').waitFor();
});

it('on a phone, an example of the first steps opens its template where it is seen', async () => {
  hub = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  const [url] = await hub.says(/http:\/\/127\.0\.0\.1:\d+/);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(url);
  const cardOf = (name: string) =>
    page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
  // The second time, the templates are loaded already.
  for (const name of ['Writer', 'Debugger']) {
    await steps().getByRole('link', { name }).click();
    await cardOf(name).getByRole('heading', { name: 'System prompt' }).waitFor();
    await expect.poll(() => page.getByRole('heading', { name: 'System prompt' }).count()).toBe(1);
    // Nothing covers its button, the bar at the bottom included.
    const isSeen = () =>
      button(`Use ${name}`).evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      });
    await expect.poll(isSeen).toBe(true);
    const edgeOf = (card: string) => cardOf(card).evaluate((element) => getComputedStyle(element).borderColor);
    await expect.poll(async () => (await edgeOf(name)) !== (await edgeOf('Code reviewer'))).toBe(true);
    await page.goBack();
  }
});
