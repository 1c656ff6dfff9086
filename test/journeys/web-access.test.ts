import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openContext } from '../support/browser/browser.ts';
import { skipAfterFailure } from '../support/chain.ts';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { type RunningZoo, runZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

/** Who may use a hub: the first browser, browsers with a link, and clients with a key. Each test continues the one before. */
let folder: ZooFolder;
let hub: RunningZoo;
let url: string;
/** The browsers of two people, or of one person on two machines. */
let first: Page;
let second: Page;

skipAfterFailure();

beforeAll(async () => {
  folder = await zooFolder({ isNew: true });
  hub = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  url = (await hub.says(/http:\/\/127\.0\.0\.1:\d+/))[0];
  first = await newProfile().then((context) => context.newPage());
  second = await newProfile().then((context) => context.newPage());
});

afterAll(async () => {
  await first?.context().close();
  await second?.context().close();
  await hub?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const newProfile = () => openContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

async function newLink(): Promise<string> {
  const { stdout } = await runZoo(['open', '--print', '--bind', new URL(url).host], { cwd: folder.dir });
  return /http:\S+#zoo_code_\S+/.exec(stdout)?.[0] ?? stdout;
}

const statusOf = (page: Page, path: string) => page.evaluate(async (each) => (await fetch(each)).status, path);
const appears = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const isSignedIn = (page: Page) => page.getByRole('link', { name: 'New agent' }).first().waitFor();

test('the first browser claims a new installation without a step, and the app says so', async () => {
  await first.goto(url);
  await isSignedIn(first);
  await appears(first, 'New installation: this browser owns it.');
  await first.getByRole('link', { name: 'Not you?' }).click();
  await first.getByRole('heading', { name: 'Access' }).waitFor();
  await appears(first, /This browser was the first to open this installation/);
  const row = first.getByRole('list', { name: 'Signed-in browsers' }).getByRole('listitem');
  await expect
    .poll(() => row.allTextContents())
    .toEqual([expect.stringMatching(/^Chrome on LinuxThis browserFirst browser/)]);
});

test('another browser sees nothing until it has a link', async () => {
  await second.goto(`${url}/mail`);
  await second.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
  await appears(second, 'zoo open');
  await appears(second, /Chrome on Linux opened this installation first, .+, and needed no link\. Not you\?/);
  expect(await second.getByRole('navigation').count()).toBe(0);
  for (const path of ['/api/agents', '/api/status', '/api/keys', '/api/sessions', '/api/events', '/api/connect'])
    expect([path, await statusOf(second, path)]).toEqual([path, 401]);
});

test('a link signs one browser in, once, and a page that waits for it continues', async () => {
  const link = await newLink();
  const other = await second.context().newPage();
  await other.goto(link);
  await isSignedIn(other);
  expect(new URL(other.url()).pathname).toBe('/');
  // The page that was refused before continues where it was.
  await isSignedIn(second);
  expect(new URL(second.url()).pathname).toBe('/mail');
  expect(await other.getByText('New installation').count()).toBe(0);
  await other.goto(link);
  // This browser is signed in, so a used link does no harm.
  await isSignedIn(other);
  await other.close();

  const third = await newProfile();
  const page = await third.newPage();
  await page.goto(link);
  await page.getByRole('alert').getByText('This link has been used or is too old').waitFor();
  expect(page.url()).toBe(`${url}/sign-in`);
  await page.goto(`${url}/sign-in#nonsense`);
  await page.reload();
  await page.getByRole('alert').getByText('This link has been used or is too old').waitFor();
  await third.close();
});

test('another name of this machine leads to the address of the hub', async () => {
  const third = await newProfile();
  const page = await third.newPage();
  await page.goto(`${url.replace('127.0.0.1', 'localhost')}/decisions?kind=error`);
  await page.waitForURL(`${url}/decisions?kind=error`);
  await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
  await page.goto((await newLink()).replace('127.0.0.1', 'localhost'));
  await isSignedIn(page);
  expect(new URL(page.url()).origin).toBe(url);
  await page.goto(`${url}/access`);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'This browser was signed out' }).waitFor();
  await third.close();
});

test('signing out ends this browser, another one, or all of them', async () => {
  await second.goto(`${url}/access`);
  await second.getByRole('button', { name: 'Sign out', exact: true }).click();
  await second.getByRole('heading', { name: 'This browser was signed out' }).waitFor();
  expect(await statusOf(second, '/api/agents')).toBe(401);
  expect(await statusOf(first, '/api/agents')).toBe(200);

  await second.goto(await newLink());
  await isSignedIn(second);
  await second.goto(`${url}/access`);
  const rows = second.getByRole('list', { name: 'Signed-in browsers' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(2);
  await first.goto(`${url}/access`);
  await first
    .getByRole('listitem')
    .getByRole('button', { name: /^Sign out / })
    .click();
  await second.getByRole('heading', { name: 'This browser was signed out' }).waitFor();
  expect(await statusOf(second, '/api/agents')).toBe(401);
  await second.goto(await newLink());
  await isSignedIn(second);
  await first.getByRole('button', { name: 'Sign out everywhere' }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await statusOf(first, '/api/agents')).toBe(200);
  await first.getByRole('button', { name: 'Sign out everywhere' }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await first.getByRole('heading', { name: 'This browser was signed out' }).waitFor();
  await second.getByRole('heading', { name: 'This browser was signed out' }).waitFor();
  expect(await statusOf(second, '/api/agents')).toBe(401);
  // Nobody can claim the installation a second time.
  await first.goto(url);
  await first.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
});

test('the Connect page makes a key, a real client connects with it, and its name appears', async () => {
  await first.goto(await newLink());
  await isSignedIn(first);
  await first.goto(`${url}/connect?client=claude-code`);
  await appears(first, 'Bearer YOUR_KEY');
  await appears(first, 'it can only use the hub’s own tools');
  await first.getByRole('button', { name: 'Create a key for Claude Code' }).click();
  await appears(first, 'The key for Claude Code is filled in below.');
  await expect.poll(() => first.evaluate(() => document.activeElement?.textContent)).toBe('Copy');
  const snippet = (await first.locator('figure code').first().textContent()) ?? '';
  const token = /Bearer (zoo_client_[\w-]{43})/.exec(snippet)?.[1] ?? snippet;

  const client = await connectV1({ url: `${url}/mcp`, token }, 'claude-code');
  expect(await client.toolNames()).toContain('agent_zoo_inject');
  await appears(first, 'Claude Code connected, ');
  await first.getByRole('button', { name: 'Cursor' }).click();
  await first.getByRole('button', { name: 'Claude Code' }).click();
  await appears(first, 'The key for Claude Code is filled in below.');

  await first.getByRole('link', { name: 'Manage keys' }).click();
  const row = first.getByRole('list', { name: 'Client keys' }).getByRole('listitem');
  await row.first().waitFor();
  await expect
    .poll(() => row.allTextContents())
    .toEqual([expect.stringMatching(/^Claude CodeAll agentsLast used just now/)]);
  expect(await first.content()).not.toContain(token);
  await first.getByRole('button', { name: 'Revoke the key of Claude Code' }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await appears(first, 'No client has a key yet.');
  await expect(client.toolNames()).rejects.toThrow(/not valid|401/);
  await expect(connectV1({ url: `${url}/mcp`, token })).rejects.toThrow(/not valid|401/);
  await client.close();
});

test('a key for a script is made on the Access page and shown once', async () => {
  await first.getByRole('button', { name: 'Create key' }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await first.getByRole('alert').getByText('Name the client or script that uses the key.').waitFor();
  await first.getByLabel('Name').fill('Nightly report');
  await first.keyboard.press('Enter');
  const secret = await first.getByRole('textbox', { name: 'Key' }).inputValue();
  expect(secret).toMatch(/^zoo_client_[\w-]{43}$/);
  // Pressing Enter by reflex copies the key, which would otherwise be lost.
  const copy = first.getByRole('button', { name: 'Copy key' });
  await expect.poll(() => copy.evaluate((button) => button === document.activeElement)).toBe(true);
  await first.keyboard.press('Enter');
  expect(await first.getByRole('textbox', { name: 'Key' }).inputValue()).toBe(secret);
  await first.getByRole('button', { name: 'Done' }).click();
  await appears(first, 'Never used');
  expect(await first.content()).not.toContain(secret);
  const { status } = await fetch(`${url}/api/keys`, { headers: { authorization: `Bearer ${secret}` } });
  expect(status).toBe(403);
});
