import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signIn } from '../../scripts/sign-in.ts';
import type { Message } from '../../src/engine/message.ts';
import { noUsage } from '../../src/engine/usage.ts';
import { createHub, loadConfig, serveHttp } from '../../src/index.ts';
import { TestTab } from '../support/browser/browser.ts';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { autonomousAgent } from '../support/hubs/a2a-hub.ts';
import { type ObedientHub, openObedientHub } from '../support/hubs/obedient-hub.ts';
import type { TestHub } from '../support/hubs/serve-test-hub.ts';
import type { ModelStep } from '../support/models/model-server.ts';
import { decideInBrowser, OAuthServer } from '../support/servers/oauth-server.ts';

let zoo: ObedientHub;
let hub: TestHub;
let page: Page;
/** What the model does instead of what it is told. */
let script: () => ModelStep | undefined;
const tab = new TestTab({ reducedMotion: 'reduce' });

beforeEach(async () => {
  script = () => undefined;
  zoo = await openObedientHub({
    script: () => script(),
    agents: [autonomousAgent('clerk', { name: 'Clerk', tools: ['send', 'wipe', 'count'] })],
  });
  hub = zoo.hub;
  page = await tab.open();
  await signIn(page.context(), { hub: hub.hub, url: hub.server.url });
});
afterEach(async () => {
  await tab.leave();
  await zoo.end();
});
afterAll(() => tab.close());

const question: Message = { role: 'user', content: [{ type: 'text', text: 'count' }] };
const open = (path: string) => page.goto(hub.server.url + path);
const item = (title: string) => page.getByRole('listitem', { name: title, exact: true });
const bell = () =>
  page
    .getByRole('navigation', { name: 'Main' })
    .first()
    .getByRole('link', { name: /^Inbox/ });

describe('a team with approval', () => {
  it('asks in the inbox, as it happens, and is answered there', async () => {
    await open('/inbox');
    await page.getByText('Nothing is waiting for you').waitFor();
    const input = { to: 'bob', text: 'hello' };
    await hub.hub.chats.create({ agentId: 'clerk', message: `send ${JSON.stringify(input)}` });
    await item('Clerk wants to call send').waitFor();
    await expect.poll(() => bell().textContent()).toContain('1');
    await expect.poll(() => page.title()).toMatch(/^\(1\) Inbox/);
    await page.keyboard.press('j');
    await page.locator('[data-row] button:focus').waitFor();
    await page.keyboard.press('Enter');
    await item('Clerk wants to call send').getByText('hello').waitFor();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await vi.waitFor(() => expect(zoo.sent).toEqual([input]));
    await page.getByText('Nothing is waiting for you').waitFor();
    await expect.poll(() => page.title()).toMatch(/^Inbox/);

    const { body } = await hub.call<{ token: string }>('POST', '/api/team/members', {
      body: { id: 'worker-1', type: 'WORKER' },
    });
    const task = await hub.call<{ id: string }>('POST', '/api/tasks', {
      body: { title: 'Write the report', assigneeId: 'worker-1' },
    });
    const as = await hub.hub.memberCaller('mcp', { token: body.token });
    const work = (tool: string, given: object) => hub.hub.execute({ caller: as, tool, input: given });
    for (const status of ['IN_PROGRESS', 'REVIEW'])
      await work('mcp__task__update_status', { taskId: task.body.id, status });
    await work('mcp__mail__send', { toHuman: true, subject: 'One question', body: 'Which format?' });

    await item('Write the report')
      .getByRole('button', { name: /Write the report/ })
      .click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await item('Write the report').waitFor({ state: 'detached' });
    await item('One question')
      .getByRole('button', { name: /One question/ })
      .click();
    await page.getByText('Which format?').waitFor();
    await page.getByLabel('Reply to worker-1').fill('PDF, please.');
    await page.getByRole('button', { name: 'Send' }).click();
    await item('One question').getByRole('list', { name: 'Mails' }).getByText('PDF, please.').waitFor();
    const state = await hub.call<{ state: string }>('GET', `/api/tasks/${task.body.id}`);
    expect(state.body.state).toBe('COMPLETED');
  });
});

describe('by the keyboard', () => {
  it('failures are dismissed one after the other, and a failed undo says so', async () => {
    script = () => ({ status: 400, body: { error: { message: 'No such model.' } } });
    for (let count = 0; count < 3; count += 1) await zoo.talk('clerk', 'count');
    await open('/inbox');
    await expect.poll(() => item('Clerk: answer failed').count()).toBe(3);
    await page.keyboard.press('j');
    await page.locator('[data-row] button:focus').waitFor();
    for (const left of [2, 1]) {
      await page.keyboard.press('e');
      await expect.poll(() => item('Clerk: answer failed').count()).toBe(left);
      await page.locator('[data-row] button:focus').waitFor();
    }
    await page.route('**/api/inbox/dismissed/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.getByText('The item could not be brought back').waitFor();
  });
});

describe('settled in place', () => {
  it('a failed run is started once, even if its item cannot be dismissed at first', async () => {
    const { runs } = hub.hub.store;
    const listed = async () => (await runs.list({ limit: 10 })).runs;
    await zoo.talk('clerk', 'count');
    const model = (await listed())[0]?.model ?? '';
    await runs.begin({ id: 'run_1', agentId: 'clerk', model, title: 'Count', messages: [question] });
    const end = { status: 'failed', reason: 'Broken.', error: null } as const;
    await runs.finish('run_1', { ...end, ticks: 0, usage: noUsage, cost: 0, messages: [question], calls: [] });
    await open('/inbox');
    await expand('Clerk: run failed');
    await page.route('**/api/inbox/dismissed', (route) => route.abort());
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Started again, but this item could not be dismissed').waitFor();
    await page.unroute('**/api/inbox/dismissed');
    await page.getByRole('button', { name: 'Try again' }).click();
    await item('Clerk: run failed').waitFor({ state: 'detached' });
    expect(await listed()).toHaveLength(3);
  });

  const changing = resolve(import.meta.dirname, '../support/servers/changing-server.ts');
  const expand = (title: string) => item(title).getByRole('button', { expanded: false }).first().click();
  const addServer = (name: string, args: readonly string[]) =>
    hub.call('POST', '/api/servers', {
      body: { name, definition: { transport: 'stdio', command: process.execPath, args, trust: 'first-use' } },
    });
  const isEmpty = () => page.getByText('Nothing is waiting for you').waitFor();

  it('tools that a server changed are accepted after their difference was shown', async () => {
    await addServer('files', [changing, hub.folder]);
    await hub.call('POST', '/api/servers/files/connect', { body: {} });
    await hub.call('POST', '/api/servers/files/accept', { body: {} });
    await open('/inbox');
    await isEmpty();
    await hub.call('POST', '/api/tools/mcp__files__change/call', { body: { input: {} } });
    await expand('1 changed tool from files');
    const review = page.getByRole('region', { name: 'Tools to review' });
    await review.getByText('append', { exact: true }).first().waitFor();
    await review.getByRole('button', { name: 'Accept append' }).click();
    await isEmpty();
    const statusOf = async (tool: string) => {
      type Server = { tools: { remoteName: string; status: string }[] };
      const { body } = await hub.call<Server>('GET', '/api/servers/files');
      return body.tools.find(({ remoteName }) => remoteName === tool)?.status;
    };
    await expect.poll(() => statusOf('append')).toBe('active');
  });

  it('an answer that failed is tried again, or dismissed and taken back', async () => {
    script = () => ({ status: 400, body: { error: { message: 'No such model.' } } });
    await zoo.talk('clerk', 'count');
    await open('/inbox');
    await expand('Clerk: answer failed');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await isEmpty();
    await page.getByRole('button', { name: 'Undo' }).click();
    await item('Clerk: answer failed').waitFor();
    script = () => ({ text: 'One.' });
    await page.getByRole('button', { name: 'Try again' }).click();
    await isEmpty();
  });

  it('a server that is down is connected again', async () => {
    const program = join(hub.folder, 'late-server.ts');
    await addServer('late', [program, hub.folder]);
    await hub.call('POST', '/api/servers/late/connect', { body: {} });
    await open('/inbox');
    await expand('The server late is down');
    await copyFile(changing, program);
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await item('The server late is down').waitFor({ state: 'detached' });
  });

  it('a server whose sign-in was revoked is signed in to again, after a first try was refused at the provider', async () => {
    await using guarded = await new OAuthServer().start();
    const definition = { transport: 'streamable-http', url: guarded.url, auth: { type: 'oauth' }, trust: 'first-use' };
    await hub.call('POST', '/api/servers', { body: { name: 'guarded', definition } });
    await hub.call('POST', '/api/servers/guarded/connect', { body: {} });
    const begun = await hub.call<{ url: string }>('POST', '/api/servers/guarded/sign-in', { body: {} });
    const back = await decideInBrowser(begun.body.url);
    await hub.call('GET', back.pathname + back.search);
    const whoami = () => hub.call('POST', '/api/tools/mcp__guarded__whoami/call', { body: { input: {} } });
    await expect.poll(async () => (await whoami()).text).toContain('family 1');
    await open('/inbox');
    await isEmpty();

    guarded.expireAccess();
    guarded.isRefreshRefused = true;
    await whoami();
    await expand('Sign in to guarded');
    await expect.poll(() => bell().textContent()).toContain('1');
    const signInAgain = async (decision: 'allow' | 'deny', says: string) => {
      const opened = page.context().waitForEvent('page');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      const provider = await opened;
      await provider.getByRole('button', { name: decision }).click();
      await provider.getByText(says).first().waitFor();
      await provider.close();
    };
    await signInAgain('deny', 'The person said no.');
    await item('Sign in to guarded').waitFor();
    await signInAgain('allow', 'Signed in');
    await isEmpty();
    await expect.poll(async () => (await whoami()).text).toContain('family 2');
  });

  it('the credentials of a server that rejects them are changed on its settings', async () => {
    await using guarded = await new OAuthServer().start();
    const auth = { type: 'bearer', token: 'revoked' };
    const definition = { transport: 'streamable-http', url: guarded.url, auth };
    await hub.call('POST', '/api/servers', { body: { name: 'guarded', definition } });
    await hub.call('POST', '/api/servers/guarded/connect', { body: {} });
    await open('/inbox');
    await expand('The server guarded rejects its credentials');
    await page.getByRole('link', { name: 'Change credentials' }).click();
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
  });

  it('a budget appears as it is used up, and is raised there', async () => {
    const budget = { scope: { kind: 'hub' }, period: 'day', unit: 'tokens', limit: 1, action: 'warn' } as const;
    await hub.call('PUT', '/api/budgets/day', { body: budget });
    await open('/inbox');
    await isEmpty();
    // Nothing else announces a run without a chat.
    await hub.hub.runAgent({ agentId: 'clerk', input: 'Hello.' });
    const title = 'The budget of the hub for this day is used up';
    await expand(title);
    await page.getByRole('button', { name: 'Change the budget' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit budget' });
    await dialog.getByRole('textbox', { name: 'Limit' }).fill('1000000');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await isEmpty();

    await hub.call('PUT', '/api/budgets/day', { body: budget });
    await item(title).waitFor();
    await hub.call('DELETE', '/api/budgets/day');
    await isEmpty();
  });

  it('a config is trusted after its parts were shown', async () => {
    const cloned = join(hub.folder, 'cloned');
    await mkdir(cloned);
    await writeFile(join(cloned, 'zoo.toml'), '[mcp_servers.files]\ncommand = "node"\nargs = ["server.js"]\n');
    const env = { AGENT_ZOO_HOME: join(hub.folder, 'other-home') };
    const other = await createHub({ config: await loadConfig({ cwd: cloned, env, home: hub.folder }), watch: false });
    const server = await serveHttp(other, { host: '127.0.0.1', port: 0 });
    try {
      await signIn(page.context(), { hub: other, url: server.url });
      await page.goto(`${server.url}/inbox`);
      const question = page.getByRole('listitem').filter({ hasText: 'zoo.toml is not trusted yet' });
      await question.getByRole('button', { expanded: false }).click();
      await question
        .getByText('Starts "node server.js" on this machine, with all your rights, as the server "files".')
        .waitFor();
      await question.getByRole('button', { name: 'Trust', exact: true }).click();
      await question.waitFor({ state: 'detached' });
      await expect.poll(() => other.settings.heldConfig()).toBeUndefined();
    } finally {
      await tab.leave();
      await server.close();
      await other.close();
    }
  });
});

describe('the first steps', () => {
  it('say that they could not be loaded, and are loaded when asked', async () => {
    await page.route('**/api/first-steps', (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'Internal error' } } }),
    );
    await open('/');
    const problem = page.getByRole('alert').filter({ hasText: 'The first steps could not be loaded.' });
    await problem.waitFor();
    await page.unroute('**/api/first-steps');
    await problem.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'First steps' }).waitFor();
  });

  it('are checked off by what happens, can be hidden, and are found again', async () => {
    await open('/');
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('1 of 5').waitFor();
    await steps.getByText('Waiting for a client such as Claude Code…').waitFor();
    const client = await connectV1({ url: `${hub.server.url}/mcp` });
    try {
      const tools = await client.toolNames();
      await steps.getByText(`journey connected, ${tools.length} tools`).waitFor();
      await client.call('agent_zoo_list_agents', {});
      await steps.getByText('A client has called a tool').waitFor();
    } finally {
      await client.close();
    }
    await zoo.talk('clerk', 'count');
    await steps.getByText('A model has answered').waitFor();
    await steps.getByText('4 of 5').waitFor();
    await steps.getByRole('button', { name: 'Hide first steps' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Show first steps' }).click();
    await steps.getByText('4 of 5').waitFor();
  });
});
