import type { Locator, Page } from '@playwright/test';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { TaskState } from '../../src/team/work/task-moves.ts';
import type { NewTask, Task, TaskWithComments } from '../../src/team/work/work.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilFocused } from '../support/browser/focus.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let hub: TestHub;
let page: Page;
const tab = new TestTab({
  viewport: { width: 1600, height: 900 },
  reducedMotion: 'reduce',
  permissions: ['clipboard-read', 'clipboard-write'],
});
let complaints: string[];

afterAll(() => tab.close());

beforeEach(async () => {
  hub = await serveTestHub({ instead: hub });
  page = await tab.open();
  complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
});

afterEach(async () => {
  await tab.leave();
  await hub.end();
  expect(complaints).toEqual([]);
});

const open = (path: string) => page.goto(hub.server.url + path);
const column = (state: TaskState) => page.locator(`[data-column="${state}"]`);
const card = (state: TaskState, title: string) => column(state).getByRole('link', { name: title, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name });
const addTask = async (task: z.input<typeof NewTask>) =>
  (await hub.call<Task>('POST', '/api/tasks', { body: task })).body;
const stateOf = async (id: string) => (await hub.call<Task>('GET', `/api/tasks/${id}`)).body.state;

/** What waits for its notice is sent when the page is hidden. */
const closeNotices = () => page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')));

async function addMember(id: string, type = 'WORKER'): Promise<string> {
  const { body } = await hub.call<{ token: string }>('POST', '/api/team/members', { body: { id, type } });
  return body.token;
}

/** Picks up a card and holds it over a column. */
async function holdOver(from: Locator, state: TaskState): Promise<void> {
  // Waits until the card stays in its place.
  await from.hover({ position: { x: 12, y: 8 } });
  const start = await from.boundingBox();
  if (!start) throw new Error('The card is not to be seen.');
  await page.mouse.down();
  await page.mouse.move(start.x + 40, start.y + 30, { steps: 3 });
  const name = (await column(state).getAttribute('aria-label')) ?? '';
  let moves = 0;
  // Dropped sooner, it would not be over the column yet. The board scrolls while a card is near its edge, so the pointer follows.
  await expect
    .poll(async () => {
      const target = await column(state).boundingBox();
      moves += 1;
      if (target) await page.mouse.move(target.x + target.width / 2, target.y + 200 + (moves % 2), { steps: 6 });
      return page.locator('[id^="DndLiveRegion"]').textContent();
    })
    .toMatch(new RegExp(`(Over|not to) ${name}\\.`));
}

describe('members', () => {
  it('are added with a working token that is shown once', async () => {
    await open('/team/members');
    await page.getByText('No members yet').waitFor();
    await page.getByRole('button', { name: 'Add member' }).first().click();
    await dialog('Add member').getByLabel('Id').fill('two words');
    await dialog('Add member').getByRole('button', { name: 'Add member' }).click();
    await page.getByText('begin with a letter or digit').waitFor();
    await dialog('Add member').getByLabel('Id').fill('lead');
    await dialog('Add member').getByRole('button', { name: 'Supervisor' }).click();
    await dialog('Add member').getByRole('button', { name: 'Add member' }).click();

    const shown = dialog("lead's token");
    const token = await shown.getByLabel('Token', { exact: true }).inputValue();
    expect(token.length).toBeGreaterThan(20);
    await shown.getByText(`Authorization: Bearer ${token}`).first().waitFor();
    await shown.getByRole('button', { name: 'Copy token' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(token);
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(token);

    const answer = await hub.call<{ success: boolean }>('POST', '/mcp/execute', {
      body: { agentId: 'lead', toolName: 'mcp__agent__get_status', input: {} },
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.body.success).toBe(true);
    // Its call shows as activity without a reload.
    await page.getByRole('listitem', { name: 'lead' }).getByText('just now').waitFor();
  });

  it('are not verified until one has a token, and the page warns about it', async () => {
    await hub.call('POST', '/api/team/members', { body: { id: 'worker-1', withToken: false } });
    await open('/team/members');
    await page.getByText('Callers are not verified').waitFor();
    await page.getByRole('combobox', { name: 'Create a token for' }).click();
    await page.getByRole('option', { name: 'worker-1' }).click();
    await dialog("worker-1's token").getByRole('button', { name: 'Done' }).click();
    await page.getByText('Callers are not verified').waitFor({ state: 'detached' });
  });

  it('show their permissions, change type and token, and are removed', async () => {
    const token = await addMember('worker-1');
    await addMember('worker-2');
    const callWith = async (proof: string) => {
      const body = { agentId: 'worker-1', toolName: 'mcp__agent__get_status', input: {} };
      const headers = { authorization: `Bearer ${proof}` };
      return (await hub.call('POST', '/mcp/execute', { body, headers })).status;
    };
    await open('/team/members?member=worker-1');
    const sheet = dialog('worker-1');
    await sheet.getByText('WORKER may call mcp__mail__*').waitFor();
    await sheet.getByText('Denied').click();
    await sheet.getByText('WORKER may not call mcp__supervisor__*').waitFor();
    await sheet.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Supervisor' }).click();
    await sheet.getByText('SUPERVISOR may call *').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Type');

    await sheet.getByRole('button', { name: 'Replace token' }).click();
    await dialog("Replace worker-1's token?").getByRole('button', { name: 'Cancel' }).click();
    expect(await callWith(token)).toBe(200);
    await sheet.getByRole('button', { name: 'Replace token' }).click();
    await dialog("Replace worker-1's token?").getByRole('button', { name: 'Replace' }).click();
    const shown = dialog("worker-1's token");
    const next = await shown.getByLabel('Token', { exact: true }).inputValue();
    await shown.getByRole('button', { name: 'Done' }).click();
    expect([await callWith(token), await callWith(next)]).toEqual([403, 200]);

    await sheet.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke' }).last().click();
    await sheet.getByText('No token').waitFor();
    expect(await callWith(next)).toBe(403);

    await sheet.getByRole('button', { name: 'Remove' }).click();
    await sheet.waitFor({ state: 'detached' });
    const row = page.getByRole('listitem', { name: 'worker-1' });
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.click();
    await sheet.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    // A notice waits while its page is hidden. What gives access does not wait for it.
    await closeNotices();
    const members = async () =>
      (await hub.call<{ members: { id: string }[] }>('GET', '/api/team/members')).body.members.map(({ id }) => id);
    await expect.poll(members).toEqual(['worker-2']);
  });

  it('a member that was just removed is added again at once, as another one', async () => {
    const before = await addMember('worker-3');
    await open('/team/members?member=worker-3');
    await dialog('worker-3').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('listitem', { name: 'worker-3' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add member' }).first().click();
    await dialog('Add member').getByLabel('ID').fill('worker-3');
    await dialog('Add member').getByRole('button', { name: 'Add member' }).click();
    const shown = dialog("worker-3's token");
    expect(await shown.getByLabel('Token', { exact: true }).inputValue()).not.toBe(before);
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('listitem', { name: 'worker-3' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  });
});

it('a question closes when its screen is left', async () => {
  const token = await addMember('worker-1');
  await open('/team/members');
  await page.getByRole('listitem', { name: 'worker-1' }).click();
  await dialog('worker-1').getByRole('button', { name: 'Revoke' }).click();
  await dialog("Revoke worker-1's token?").waitFor();
  await page.goBack();
  await dialog("Revoke worker-1's token?").waitFor({ state: 'detached' });
  const body = { agentId: 'worker-1', toolName: 'mcp__agent__get_status', input: {} };
  const headers = { authorization: `Bearer ${token}` };
  expect((await hub.call('POST', '/mcp/execute', { body, headers })).status).toBe(200);
});

describe('the board', () => {
  it('starts empty, creates a task and assigns it to a member', async () => {
    await addMember('worker-1');
    await open('/team');
    await page.getByText('No tasks yet').waitFor();
    await page.getByRole('button', { name: 'New task' }).first().click();
    await dialog('New task').getByRole('button', { name: 'Create task' }).click();
    await page.getByText('Enter a title.').waitFor();
    await dialog('New task').getByLabel('Title').fill('Add login');
    await dialog('New task').getByRole('button', { name: 'Create task' }).click();
    await card('PENDING', 'Add login').waitFor();

    await page.getByRole('button', { name: 'Move Add login' }).click();
    await page.getByRole('menuitem', { name: 'Move to Assigned…' }).click();
    await dialog('Assign to').getByRole('button', { name: 'worker-1' }).click();
    await card('ASSIGNED', 'Add login').waitFor();
    await expect
      .poll(async () => (await hub.call<{ tasks: Task[] }>('GET', '/api/tasks?state=ASSIGNED')).body.tasks)
      .toMatchObject([{ title: 'Add login', assigneeId: 'worker-1' }]);
  });

  it('rejects a forbidden drop and accepts an allowed one', async () => {
    await addMember('worker-1');
    const { id } = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
    await open('/team');
    await holdOver(card('ASSIGNED', 'Add login'), 'REVIEW');
    await expect.poll(() => column('REVIEW').getAttribute('data-drop')).toBe('refused');
    expect(await column('COMPLETED').getAttribute('data-drop')).toBe('refused');
    expect(await column('IN_PROGRESS').getAttribute('data-drop')).toBe('allowed');
    await page.mouse.up();
    await page.getByText('A task in Assigned can move to In progress or Pending, not to Review.').last().waitFor();
    await card('ASSIGNED', 'Add login').waitFor();
    expect(await stateOf(id)).toBe('ASSIGNED');

    const answer = Promise.withResolvers<void>();
    await page.route('**/move', async (route) => {
      await answer.promise;
      await route.continue();
    });
    await page.getByText('Live', { exact: true }).first().waitFor();
    await holdOver(card('ASSIGNED', 'Add login'), 'IN_PROGRESS');
    await page.mouse.up();
    await card('IN_PROGRESS', 'Add login').waitFor();
    await closeNotices();
    // A list loaded before the hub replies still has the task in its old column.
    const fetched = page.waitForResponse(/state=IN_PROGRESS/);
    await addTask({ title: 'Made elsewhere', assigneeId: 'worker-1' });
    await card('ASSIGNED', 'Made elsewhere').waitFor();
    await fetched;
    expect(await stateOf(id)).toBe('ASSIGNED');
    expect(await card('ASSIGNED', 'Add login').count()).toBe(0);
    expect(await card('IN_PROGRESS', 'Add login').count()).toBe(1);
    answer.resolve();
    await expect.poll(() => stateOf(id)).toBe('IN_PROGRESS');
    await card('IN_PROGRESS', 'Add login').waitFor();
  });

  it('takes a move back, also one that the hub could not take back: that is sent when its notice closes', async () => {
    await addMember('worker-1');
    const { id } = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
    await open('/team');
    await page.getByRole('button', { name: 'Move Add login' }).click();
    await page.getByRole('menuitem', { name: 'Move to Pending' }).click();
    await page.getByText('Moved “Add login” to Pending').first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await card('ASSIGNED', 'Add login').waitFor();
    await expect
      .poll(async () => (await hub.call<Task>('GET', `/api/tasks/${id}`)).body)
      .toMatchObject({ state: 'ASSIGNED', assigneeId: 'worker-1' });
    await page.getByText('Moved “Add login” to Assigned').first().waitFor();
    await page.getByRole('button', { name: 'Move Add login' }).click();
    await page.getByRole('menuitem', { name: 'Move to In progress' }).click();
    await card('IN_PROGRESS', 'Add login').waitFor();
    const undo = page.getByRole('listitem').filter({ hasText: 'Moved “Add login” to In progress' });
    await undo.getByRole('button', { name: 'Undo' }).click();
    await card('ASSIGNED', 'Add login').waitFor();
    expect(await stateOf(id)).toBe('ASSIGNED');
    await undo.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Move Add login' }).click();
    await page.getByRole('menuitem', { name: 'Move to In progress' }).click();
    await undo.waitFor();
    // Another move sends it first; both reach the hub in order.
    await page.getByRole('button', { name: 'Move Add login' }).click();
    await page.getByRole('menuitem', { name: 'Move to Review' }).click();
    await expect.poll(() => stateOf(id)).toBe('REVIEW');

    await page.getByRole('button', { name: 'Move Add login' }).click();
    await page.getByRole('menuitem', { name: 'Move to Blocked' }).click();
    await card('BLOCKED', 'Add login').waitFor();
    expect(await stateOf(id)).toBe('REVIEW');
    // Leaving the page sends it.
    await page.reload();
    await expect.poll(() => stateOf(id)).toBe('BLOCKED');
    await card('BLOCKED', 'Add login').waitFor();
  });

  it('starts a task without a member with one question, and takes both parts back', async () => {
    await addMember('worker-1');
    const { id } = await addTask({ title: 'Add login' });
    await open('/team');
    await page.getByRole('button', { name: 'Move Add login' }).click();
    await page.getByRole('menuitem', { name: 'Move to In progress…' }).click();
    await dialog('Assign to').getByRole('button', { name: 'worker-1' }).click();
    await card('IN_PROGRESS', 'Add login').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await card('PENDING', 'Add login').waitFor();
    await expect
      .poll(async () => (await hub.call<Task>('GET', `/api/tasks/${id}`)).body)
      .toMatchObject({ state: 'PENDING', assigneeId: null });
  });

  it('starts one task of a member: a second is refused at once, and a move that was taken back shows what changed', async () => {
    await addMember('worker-1');
    const login = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
    const logout = await addTask({ title: 'Add logout' });
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await open('/team');
    await page.getByText('Live', { exact: true }).first().waitFor();
    const start = async (title: string) => {
      await page.getByRole('button', { name: `Move ${title}` }).click();
      await page.getByRole('menuitem', { name: 'Move to In progress' }).click();
    };
    await start('Add login');
    await card('IN_PROGRESS', 'Add login').waitFor();
    await start('Add logout');
    await dialog('Assign to').getByRole('button', { name: 'worker-1' }).click();
    await page.getByText('worker-1 is about to start “Add login” and works on one task at a time.').waitFor();
    await card('PENDING', 'Add logout').waitFor();
    expect(sent).toEqual([]);

    // A board that shows a move loads what changes meanwhile.
    await hub.call('PATCH', `/api/tasks/${login.id}`, { body: { title: 'Add a login' } });
    await card('IN_PROGRESS', 'Add a login').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await card('ASSIGNED', 'Add a login').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });

    await start('Add logout');
    await dialog('Assign to').getByRole('button', { name: 'worker-1' }).click();
    // Nothing of it is sent yet, so nothing of it can be sent twice.
    await card('IN_PROGRESS', 'Add logout').waitFor();
    expect(sent).toEqual([]);
    await page.reload();
    await expect.poll(() => stateOf(logout.id)).toBe('IN_PROGRESS');

    // Of a member that is busy already, the hub refuses it at once.
    await start('Add a login');
    await page.getByText('“Add a login” could not be moved').waitFor();
    await card('ASSIGNED', 'Add a login').waitFor();
  });

  it('offers to undo the last move of a task only', async () => {
    await addMember('worker-1');
    const { id } = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
    await open('/team');
    const move = async (to: string) => {
      await page.getByRole('button', { name: 'Move Add login' }).click();
      await page.getByRole('menuitem', { name: `Move to ${to}` }).click();
    };
    const undo = page.getByRole('button', { name: 'Undo' });
    await move('Pending');
    await undo.waitFor();
    await move('In progress…');
    await dialog('Assign to').getByRole('button', { name: 'worker-1' }).click();
    await card('IN_PROGRESS', 'Add login').waitFor();
    await expect.poll(() => undo.count()).toBe(1);
    await undo.click();
    await card('PENDING', 'Add login').waitFor();
    await expect.poll(() => stateOf(id)).toBe('PENDING');
  });

  it('of an epic without tasks says so, and adds one to the epic; filters are blamed only if they hide something', async () => {
    const epic = (await hub.call<{ id: string }>('POST', '/api/epics', { body: { title: 'Big goal' } })).body;
    await open('/team?label=ui');
    await page.getByRole('heading', { name: 'No tasks yet' }).waitFor();
    await open('/team/epics');
    await page.getByRole('listitem', { name: 'Big goal' }).getByRole('link', { name: 'Board' }).click();
    await page.getByRole('heading', { name: 'No tasks in “Big goal” yet' }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'New task' }).last().click();
    await dialog('New task').getByLabel('Title').fill('The first step');
    await dialog('New task').getByRole('button', { name: 'Create task' }).click();
    await card('PENDING', 'The first step').waitFor();
    const { tasks } = (await hub.call<{ tasks: Task[] }>('GET', `/api/tasks?epicId=${epic.id}`)).body;
    expect(tasks.map(({ title }) => title)).toEqual(['The first step']);
    await open(`/team?epic=${epic.id}&label=ui`);
    await page.getByText('No tasks match these filters.').waitFor();
    await hub.call('POST', '/api/epics', { body: { title: 'Given up' } });
    const closed = (await hub.call<{ epics: { id: string; title: string }[] }>('GET', '/api/epics')).body.epics.find(
      ({ title }) => title === 'Given up',
    );
    await hub.call('PATCH', `/api/epics/${closed?.id}`, { body: { status: 'CANCELLED' } });
    await open(`/team?epic=${closed?.id}`);
    await page.getByText('This epic is closed and takes no new tasks.').waitFor();
  });

  it('keeps the width of its columns, its order and its filters', async () => {
    await addTask({ title: 'Late', dueDate: '2020-11-18', labels: ['ui'] });
    await addTask({ title: 'Newer', labels: ['ui'] });
    await open('/team');
    await card('PENDING', 'Late').waitFor();
    const widths = () =>
      page.locator('[data-column]').evaluateAll((columns) => columns.map((each) => each.getBoundingClientRect().width));
    expect(new Set(await widths()).size).toBe(1);
    const titles = () => page.locator('[data-task]').allTextContents();
    await expect.poll(titles).toEqual(['Newer', 'Late']);
    await page.getByRole('combobox', { name: 'Sort by', exact: true }).click();
    await page.getByRole('option', { name: 'Most urgent' }).click();
    await expect.poll(titles).toEqual(['Late', 'Newer']);
    await page.getByRole('combobox', { name: 'Label' }).click();
    await page.getByRole('option', { name: 'ui' }).click();
    await page.getByRole('button', { name: 'New task' }).click();
    await page.keyboard.press('Escape');
    await dialog('New task').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('combobox', { name: 'Label' }).textContent()).toContain('ui');
    // Another visit, without filters.
    await open('/team');
    await page.getByRole('combobox', { name: 'Sort by', exact: true }).getByText('Most urgent').waitFor();
    await expect.poll(titles).toEqual(['Late', 'Newer']);
  });

  it('filters by one label after the other', async () => {
    await addTask({ title: 'Paint', labels: ['ui'] });
    await addTask({ title: 'Query', labels: ['sql'] });
    await open('/team?label=ui');
    const titles = () => page.locator('[data-task]').allTextContents();
    await expect.poll(titles).toEqual(['Paint']);
    await page.getByRole('combobox', { name: 'Label' }).click();
    await page.getByRole('option', { name: 'sql' }).click();
    await expect.poll(titles).toEqual(['Query']);
  });

  it('works by keyboard alone, and the focus follows the card', async () => {
    await addMember('worker-1');
    const { id } = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
    await addTask({ title: 'Write docs' });
    await open('/team');
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await card('PENDING', 'Write docs').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(focused).toBe('Add login');
    for (const state of ['IN_PROGRESS', 'REVIEW'] as const) {
      await page.keyboard.press('Shift+ArrowRight');
      await card(state, 'Add login').waitFor();
      await closeNotices();
      await expect.poll(() => stateOf(id)).toBe(state);
      await expect.poll(focused).toBe('Add login');
      if (state === 'IN_PROGRESS') {
        await page.keyboard.press('Shift+ArrowLeft');
        await page.getByText('A task in In progress can move to').waitFor();
      }
    }
    await page.keyboard.press('Enter');
    await dialog('Add login').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Add login').waitFor({ state: 'detached' });
  });

  it('keeps the focus on a card that others move until the user moves on', async () => {
    await addMember('worker-1');
    const { id } = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
    await open('/team');
    await page.getByText('Live', { exact: true }).first().waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const moveElsewhere = (status: TaskState) => hub.call('POST', `/api/tasks/${id}/move`, { body: { status } });
    await card('ASSIGNED', 'Add login').focus();
    // The new column loads last, so the only task is briefly in no column.
    const asked = Promise.withResolvers<void>();
    const emptied = Promise.withResolvers<void>();
    await page.route('**/api/tasks?state=IN_PROGRESS*', async (route) => {
      asked.resolve();
      await emptied.promise;
      await route.continue();
    });
    await moveElsewhere('IN_PROGRESS');
    await asked.promise;
    await card('ASSIGNED', 'Add login').waitFor({ state: 'detached' });
    expect(await column('ASSIGNED').count()).toBe(1);
    emptied.resolve();
    await card('IN_PROGRESS', 'Add login').waitFor();
    await expect.poll(focused).toBe('Add login');

    const search = page.getByLabel('Search tasks');
    await search.focus();
    await moveElsewhere('REVIEW');
    await card('REVIEW', 'Add login').waitFor();
    expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);
  });

  it('puts a task back and shows the reason when the hub rejects the move', async () => {
    await addMember('worker-1');
    const first = await addTask({ title: 'First', assigneeId: 'worker-1' });
    await addTask({ title: 'Second', assigneeId: 'worker-1' });
    await hub.call('POST', `/api/tasks/${first.id}/move`, { body: { status: 'IN_PROGRESS' } });
    await open('/team');
    await holdOver(card('ASSIGNED', 'Second'), 'IN_PROGRESS');
    await page.mouse.up();
    // At once: a move without a way back is otherwise sent when its notice closes.
    await page.getByText('“Second” could not be moved').waitFor();
    await page.getByText('worker-1 already works on task').waitFor();
    await card('ASSIGNED', 'Second').waitFor();
  });

  it('shows changes by others without a reload', async () => {
    const token = await addMember('worker-1');
    const { id } = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
    await open('/team');
    await card('ASSIGNED', 'Add login').waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor();
    await hub.call('POST', '/mcp/execute', {
      body: { agentId: 'worker-1', toolName: 'mcp__task__update_status', input: { taskId: id, status: 'IN_PROGRESS' } },
      headers: { authorization: `Bearer ${token}` },
    });
    await card('IN_PROGRESS', 'Add login').waitFor();
    await addTask({ title: 'Made elsewhere' });
    await card('PENDING', 'Made elsewhere').waitFor();
  });

  it('finds tasks across pages by words, epic and member', async () => {
    await addMember('worker-1');
    const epic = (await hub.call<{ id: string }>('POST', '/api/epics', { body: { title: 'Big goal' } })).body;
    await addTask({ title: 'The oldest needle', labels: ['sewing'] });
    await addTask({ title: 'In the epic', epicId: epic.id, assigneeId: 'worker-1' });
    for (let index = 0; index < 130; index += 1) await addTask({ title: `Hay ${index}` });
    await open('/team');
    await column('PENDING').getByText('100+').waitFor();
    expect(await page.locator('[data-task]').count()).toBeLessThan(60);
    // Of a task that is not loaded yet.
    await page.getByRole('combobox', { name: 'Label' }).click();
    await page.getByRole('option', { name: 'sewing' }).click();
    await expect.poll(() => page.locator('[data-task]').allTextContents()).toEqual(['The oldest needle']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Search tasks').fill('needle');
    await card('PENDING', 'The oldest needle').waitFor();
    await expect.poll(() => page.locator('[data-task]').count()).toBe(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('combobox', { name: 'Epic' }).click();
    await page.getByRole('option', { name: 'Big goal' }).click();
    await expect.poll(() => page.locator('[data-task]').allTextContents()).toEqual(['In the epic']);
    await page.reload();
    await expect.poll(() => page.locator('[data-task]').allTextContents()).toEqual(['In the epic']);
  });
});

it('an urgent or overdue task is found however long ago it was changed', async () => {
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await addTask({ title: 'Late', dueDate: '2020-11-18' });
  await addTask({ title: 'Due this week', dueDate: soon, priority: 'low' });
  await addTask({ title: 'Due much later', dueDate: '2999-11-18', priority: 'urgent' });
  await addTask({ title: 'On fire', priority: 'urgent' });
  await addTask({ title: 'On fire and late', priority: 'urgent', dueDate: '2020-11-19' });
  for (let index = 0; index < 110; index += 1) await addTask({ title: `Hay ${index}` });
  await open('/team');
  await column('PENDING').getByText('100+').waitFor();
  const titles = () => page.locator('[data-task]').allTextContents();
  const choose = async (filter: string, option: string) => {
    await page.getByRole('combobox', { name: filter, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Sort by', 'Most urgent');
  await expect
    .poll(async () => (await titles()).slice(0, 4))
    .toEqual(['On fire and late', 'Due much later', 'On fire', 'Late']);
  await choose('Due', 'Overdue');
  await expect.poll(titles).toEqual(['On fire and late', 'Late']);
  await choose('Due', 'Due within 7 days');
  await expect.poll(titles).toEqual(['On fire and late', 'Late', 'Due this week']);
  await choose('Priority', 'Urgent');
  await expect.poll(titles).toEqual(['On fire and late']);
  await page.reload();
  await expect.poll(titles).toEqual(['On fire and late']);
  // The order stays, so that the next page goes on in it.
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(async () => (await titles()).slice(0, 2)).toEqual(['On fire and late', 'Due much later']);
  await choose('Priority', 'Low');
  await expect.poll(titles).toEqual(['Due this week']);
});

it('a new task gets a priority, a due date and labels, which its card shows; half a date is not dropped', async () => {
  await addTask({ title: 'Plain' });
  await open('/team?add=true');
  const form = dialog('New task');
  await form.getByLabel('Title').fill('Add login');
  await form.getByRole('combobox', { name: 'Priority' }).click();
  await page.getByRole('option', { name: 'High' }).click();
  await form.getByLabel('Labels').fill('ui, sql');
  await form.getByLabel('Due date').focus();
  await page.keyboard.type('0331');
  await form.getByRole('button', { name: 'Create task' }).click();
  await form.getByText('Enter a complete date, or clear it.').waitFor();
  await form.getByLabel('Due date').focus();
  await page.keyboard.type('03312099');
  await form.getByRole('button', { name: 'Create task' }).click();
  await form.waitFor({ state: 'detached' });
  const { body } = await hub.call<{ tasks: Task[] }>('GET', '/api/tasks?label=ui');
  expect(body.tasks).toMatchObject([
    { title: 'Add login', priority: 'high', dueDate: '2099-03-31', labels: ['ui', 'sql'] },
  ]);
  const face = (title: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name: title, exact: true }) });
  for (const badge of ['High', 'ui', 'sql']) await face('Add login').getByText(badge, { exact: true }).waitFor();
  await face('Add login').getByTitle('Due on 2099-03-31').waitFor();
  // A task of normal priority shows none.
  await card('PENDING', 'Plain').waitFor();
  expect(
    await face('Plain')
      .getByText(/^(Normal|Due)/)
      .count(),
  ).toBe(0);
});

describe('a task', () => {
  it('leaves its notices in reach, and stays open when a move is undone', async () => {
    await addMember('worker-1');
    const { id } = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
    await hub.call('POST', `/api/tasks/${id}/move`, { body: { status: 'IN_PROGRESS' } });
    await open(`/team/tasks/${id}`);
    const sheet = dialog('Add login');
    await sheet.getByRole('button', { name: 'Move to Blocked' }).click();
    await expect.poll(() => stateOf(id)).toBe('BLOCKED');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => stateOf(id)).toBe('IN_PROGRESS');
    expect(await sheet.isVisible()).toBe(true);
  });

  it('is reassigned right after a move that waits for its notice: the move is sent first', async () => {
    await addMember('worker-1');
    await addMember('worker-2');
    const { id } = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
    for (const status of ['IN_PROGRESS', 'BLOCKED'])
      await hub.call('POST', `/api/tasks/${id}/move`, { body: { status } });
    await open('/team');
    await card('BLOCKED', 'Add login').click();
    const sheet = dialog('Add login');
    await sheet.getByText('A blocked task cannot be reassigned.').waitFor();
    await sheet.getByRole('button', { name: 'Move to Failed' }).click();
    await page.getByText('The team sees it when this notice closes.').waitFor();
    expect(await stateOf(id)).toBe('BLOCKED');
    await sheet.getByRole('combobox', { name: 'Assignee' }).click();
    await page.getByRole('option', { name: 'worker-2' }).click();
    await expect
      .poll(async () => (await hub.call<Task>('GET', `/api/tasks/${id}`)).body)
      .toMatchObject({ state: 'FAILED', assigneeId: 'worker-2' });
  });

  it('is opened, commented on, given a branch and reviewed', async () => {
    await addMember('worker-1');
    const { id } = await addTask({ title: 'Add login', description: 'With **JWT**.', assigneeId: 'worker-1' });
    for (const status of ['IN_PROGRESS', 'REVIEW'])
      await hub.call('POST', `/api/tasks/${id}/move`, { body: { status } });
    await open('/team');
    await card('REVIEW', 'Add login').click();
    const sheet = dialog('Add login');
    await sheet.locator('strong', { hasText: 'JWT' }).waitFor();
    await sheet.getByText('A task in review cannot be reassigned.').waitFor();
    expect(await sheet.getByRole('link', { name: 'View calls' }).getAttribute('href')).toContain(
      `/decisions?taskId=${id}`,
    );
    await sheet.getByLabel('Pull request').fill('ftp://nowhere');
    await page.keyboard.press('Enter');
    await sheet.getByText('Enter an http or https URL.').waitFor();
    await sheet.getByLabel('Pull request').fill('https://example.com/pull/1');
    await page.keyboard.press('Enter');
    await sheet.getByRole('link', { name: 'Open pull request' }).waitFor();
    await sheet.getByLabel('Add a comment').fill('Is there a test?');
    await sheet.getByRole('button', { name: 'Comment', exact: true }).click();
    await sheet.getByRole('list', { name: 'Comments' }).getByText('Is there a test?').waitFor();

    await sheet.getByRole('button', { name: 'Request changes' }).click();
    await sheet.getByText('Describe what should change.').waitFor();
    await sheet.getByLabel('Review', { exact: true }).last().fill('A test is missing.');
    await sheet.getByRole('button', { name: 'Request changes' }).click();
    await page.getByText('Requested changes to “Add login”').waitFor();
    await expect.poll(() => stateOf(id)).toBe('IN_PROGRESS');
    await sheet.getByRole('button', { name: 'Move to Review' }).click();
    // The comment was sent: it must not go out again with the approval.
    await expect.poll(() => sheet.getByLabel('Review', { exact: true }).last().inputValue()).toBe('');
    await sheet.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => stateOf(id)).toBe('COMPLETED');
    const { commentList } = (await hub.call<TaskWithComments>('GET', `/api/tasks/${id}`)).body;
    expect(commentList.filter(({ body }) => body.includes('A test is missing.'))).toHaveLength(1);
    await page.keyboard.press('Escape');
    await card('COMPLETED', 'Add login').waitFor();
  });
});

it('the due date, priority and labels of a task are typed with the keyboard', async () => {
  const { id } = await addTask({ title: 'Add login', dueDate: '2027-03-31' });
  const saved = async () => (await hub.call<Task>('GET', `/api/tasks/${id}`)).body;
  const dates: (string | null)[] = [];
  page.on('request', (request) => {
    const body = request.method() === 'PATCH' ? request.postDataJSON() : {};
    if ('dueDate' in body) dates.push(body.dueDate);
  });
  await open(`/team/tasks/${id}`);
  const sheet = dialog('Add login');
  const due = sheet.getByLabel('Due date');
  await untilFocused(sheet);
  await due.focus();
  await page.keyboard.type('11202026');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await saved()).dueDate).toBe('2026-11-20');
  expect(dates).toEqual(['2026-11-20']);

  // Half a date is not saved, and Esc brings the saved one back.
  await due.focus();
  await page.keyboard.press('Delete');
  await page.keyboard.press('Enter');
  await sheet.getByText('Enter a complete date, or clear it.').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => due.inputValue()).toBe('2026-11-20');
  expect(dates).toEqual(['2026-11-20']);

  await sheet.getByRole('combobox', { name: 'Priority' }).focus();
  await page.keyboard.press('Enter');
  await untilFocused(page.getByRole('listbox'));
  await page.keyboard.type('Urgent');
  await page.locator('[role="option"][data-highlighted]', { hasText: 'Urgent' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await saved()).priority).toBe('urgent');
  await sheet.getByRole('combobox', { name: 'Priority' }).getByText('Urgent').waitFor();
  // The next choice is one Tab away.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Priority');
  await sheet.getByLabel('Labels').focus();
  await page.keyboard.type('ui, sql');
  // What was typed survives a reload, and Enter saves it.
  await page.reload();
  await sheet.getByText('Restored what you typed').waitFor();
  await untilFocused(sheet);
  await sheet.getByLabel('Labels').focus();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await saved()).labels).toEqual(['ui', 'sql']);
  await sheet.getByText('Restored what you typed').waitFor({ state: 'detached' });

  // Esc right after Enter closes the sheet, even before the page shows that it is saving.
  await sheet.getByLabel('Labels').fill('ui');
  await sheet.getByLabel('Labels').evaluate((field: HTMLInputElement) => {
    field.form?.requestSubmit();
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
  });
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(async () => (await saved()).labels).toEqual(['ui']);
});

describe('epics', () => {
  it('offer to undo the last step only, and send their steps in order', async () => {
    await hub.call('POST', '/api/epics', { body: { title: 'User management' } });
    await open('/team/epics');
    const epic = page.getByRole('listitem', { name: 'User management' });
    const mark = async (state: string) => {
      await epic.getByRole('button', { name: 'Actions for User management' }).click();
      await page.getByRole('menuitem', { name: `Mark as ${state}` }).click();
    };
    const state = async () =>
      (await hub.call<{ epics: { state: string }[] }>('GET', '/api/epics')).body.epics[0]?.state;
    const undo = page.getByRole('button', { name: 'Undo' });
    await mark('in progress');
    await undo.waitFor();
    await mark('cancelled');
    await epic.getByText('Cancelled', { exact: true }).waitFor();
    await expect.poll(() => undo.count()).toBe(1);
    await undo.click();
    await epic.getByText('In progress', { exact: true }).waitFor();
    await expect.poll(state).toBe('IN_PROGRESS');
    await mark('cancelled');
    await epic.getByText('Cancelled', { exact: true }).waitFor();
    await closeNotices();
    await expect.poll(state).toBe('CANCELLED');
  });

  it('take two quick steps in order, and offer to undo only the second however late the first reply comes', async () => {
    await hub.call('POST', '/api/epics', { body: { title: 'User management' } });
    await open('/team/epics');
    const epic = page.getByRole('listitem', { name: 'User management' });
    const reply = Promise.withResolvers<void>();
    let isFirst = true;
    await page.route('**/api/epics/*', async (route) => {
      const response = await route.fetch();
      if (route.request().method() === 'PATCH' && isFirst) {
        isFirst = false;
        await reply.promise;
      }
      await route.fulfill({ response });
    });
    const mark = async (state: string) => {
      await epic.getByRole('button', { name: 'Actions for User management' }).click();
      await page.getByRole('menuitem', { name: `Mark as ${state}` }).click();
    };
    const state = async () =>
      (await hub.call<{ epics: { state: string }[] }>('GET', '/api/epics')).body.epics[0]?.state;
    await mark('in progress');
    await epic.getByText('In progress', { exact: true }).waitFor();
    await mark('blocked');
    const arrived = page.waitForResponse((response) => response.request().method() === 'PATCH');
    reply.resolve();
    await arrived;
    const notice = (to: string) => page.getByRole('listitem').filter({ hasText: `Marked “User management” as ${to}` });
    await notice('blocked').getByRole('button', { name: 'Undo' }).waitFor();
    expect(await notice('in progress').count()).toBe(0);
    await notice('blocked').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(state).toBe('IN_PROGRESS');
  });

  it('are created, show progress and change state', async () => {
    await open('/team/epics');
    await page.getByText('No epics yet').waitFor();
    await page.getByRole('button', { name: 'New epic' }).first().click();
    await dialog('New epic').getByLabel('Title').fill('User management');
    await dialog('New epic').getByRole('button', { name: 'Create epic' }).click();
    const epic = page.getByRole('listitem', { name: 'User management' });
    await epic.getByText('No tasks yet.').waitFor();
    const { body } = await hub.call<{ epics: { id: string }[] }>('GET', '/api/epics');
    await addTask({ title: 'Add login', epicId: body.epics[0]?.id ?? '' });
    await epic.getByText('1 pending').waitFor();
    await epic.getByRole('button', { name: 'Actions for User management' }).click();
    await page.getByRole('menuitem', { name: 'Mark as in progress' }).click();
    await epic.getByText('In progress', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await epic.getByText('Planning', { exact: true }).waitFor();
    const state = async () =>
      (await hub.call<{ epics: { state: string }[] }>('GET', '/api/epics')).body.epics[0]?.state;
    await epic.getByRole('button', { name: 'Actions for User management' }).click();
    await page.getByRole('menuitem', { name: 'Mark as cancelled' }).click();
    await epic.getByText('Cancelled', { exact: true }).waitFor();
    expect(await state()).toBe('PLANNING');
    const notice = (text: string) => page.getByRole('listitem').filter({ hasText: text });
    await notice('as cancelled').getByRole('button', { name: 'Undo' }).click();
    await epic.getByText('Planning', { exact: true }).waitFor();
    await epic.getByRole('button', { name: 'Actions for User management' }).click();
    await page.getByRole('menuitem', { name: 'Mark as completed' }).click();
    await page.getByText('The epic could not be changed').waitFor();
    await epic.getByText('Planning', { exact: true }).waitFor();
    await epic.getByRole('button', { name: 'Actions for User management' }).click();
    await page.getByRole('menuitem', { name: 'Mark as cancelled' }).click();
    await epic.getByText('Cancelled', { exact: true }).waitFor();
    await closeNotices();
    await expect.poll(state).toBe('CANCELLED');
    await epic.getByText('Cancelled', { exact: true }).waitFor();
    await epic.getByRole('button', { name: 'Actions for User management' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await epic.waitFor({ state: 'detached' });
    await notice('Deleted “User management”').getByRole('button', { name: 'Undo' }).click();
    await epic.waitFor();
  });
});

it('on a phone, the board scrolls sideways and tasks move by menu', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await addMember('worker-1');
  const { id } = await addTask({ title: 'Add login', assigneeId: 'worker-1' });
  await open('/team');
  await page.getByRole('button', { name: 'Move Add login' }).click();
  await page.getByRole('menuitem', { name: 'Move to In progress' }).click();
  await card('IN_PROGRESS', 'Add login').waitFor();
  await closeNotices();
  await expect.poll(() => stateOf(id)).toBe('IN_PROGRESS');
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
