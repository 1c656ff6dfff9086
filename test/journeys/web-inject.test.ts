import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestTab } from '../support/browser/browser.ts';
import { connectV1, connectV2, inspector, type McpTarget, type McpTestClient } from '../support/clients/mcp-clients.ts';
import { type RunningZoo, startZoo, type ZooFolder, zooFolder, zooScript } from '../support/command/run-zoo.ts';

/** The whole product in one journey: create in the browser, inject everywhere, edit, and notify every client. */
let folder: ZooFolder;
let hub: RunningZoo;
let page: Page;
const tab = new TestTab({});
let url: string;

beforeAll(async () => {
  folder = await zooFolder();
  hub = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  url = (await hub.says(/http:\/\/127\.0\.0\.1:\d+/))[0];
  page = await tab.open();
});

afterAll(async () => {
  await tab.close();
  await hub?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const preview = async (): Promise<string> => (await page.getByTestId('compiled-prompt').textContent()) ?? '';

async function toggle(skill: string): Promise<void> {
  const before = await preview();
  await page.getByRole('switch', { name: `Enable ${skill}` }).click();
  await expect.poll(preview).not.toBe(before);
}

async function save(): Promise<void> {
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByText(/^Saved/).waitFor();
}

async function injectedText(client: McpTestClient): Promise<unknown> {
  const { structuredContent } = await client.call('agent_zoo_inject', { agentId: 'my-reviewer' });
  return (structuredContent as { prompt?: unknown }).prompt;
}

it('an agent created in the browser is injected into every client, byte for byte, and edits reach them', async () => {
  await page.goto(url);
  await page.getByRole('link', { name: 'New agent' }).first().click();
  await page.getByRole('button', { name: 'Use Code reviewer' }).click();
  await page.getByLabel('Name').fill('My Reviewer');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/a/my-reviewer**');

  await page.getByRole('tab', { name: /Skills/ }).click();
  expect(await preview()).not.toContain('### TypeScript');
  await toggle('TypeScript');
  await expect.poll(preview).toContain('### TypeScript');
  await save();

  const stdio: McpTarget = {
    command: process.execPath,
    args: [zooScript, 'mcp'],
    env: { PATH: process.env.PATH ?? '', HOME: folder.dir, AGENT_ZOO_HOME: `${folder.dir}/home` },
  };
  const http: McpTarget = { url: `${url}/mcp` };
  const clients = await Promise.all([
    connectV1(stdio),
    connectV1(http),
    connectV2(stdio, 'legacy'),
    connectV2(stdio, { pin: '2026-07-28' }),
    connectV2(http, 'legacy'),
    connectV2(http, { pin: '2026-07-28' }),
  ]);
  try {
    const first = await preview();
    expect(first.startsWith('You are now My Reviewer. Use agentId=my-reviewer for all agent_zoo tool usage.\n\n')).toBe(
      true,
    );
    expect(await Promise.all(clients.map(injectedText))).toEqual(clients.map(() => first));
    expect(await Promise.all(clients.map((client) => client.promptTexts('my-reviewer')))).toEqual(
      clients.map(() => [first]),
    );

    const heard = Promise.all(clients.map((client) => client.promptsChanged()));
    await toggle('TypeScript');
    await save();
    await heard;
    const second = await preview();
    expect(second).not.toBe(first);
    expect(await Promise.all(clients.map(injectedText))).toEqual(clients.map(() => second));
    for (const target of [stdio, http]) expect(await injectedText(inspector(target, folder.dir))).toBe(second);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
});
