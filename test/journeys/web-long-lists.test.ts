import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { changing, type Screen } from '../../scripts/screen.ts';
import type { HttpServer } from '../../src/http/server/serve.ts';
import { createHub, defineTool, type Hub, loadConfig, serveHttp } from '../../src/index.ts';
import { human, NewMember } from '../../src/team/members/member.ts';
import { NewTask } from '../../src/team/work/work.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilFocused, untilTyping } from '../support/browser/focus.ts';
import { fillLongLists } from '../support/hubs/fill-long-lists.ts';

/** Ten thousand of everything: a page draws only what is near its viewport. */
const count = 10_000;
const tools = Array.from({ length: 2_000 }, (_, index) =>
  defineTool({
    name: `measure_${String(index).padStart(4, '0')}`,
    title: 'Measure',
    description: 'Returns one value.',
    input: z.object({}),
    run: () => 0,
  }),
);
const maxNodes = 4_000;
let folder: string;
let hub: Hub;
let server: HttpServer;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'zoo-web-long-'));
  const env = { AGENT_ZOO_HOME: join(folder, 'data') };
  hub = await createHub({ config: await loadConfig({ cwd: folder, env, home: folder }), tools, watch: false });
  await fillLongLists(hub, count);
  server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
  page = await tab.open();
  // Thirty thousand writes take half a minute, and several times that on a busy machine.
}, 600_000);

afterAll(async () => {
  await tab.close();
  await server?.close();
  await hub?.close();
  rmSync(folder, { recursive: true, force: true });
});

const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);

/** Scrolls to the end, and again when more has loaded, until a text is drawn. */
async function scrollToText(list: Locator, text: string): Promise<void> {
  await expect
    .poll(async () => {
      await page.evaluate(() => {
        for (const each of [document.documentElement, ...document.querySelectorAll('main *, [role="dialog"] *')])
          if (each.scrollHeight > each.clientHeight) each.scrollTop = each.scrollHeight;
      });
      return list.getByText(text, { exact: true }).count();
    })
    .toBe(1);
}

describe('with ten thousand of each, few elements are drawn', () => {
  it('of the agents, up to the last one', async () => {
    await page.goto(server.url);
    const card = (position: number) =>
      page.getByRole('list', { name: 'Agents' }).locator(`[aria-posinset="${position}"]`);
    await card(1).waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await card(count).waitFor();
    await expect.poll(() => card(1).count()).toBe(0);
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it('of the chats, while more and more load', async () => {
    await page.goto(`${server.url}/chat`);
    const list = page.getByRole('list', { name: 'Past chats' });
    await list.getByRole('link').first().focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.evaluate(() => Number(document.activeElement?.getAttribute('data-row') ?? -1));
      })
      .toBeGreaterThan(1_000);
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it("of an agent's memory, in which the oldest entry is found", async () => {
    await page.goto(`${server.url}/a/agent-0000?tab=brain`);
    const list = page.getByRole('list', { name: 'Entries' });
    await list.getByText('Note 9999').waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
    await scrollToText(list, 'Note 0000');
    await expect.poll(() => list.getByText('Note 9999').count()).toBe(0);
    expect(await nodes()).toBeLessThan(maxNodes);
    await page.getByLabel('Search entries').fill('Note 0000');
    await page.getByText('1 of 10000 entries').waitFor();
  });

  it("of an agent's memory, in which an entry that is being edited stays drawn out of view", async () => {
    await page.goto(`${server.url}/a/agent-0000?tab=brain`);
    const list = page.getByRole('list', { name: 'Entries' });
    await list.getByRole('button', { name: 'Edit entry' }).first().click();
    const content = list.getByLabel('Content');
    await content.fill('Note 9999, corrected');
    await page.getByLabel('Search entries').focus();
    await scrollToText(list, 'Note 0000');
    expect(await content.inputValue()).toBe('Note 9999, corrected');
    await list.getByRole('button', { name: 'Cancel' }).click();
  });

  it("of an agent's versions, up to the first one", async () => {
    await page.goto(`${server.url}/a/agent-0000?tab=history`);
    const list = page.getByRole('list', { name: 'Versions' });
    await list.getByText(`v${count}`, { exact: true }).waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
    await scrollToText(list, 'v1');
    await expect.poll(() => list.getByText(`v${count}`, { exact: true }).count()).toBe(0);
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it("of an agent's versions, any two of which can be compared", async () => {
    await page.goto(`${server.url}/a/agent-0000?tab=history`);
    await page.getByRole('button', { name: 'Compare two versions' }).click();
    await page.getByRole('combobox', { name: 'From version', exact: true }).click();
    await page.getByLabel('Search: From version').fill('v1,');
    await page.getByRole('option', { name: /^v1, / }).click();
    await page.getByRole('button', { name: 'Restore v1', exact: true }).waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it('of the agents in a filter, which searches', async () => {
    await page.goto(`${server.url}/chat`);
    await page.getByRole('list', { name: 'Past chats' }).getByRole('link').first().waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter by agent' });
    await filter.focus();
    await page.keyboard.press('ArrowDown');
    const options = page.getByRole('listbox').getByRole('option');
    await options.first().waitFor();
    await untilTyping(page);
    expect(await nodes()).toBeLessThan(maxNodes);
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option', { name: 'Agent 9999', selected: false }).waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('agent 77');
    await expect.poll(() => options.first().innerText()).toMatch(/^Agent 7700/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/agent=agent-7700/);
    await page.getByText('No chats found').waitFor();
    await expect.poll(() => filter.evaluate((box) => box === document.activeElement)).toBe(true);
    // It opens at the selected agent, however far down that is.
    await page.goto(`${server.url}/chat?agent=agent-7000`);
    await filter.click();
    await page.getByRole('option', { name: 'Agent 7000', selected: true }).waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it('of the agents in a picker, up to the last one', async () => {
    await page.goto(`${server.url}/chat`);
    const picker = page.getByRole('combobox', { name: 'Agent', exact: true });
    await picker.click();
    await page.getByRole('option', { name: 'Agent 0000' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option', { name: 'Agent 9999' }).waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it.each([
    ['tools', '/tools?from=code', 'list', 'Tools'],
    ['tools in an agent’s scope', '/a/agent-0000?tab=tools', 'region', 'Hub tools'],
    ['permissions', '/team/permissions', 'region', 'Types and tools'],
  ] as const)('of the %s, up to the last one', async (_, path, role, name) => {
    await page.goto(server.url + path);
    const list = page.getByRole(role, { name });
    const tool = (index: string) => list.getByText(`measure_${index}`, { exact: true });
    await page
      .getByText('measure_0000', { exact: true })
      .or(list.getByText(/^agent_zoo_/).first())
      .first()
      .waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
    await scrollToText(list, 'measure_1999');
    await expect.poll(() => tool('0000').count()).toBe(0);
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it('of the tools, and j goes on from the focused one after it was scrolled out of view', async () => {
    await page.goto(`${server.url}/tools?q=measure`);
    const list = page.getByRole('list', { name: 'Tools' });
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-row'));
    await list.getByRole('link').first().focus();
    await list.getByRole('link').first().hover();
    await page.mouse.wheel(0, 6_000);
    await list.locator('[data-row="110"]').waitFor();
    await page.keyboard.press('j');
    await expect.poll(focused).toBe('2');
    await page.keyboard.press('k');
    await expect.poll(focused).toBe('1');
    await page.keyboard.press('k');
    expect(await focused()).toBe('1');
  });
});

/** Lists that are seldom long. The hub answers with one entry, which is repeated here with other names. */
describe('with a thousand of each, few elements are drawn', () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(4, '0'));
  const at = '2026-11-18T12:00:00.000Z';
  const many = <T extends object>(make: (name: string) => T): T[] => numbers.map((each) => make(`item-${each}`));
  const origin = { kind: 'hub' };
  const member = (id: string) => ({
    ...{ id, agent: null, type: 'WORKER', state: 'IDLE', supervisorId: null, currentTaskId: null, currentEpicId: null },
    ...{ tmuxSessionName: null, hasToken: false, lastActiveAt: null, createdAt: at, updatedAt: at },
  });
  const epic = (id: string) => ({
    ...{ id, title: id, description: '', state: 'PLANNING', linearIssueId: null, linearIssueUrl: null, tasks: {} },
    ...{ createdAt: at, updatedAt: at, completedAt: null },
  });
  const source = (name: string) => ({
    ...{
      source: `filesystem:${name}`,
      type: 'filesystem',
      name,
      place: `/${name}`,
      origin: 'store',
      documents: 0,
      chunks: 0,
    },
    ...{ state: 'never', lastSyncedAt: null, message: null, lastReport: null, progress: null, requestedAt: null },
  });
  const external = (name: string) => ({
    ...{
      name,
      origin: 'store',
      place: 'the store',
      revision: 1,
      state: { kind: 'disabled' },
      tools: [],
      elsewhere: [],
    },
    definition: { transport: 'stdio', command: 'node', args: [], env: {}, cwd: null, enabled: false },
    ...{ versions: [], listedAt: null, running: 0, stats: { calls: 0, errors: 0, reconnects: 0 } },
  });
  const folder = (name: string) => ({
    ...{ folder: `/${name}`, file: null, isHub: false, trustedAt: at, parts: [], gone: [], seen: '1', problem: null },
  });
  const hook = (name: string) => ({
    name,
    version: 1,
    url: 'https://a.example',
    events: null,
    origin,
    lacksSecret: false,
    receivesAnchors: false,
    last: null,
  });
  const peer = (name: string) => ({ name, version: 1, url: 'https://a.example', hasToken: false, headers: [], origin });
  let task: string;
  let chat: string;

  beforeAll(async () => {
    await hub.team.members.add(NewMember.parse({ id: 'reader' }));
    task = (await hub.team.tasks.create(human, NewTask.parse({ title: 'Read' }))).id;
    const { chats } = await hub.chats.list({ limit: 1 });
    chat = chats[0]?.id ?? '';
  });

  afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));

  interface Case {
    path: () => string;
    list: string;
    route?: NonNullable<Screen['route']>;
    clicks?: readonly string[];
    last?: string;
  }
  const members = changing('**/api/team/members', () => ({ members: many(member), believesCallers: false }));
  const settings = changing('**/api/settings', (reply) => ({ ...reply, webhooks: many(hook), peers: many(peer) }));
  const cases: Record<string, Case> = {
    'agents with a tool': {
      path: () => '/tools/measure_0000?tab=access',
      list: 'Agents with this tool',
      route: changing<{ tools: { name: string }[] }>('**/api/tools', ({ tools: all }) => ({
        tools: all
          .filter(({ name }) => name === 'measure_0000')
          .map((tool) => ({ ...tool, agents: many((name) => ({ id: name, name })) })),
      })),
    },
    'tools in the context of a chat': {
      path: () => `/chat/${chat}`,
      list: 'Tools',
      clicks: ['role=button[name="Show context"]'],
      route: changing('**/api/chats/*/context', (reply) => ({
        ...reply,
        tools: many((name) => ({ name, description: name, needsApproval: false })),
      })),
    },
    'approvals of a chat': {
      path: () => `/chat/${chat}`,
      list: 'Approved tools',
      clicks: ['role=button[name="Show context"]'],
      route: changing('**/api/chats/*/approved-tools', () => ({ tools: many((tool) => ({ tool, grantedAt: 0 })) })),
    },
    'permissions of a member': {
      path: () => '/team/members?member=reader',
      list: '',
      clicks: ['role=dialog >> text=Denied'],
      last: 'measure_1999',
    },
    members: { path: () => '/team/members', list: 'Members', route: members },
    'members to assign a task to': {
      path: () => `/team/tasks/${task}`,
      list: 'Members',
      clicks: ['role=button[name="Move to Assigned"]'],
      route: members,
    },
    epics: {
      path: () => '/team/epics',
      list: 'Epics',
      route: changing('**/api/epics*', () => ({ epics: many(epic), cursor: null })),
    },
    comments: {
      path: () => `/team/tasks/${task}`,
      list: 'Comments',
      route: changing(/\/api\/tasks\/task_/, (reply) => ({
        ...reply,
        commentList: many((body) => ({ id: body, taskId: task, authorId: null, body, createdAt: at })),
      })),
    },
    'client keys': {
      path: () => '/access',
      list: 'Client keys',
      last: 'item-0000',
      route: changing('**/api/keys', () => ({
        keys: many((name) => ({ id: name, name, agentId: null, createdAt: at, lastUsedAt: null })),
      })),
    },
    servers: {
      path: () => '/servers',
      list: 'Servers',
      route: changing('**/api/servers', () => ({ servers: many(external) })),
    },
    sources: {
      path: () => '/knowledge',
      list: 'Sources',
      route: changing('**/api/knowledge', (reply) => ({ ...reply, sources: many(source) })),
    },
    folders: {
      path: () => '/settings/folders',
      list: 'Trusted folders',
      last: '/item-0999',
      route: changing('**/api/trust', () => ({ folders: many(folder) })),
    },
    webhooks: { path: () => '/settings/webhooks', list: 'Webhooks', route: settings },
    peers: { path: () => '/settings/peers', list: 'Peers', route: settings },
    providers: {
      path: () => '/models',
      list: 'Providers',
      route: changing<{ providers: object[] }>('**/api/providers', ({ providers }) => ({
        providers: many((name) => ({ ...providers[0], name })),
      })),
    },
  };

  it.each(Object.entries(cases))('of the %s, up to the last one', async (_, each) => {
    await each.route?.(page);
    await page.goto(server.url + each.path());
    for (const element of each.clicks ?? []) await page.locator(element).first().click();
    const list = each.list === '' ? page.getByRole('dialog') : page.getByRole('list', { name: each.list, exact: true });
    await list.getByRole('listitem').first().waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
    await scrollToText(list, each.last ?? 'item-0999');
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it('of the members to make a token for', async () => {
    await changing('**/api/team/members', () => ({ members: many(member), believesCallers: true }))(page);
    await page.goto(`${server.url}/team/members`);
    await page.getByRole('combobox', { name: 'Create a token for' }).click();
    await untilTyping(page);
    await page.keyboard.type('0999');
    await page.getByRole('option', { name: 'item-0999' }).waitFor();
    expect(await nodes()).toBeLessThan(maxNodes);
  });

  it('and j and k move between the members to assign a task to', async () => {
    await members(page);
    await page.goto(`${server.url}/team/tasks/${task}`);
    await page.getByRole('button', { name: 'Move to Assigned' }).click();
    const dialog = page.getByRole('dialog', { name: 'Assign to' });
    const rows = dialog.getByRole('button', { name: /^item-/ });
    await rows.first().waitFor();
    await untilFocused(dialog);
    await rows.first().focus();
    const hasFocus = (row: Locator) => () => row.evaluate((button) => button === document.activeElement);
    await page.keyboard.press('j');
    await expect.poll(hasFocus(rows.nth(1))).toBe(true);
    await page.keyboard.press('k');
    await expect.poll(hasFocus(rows.first())).toBe(true);
  });
});
