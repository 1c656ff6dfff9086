import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signIn } from '../../scripts/sign-in.ts';
import { createAgent } from '../../src/agents/edit-agents.ts';
import { TestTab } from '../support/browser/browser.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

/** A hub that others reach under a public address, in a browser that reaches it under another one, for example on the machine itself. */
const tab = new TestTab({
  viewport: { width: 1440, height: 900 },
  permissions: ['clipboard-read', 'clipboard-write'],
});
let hub: TestHub;
let page: Page;

beforeAll(async () => {
  hub = await serveTestHub();
  const exposes = [{ name: 'ask', description: 'Answers.', parameters: { type: 'object' }, prompt: 'Answer.' }];
  await createAgent(hub.hub, { id: 'clerk', name: 'Clerk', mode: 'tools', exposes });
  page = await tab.open();
  await signIn(page.context(), { hub: hub.hub, url: hub.server.url });
  await page.route('**/api/session', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), url: 'https://zoo.example' } });
  });
});

afterAll(async () => {
  await tab.close();
  await hub?.end();
});

const open = (path: string) => page.goto(hub.server.url + path);

it('the addresses of an agent are public', async () => {
  await open('/a/clerk');
  const addresses = page.getByRole('region', { name: 'Addresses' });
  await addresses.getByText('https://zoo.example/agents/clerk/mcp', { exact: true }).waitFor();
  await open('/a/clerk?tab=offered-tools');
  await expect
    .poll(() => page.getByText('https://zoo.example/agents/clerk/mcp', { exact: true }).count())
    .toBeGreaterThan(0);
  expect(await page.getByText(hub.server.url).count()).toBe(0);
});

it("the snippets with a member's token have the public address", async () => {
  await open('/team/members');
  await page.getByRole('button', { name: 'Add member' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add member' });
  await dialog.getByLabel('Id').fill('lead');
  await dialog.getByRole('button', { name: 'Add member' }).click();
  const shown = page.getByRole('dialog', { name: "lead's token" });
  await shown.getByText('curl -X POST https://zoo.example/mcp/execute').waitFor();
  expect(await shown.getByText(hub.server.url).count()).toBe(0);
});

it('a copied call has the public address', async () => {
  await open('/tools/agent_zoo_list_agents');
  await page.getByRole('button', { name: 'Copy call' }).click();
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('https://zoo.example/');
});
