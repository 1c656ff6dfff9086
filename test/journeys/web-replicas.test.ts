import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signIn } from '../../scripts/sign-in.ts';
import { TestTab } from '../support/browser/browser.ts';
import { newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

/** The page of a server that two processes see in two versions. */
const program = fileURLToPath(new URL('../support/servers/versioned-server.ts', import.meta.url));
const tab = new TestTab({ viewport: { width: 1440, height: 900 } });
let database: TestDatabase;
let one: TestHub;
let other: TestHub;
let page: Page;

async function serve(version: string): Promise<TestHub> {
  const entry = `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([program, version])}\n`;
  const hub = await serveTestHub({ toml: `[mcp_servers.tools]\n${entry}`, db: database.db, watch: true });
  expect((await hub.call('POST', '/api/servers/tools/connect')).status).toBe(200);
  return hub;
}

beforeAll(async () => {
  database = await newTestDatabase('sqlite');
  one = await serve('2.0.3');
  other = await serve('2.1.0');
  page = await tab.open();
  await signIn(page.context(), { hub: one.hub, url: one.server.url });
});

afterAll(async () => {
  await tab.close();
  await Promise.all([one?.end(), other?.end()]);
  await database?.remove();
});

it('the page says which process sees which version, and accepts what waits on the other', async () => {
  await page.goto(`${one.server.url}/servers`);
  const row = page.getByRole('listitem', { name: 'tools', exact: true });
  await row.getByText(/^2\.0\.3 on .+; 2\.1\.0 on .+$/).waitFor();
  await row.getByText('2 tools to review').waitFor();
  await page.goto(`${one.server.url}/servers/tools`);
  const versions = page.getByRole('region', { name: 'Versions' });
  await versions.getByText(/^2\.0\.3 on .+; 2\.1\.0 on .+$/).waitFor();
  await versions
    .getByText(
      /^This page shows the state, tools and log of .+\. Connect, Disconnect and Reconnect affect all processes\.$/,
    )
    .waitFor();
  const review = page.getByRole('region', { name: 'Tools to review' });
  await review.getByRole('article', { name: 'greet' }).getByText('in 2.1.0').waitFor();
  await review.getByRole('button', { name: 'Accept greet' }).click();
  await review.getByRole('article', { name: 'greet' }).waitFor({ state: 'detached' });
  await review.getByRole('button', { name: 'Accept added' }).click();
  await review.waitFor({ state: 'detached' });
  // The tool is missing here, and cannot be removed while another version has it.
  const added = page.getByRole('article', { name: 'added' });
  await added.getByText('Version 2.0.3 does not list it; 2.1.0 does.').waitFor();
  expect(await added.getByRole('button', { name: 'Remove added' }).count()).toBe(0);
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByText(/^Last 1 line on .+\. Other processes have their own log\.$/).waitFor();
  await page.getByText('version 2.0.3 has started').waitFor();
});
