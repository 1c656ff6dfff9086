import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TestTab } from '../support/browser/browser.ts';
import { autonomousAgent, openPeerHub } from '../support/hubs/a2a-hub.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startWebhookReceiver } from '../support/servers/webhook-receiver.ts';

/** Settings in the app. Each test continues the one before. */
const toml = `# The hub of the desk.

[log]
# The auditors want a year.
keep_days   =   365   # days

# Who may do what.
[permissions.WORKER]
allow = [
  "mcp__mail__*", # they answer
]
`;

let zoo: TestHub;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
beforeAll(async () => {
  zoo = await serveTestHub({ toml, watch: true });
  zoo.hub.startTeam();
});
afterAll(async () => {
  await tab.close();
  await zoo.end();
});

const file = () => readFile(join(zoo.folder, 'zoo.toml'), 'utf8');

const oldChat = (title: string) => ({
  id: title,
  title,
  agentId: 'kind',
  model: null,
  arguments: {},
  origin: { kind: 'chat' as const },
});

async function open(path: string, viewport?: { width: number; height: number }) {
  const page = await tab.open(viewport);
  await page.goto(`${zoo.server.url}${path}`);
  return page;
}

test('retention that stands in a commented zoo.toml is changed there, and nothing else in the file changes', async () => {
  const page = await open('/');
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Retention' }).click();
  const row = page.getByRole('list', { name: 'Retention' }).getByRole('listitem').filter({ hasText: 'Decision log' });
  await row.getByText('zoo.toml line 5').waitFor();
  await row.getByText('365 days').waitFor();
  await row.getByRole('button', { name: 'Change Decision log' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Days' }).fill('30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const diff = dialog.getByRole('table', { name: 'Changed lines' });
  await diff.waitFor();
  expect((await diff.getByRole('row').allTextContents()).map((text) => text.trim())).toEqual([
    '5−keep_days   =   365   # days',
    '5+keep_days   =   30   # days',
  ]);
  expect(await file()).toBe(toml);
  await dialog.getByRole('button', { name: 'Write to' }).click();
  await row.getByText('30 days').waitFor();
  expect(await file()).toBe(toml.replace('365', '30'));
});

test('a value that is not in the file is stored in the hub, and a wrong one is explained', async () => {
  const page = await open('/settings/retention');
  const row = page.getByRole('list', { name: 'Retention' }).getByRole('listitem').filter({ hasText: 'without a new' });
  await row.getByRole('button', { name: 'Change Chats' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Days' }).fill('soon');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter a number.').waitFor();
  await dialog.getByRole('textbox', { name: 'Days' }).fill('9999999');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/chats\.keep_days/).waitFor();
  await dialog.getByRole('textbox', { name: 'Days' }).fill('14');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row.getByText('this hub').waitFor();
  await row.getByText('14 days').waitFor();
  expect(await file()).not.toContain('14');
});

test('a shorter retention asks before it deletes, and says how much', async () => {
  for (const title of ['One', 'Two']) await zoo.hub.store.chats.create(oldChat(title));
  const page = await open('/settings/retention');
  const row = page.getByRole('list', { name: 'Retention' }).getByRole('listitem').filter({ hasText: 'without a new' });
  await row.getByRole('button', { name: 'Change Chats' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Days' }).fill('0.0000001');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('This deletes 2 chats older than 0 days for good within 30 seconds.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await row.getByText('14 days').waitFor();
});

test('what was typed into a form of the settings survives closing it and a reload, except secrets', async () => {
  const page = await open('/settings/webhooks');
  const add = page.getByRole('button', { name: 'Add webhook' }).first();
  const dialog = page.getByRole('dialog');
  await add.click();
  await dialog.getByRole('textbox', { name: 'Address' }).fill('https://example.com/in');
  const secret = dialog.getByRole('textbox', { name: 'Secret', exact: true });
  const generated = await secret.inputValue();
  await secret.fill('a secret that is not kept');
  // Closing would lose it, so a click outside does nothing, and Esc asks.
  await page.mouse.click(5, 5);
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Discard the secret?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  expect(await secret.inputValue()).toBe('a secret that is not kept');
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard', exact: true }).click();
  await secret.waitFor({ state: 'detached' });
  await page.reload();
  await add.click();
  await dialog.getByText('Restored what you typed').waitFor();
  await dialog.getByText('This is a new secret, because the browser does not keep secrets').waitFor();
  expect(await secret.inputValue()).not.toBe(generated);
  expect(await dialog.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('https://example.com/in');
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('a secret that is not kept');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('');
});

test('an address at which the hub could not start is refused, and one with everything that it needs is written', async () => {
  const page = await open('/settings');
  await page.getByRole('button', { name: 'Change Listens on' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Listens on' }).fill('0.0.0.0:7331');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/The hub could not start with this/).waitFor();
  await dialog.getByRole('textbox', { name: 'Public address' }).fill('https://zoo.example');
  await dialog.getByRole('textbox', { name: 'Trusted proxies' }).fill('10.0.0.2, 10.1.0.0/16');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Write to' }).click();
  await page.getByText('Restart the hub to apply:').waitFor();
  expect(await file()).toContain('trusted_proxies = ["10.0.0.2", "10.1.0.0/16"]');
});

test('a webhook that is added receives a test and then events', async () => {
  const secret = 'a secret for the hook';
  const hook = await startWebhookReceiver(secret);
  const page = await open('/settings/webhooks', { width: 390, height: 844 });
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('desk');
  await dialog.getByRole('textbox', { name: 'Address' }).fill(`${hook.url}/in`);
  await dialog.getByRole('textbox', { name: 'Secret', exact: true }).fill(secret);
  await dialog.getByRole('button', { name: 'Only these' }).click();
  const event = dialog.getByRole('checkbox', { name: /mail\.sent/ });
  await event.uncheck();
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByText('Choose at least one event.').waitFor();
  await event.check();
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  const card = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem', { name: 'desk' });
  await card.getByText('No event has been sent yet.').waitFor();
  await card.getByRole('button', { name: 'Send test' }).click();
  await card.getByText(/^Delivered · \d+ ms$/).waitFor();
  expect(hook.received).toMatchObject([{ isSigned: true, body: { type: 'webhook.test' } }]);
  await zoo.call('POST', '/api/team/members', { body: { id: 'worker-1', type: 'WORKER' } });
  await zoo.call('POST', '/api/mail', { body: { toAgentId: 'worker-1', subject: 'Hello', body: 'x' } });
  await vi.waitFor(() => expect(hook.received).toHaveLength(2), { timeout: 20_000 });
  await page.reload();
  await card.getByText(/Last event: Delivered/).waitFor();
  expect(await page.content()).not.toContain(secret);
  await card.getByRole('button', { name: 'Remove desk' }).click();
  await page.getByText('No webhooks yet').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await card.waitFor();
  await card.getByRole('button', { name: 'Remove desk' }).click();
  await page.getByText('No webhooks yet').waitFor();
  // Its name is free at once.
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('desk');
  await dialog.getByRole('textbox', { name: 'Address' }).fill(`${hook.url}/again`);
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await card.getByText(`${hook.url}/again`).waitFor();
  await card.getByRole('button', { name: 'Remove desk' }).click();
  await page.reload();
  await vi.waitFor(async () => expect((await zoo.hub.settings.read()).webhooks).toEqual([]));
  await hook.close();
});

test('a peer is added, tested, edited and removed', async () => {
  const office = await openPeerHub([], { agents: [autonomousAgent('clerk')] });
  try {
    const { secret } = await office.hub.hub.callers.createKey({ name: 'desk' });
    const page = await open('/settings/peers');
    await page.getByRole('button', { name: 'Add peer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('office');
    await dialog.getByRole('textbox', { name: 'Address' }).fill(`http://127.0.0.1:${await freePort()}/agents/clerk`);
    await dialog.getByRole('button', { name: 'Add peer' }).click();
    const card = page.getByRole('list', { name: 'Peers' }).getByRole('listitem', { name: 'office' });
    await card.getByText('No token').waitFor();
    await card.getByRole('button', { name: 'Test' }).click();
    await card.getByRole('status').getByText('ECONNREFUSED').waitFor();

    await card.getByRole('button', { name: 'Edit office' }).click();
    await dialog.getByRole('textbox', { name: 'Address' }).fill(office.url('clerk'));
    await dialog.getByLabel('Token').fill(secret);
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard the token?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('With a token').waitFor();
    await card.getByRole('button', { name: 'Test' }).click();
    await card.getByText(/^Connected: The clerk · \d+ ms$/).waitFor();
    expect(await page.content()).not.toContain(secret);

    await card.getByRole('button', { name: 'Remove office' }).click();
    await page.getByText('No peers yet').waitFor();
    await page.reload();
    await vi.waitFor(async () => expect((await zoo.hub.settings.read()).peers).toEqual([]));
  } finally {
    await office.end();
  }
});

test('a folder is trusted after its config was shown, and can be forgotten', async () => {
  const folder = join(zoo.folder, 'cloned');
  await mkdir(folder);
  await writeFile(
    join(folder, 'zoo.toml'),
    '[mcp_servers.files]\ncommand = "node"\nargs = ["server.js"]\nenabled = false\n[mcp_servers.files.env]\nNODE_OPTIONS = "--require ./evil.js"\n',
  );
  await writeFile(join(folder, 'server.js'), Array.from({ length: 250 }, (_, line) => `// line ${line}`).join('\n'));
  const page = await open('/settings/folders');
  await page.getByRole('textbox', { name: 'Path of a folder' }).fill(folder);
  await page.getByRole('button', { name: 'Inspect' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByText(/Starts "node server.js" on this machine, with all your rights, as the server "files"./)
    .waitFor();
  // Everything is there to see: the section with the names of its variables, and the script as a whole.
  await dialog.getByText('NODE_OPTIONS = "--require ./evil.js"', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'server.js' }).click();
  await dialog.getByRole('button', { name: 'Show 50 more lines' }).click();
  await dialog.getByText('// line 249', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Trust' }).click();
  const card = page.getByRole('list', { name: 'Trusted folders' }).getByRole('listitem').filter({ hasText: 'cloned' });
  await card.getByText('trusted', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Stop trusting' }).click();
  await dialog.getByRole('button', { name: 'Stop trusting' }).click();
  await page.getByText('No folder is trusted yet').waitFor();
});

test('the rules of a role are edited where they are shown, with the comments of the file kept', async () => {
  const page = await open('/settings');
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Role permissions' }).click();
  await page.getByRole('button', { name: 'Edit the rules of Worker' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Allowed tools' }).fill('mcp__mail__*\nsearch');
  await dialog.getByRole('button', { name: 'Save allowed tools' }).click();
  await dialog.getByRole('button', { name: 'Write to' }).click();
  await page.getByRole('region', { name: 'Rules' }).getByText('search', { exact: true }).waitFor();
  expect(await file()).toContain('  "mcp__mail__*", # they answer\n  "search",\n]');
});

test('a webhook that receives only the anchors of the log is edited without getting team events', async () => {
  const webhook = { url: 'http://127.0.0.1:9/anchors', events: [], secret: 'a secret for the anchors' };
  await zoo.hub.settings.apply({ kind: 'webhook', name: 'vault', webhook });
  await zoo.hub.settings.apply({ kind: 'values', values: [{ key: 'log.anchor_webhook', value: 'vault' }] });
  const page = await open('/settings/webhooks');
  await page.getByText('Only the log’s anchors').waitFor();
  await page.getByRole('button', { name: 'Edit vault' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('No team events: it receives only the log’s anchors.').waitFor();
  await dialog.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/moved');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const hook = async () => (await zoo.hub.settings.read()).webhooks.find(({ name }) => name === 'vault');
  await expect.poll(hook).toMatchObject({ url: 'http://127.0.0.1:9/moved', events: [] });
});
