import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestTab } from '../support/browser/browser.ts';
import { untilTyping } from '../support/browser/focus.ts';
import { connectV1, connectV2, type McpTarget } from '../support/clients/mcp-clients.ts';
import { type RunningZoo, startZoo, type ZooFolder, zooFolder, zooScript } from '../support/command/run-zoo.ts';

/** From a folder to an agent that knows its content: add, sync, search, open, prime and inject. */
let folder: ZooFolder;
let hub: RunningZoo;
let page: Page;
const tab = new TestTab({});
let url: string;

const passage = 'Copy the newest snapshot to the standby before you touch the primary.';
const otherPassage = 'The pager goes to the second person after five minutes.';

beforeAll(async () => {
  folder = await zooFolder();
  const notes = join(folder.dir, 'notes');
  await mkdir(notes);
  await writeFile(join(notes, 'backups.md'), `# Backups\n\nThey run at night.\n\n## Restore\n\n${passage}\n`);
  await writeFile(join(notes, 'on-call.md'), `# On call\n\n## Escalation\n\n${otherPassage}\n`);
  for (let number = 1; number <= 300; number += 1) {
    await writeFile(join(notes, `day-${number}.md`), `# Day ${number}\n\nNothing happened on day ${number}.\n`);
  }
  await writeFile(join(folder.dir, 'zoo.toml'), '[chunking]\nmax_tokens = 32\noverlap_tokens = 0\n');
  hub = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  url = (await hub.says(/http:\/\/127\.0\.0\.1:\d+/))[0];
  page = await tab.open();
});

afterAll(async () => {
  await tab.close();
  await hub?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** Records every state and progress text of the source card. */
async function recordStates(): Promise<void> {
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seenStates: seen });
    new MutationObserver(() => {
      const card = document.querySelector('[data-source="filesystem:notes"]');
      const bar = card?.querySelector('[role="progressbar"]')?.getAttribute('aria-valuetext');
      for (const now of [card?.getAttribute('data-state'), bar]) {
        if (now && seen.at(-1) !== now && !seen.includes(now)) seen.push(now);
      }
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
}

it('a folder is added, synced live, searched, and primes an agent for real clients', async () => {
  await page.goto(url);
  await page.locator('[data-live="live"]').first().waitFor();
  await page.getByRole('link', { name: 'Knowledge' }).first().click();
  await page.getByRole('heading', { name: 'No sources yet' }).waitFor();

  await page.getByRole('button', { name: 'Add folder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add folder' });
  await dialog.getByRole('button', { name: 'Add and sync' }).click();
  await dialog.getByText('Enter a folder path.').waitFor();
  await dialog.getByLabel('Folder').fill(join(folder.dir, 'notes'));
  expect(await dialog.getByLabel('Name').inputValue()).toBe('notes');
  await recordStates();
  await dialog.getByRole('button', { name: 'Add and sync' }).click();
  const card = page.getByRole('listitem', { name: 'notes' });
  await card.and(page.locator('[data-state="ready"]')).waitFor();
  await card.getByText('302 documents').waitFor();
  const seen = await page.evaluate(() => Reflect.get(window, 'seenStates') as string[]);
  expect(seen.filter((text) => text === 'syncing' || text === 'ready')).toEqual(['syncing', 'ready']);

  await page.keyboard.press('/');
  await untilTyping(page);
  await page.keyboard.type('restore the newest snapshot');
  await page.waitForURL(/\/knowledge\/search\?q=restore.*snapshot$/);
  const first = page.getByRole('list', { name: 'Results' }).getByRole('listitem').first();
  await first.getByRole('link', { name: /Backups.*Restore/ }).waitFor();
  await expect.poll(() => first.locator('mark').allTextContents()).toContain('snapshot');
  await first.getByText(/^backups\.md:\d+/).waitFor();
  await page.locator('[aria-label="Results"]:not([data-old])').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-result="0"]:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/knowledge\/documents\/[^/]+\?q=.*#p\d+$/);
  const opened = page.locator('[data-opened]');
  await opened.getByText(passage).waitFor();
  expect(await opened.count()).toBe(1);

  await page.getByRole('button', { name: 'Create agent from this' }).click();
  await page.getByLabel('Name').fill('Backup expert');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/a/backup-expert?tab=knowledge');
  const passages = page.getByRole('list', { name: 'Passages' });
  await passages.getByText('Backups › Restore').first().waitFor();
  await passages
    .getByText(/^backups\.md:\d+/)
    .first()
    .waitFor();
  const primed = page.getByTestId('primed-section');
  await primed.getByText(passage).waitFor();

  const wholePrompt = async () =>
    `${await page.getByTestId('compiled-prompt').textContent()}\n\n---\n\n${await primed.textContent()}`;
  const stdio: McpTarget = {
    command: process.execPath,
    args: [zooScript, 'mcp', '--config', join(folder.dir, 'zoo.toml')],
    env: { PATH: process.env.PATH ?? '', HOME: folder.dir, AGENT_ZOO_HOME: `${folder.dir}/home` },
  };
  const clients = await Promise.all([
    connectV1({ url: `${url}/mcp` }),
    connectV2({ url: `${url}/mcp` }, { pin: '2026-07-28' }),
    connectV1(stdio),
  ]);
  /** An injected prompt has the identity line. MCP prompts of an agent without `agent_zoo_*` tools have its text as written. */
  const gotByAll = async (shown: string) => {
    const [identity = ''] = /^You are now Backup expert\. .*\n\n/.exec(shown) ?? [];
    expect(identity).not.toBe('');
    for (const client of clients) {
      expect(await client.promptTexts('backup-expert')).toEqual([shown.slice(identity.length)]);
      const injected = await client.call('agent_zoo_inject', { agentId: 'backup-expert' });
      expect(injected.structuredContent).toMatchObject({ prompt: shown });
    }
  };
  try {
    const shown = await wholePrompt();
    expect(shown).toContain(passage);
    await gotByAll(shown);

    await page.getByLabel('Search for').fill('when does the pager go to the second person');
    await primed.getByText(otherPassage).waitFor();
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText(/^Saved/).waitFor();
    const changed = await wholePrompt();
    expect(changed).not.toBe(shown);
    await gotByAll(changed);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
});
