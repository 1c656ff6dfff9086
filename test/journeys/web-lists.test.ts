import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { TestTab } from '../support/browser/browser.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  zoo = await serveTestHub();
  page = await tab.open();
  const create = async (path: string, body: object) =>
    expect((await zoo.call('POST', path, { body })).status).toBe(201);
  await create('/api/agents', { id: 'guide', name: 'Guide', systemPrompt: 'You guide.' });
  await zoo.call('PATCH', '/api/agents/guide', { body: { systemPrompt: 'You guide well.' } });
  await create('/api/tasks', { title: 'Count the elephants' });
  for (const content of ['First note', 'Second note', 'Third note'])
    await create('/api/agents/guide/brain', { type: 'note', content });
});

afterEach(() => tab.leave());
afterAll(async () => {
  await tab.close();
  await zoo?.end();
});

const plan = {
  id: 'doc_1',
  title: 'The plan',
  source: 'filesystem:team',
  source_id: 'plan.md',
  source_url: null,
  content_type: 'text/markdown',
  updated_at: '2026-11-01T00:00:00.000Z',
  indexed_at: '2026-11-01T00:00:00.000Z',
  version: 'a',
  tags: [],
  metadata: {},
  chunks: 1,
  size: 1,
};

it.each([
  {
    list: "an agent's versions",
    path: '/a/guide?tab=history',
    address: '**/api/agents/guide/versions?*',
    next: 'before',
    first: ({ versions }: { versions: object[] }) => ({ versions: versions.slice(0, 1) }),
    shown: 'v2',
  },
  {
    list: 'the tasks of a column',
    path: '/team',
    address: '**/api/tasks?*state=PENDING*',
    next: 'cursor',
    first: (body: object) => ({ ...body, cursor: 'next' }),
    shown: 'Count the elephants',
  },
  {
    list: 'the documents',
    path: '/knowledge/documents',
    address: '**/api/knowledge/documents?*',
    next: 'cursor',
    first: () => ({ documents: [plan], cursor: 'next' }),
    shown: 'The plan',
  },
])('$list say why their next page could not be loaded, and ask for it again on request', async (each) => {
  const error = { code: 'FAILED_PRECONDITION', message: 'The disk is full. Free some space and try again.' };
  let asked = 0;
  await page.route(each.address, async (route) => {
    if (new URL(route.request().url()).searchParams.has(each.next)) {
      asked += 1;
      return route.fulfill({ status: 400, json: { error } });
    }
    const body = await (await route.fetch()).json();
    return route.fulfill({ json: each.first(body) });
  });
  await page.goto(`${zoo.server.url}${each.path}`);
  await page.getByText(each.shown, { exact: true }).waitFor();
  await page.getByRole('alert').getByText(error.message).waitFor();
  expect(asked).toBe(1);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => asked).toBe(2);
  await page.getByRole('alert').getByText(error.message).waitFor();
});

it('the keys lead past an entry that is being edited', async () => {
  await page.goto(`${zoo.server.url}/a/guide?tab=brain`);
  const list = page.getByRole('list', { name: 'Entries' });
  const entry = (content: string) => list.getByRole('article').filter({ hasText: content });
  await entry('Second note').getByRole('button', { name: 'Edit entry' }).click();
  await list.getByLabel('Content').waitFor();
  const hasFocus = (content: string) => () => entry(content).evaluate((article) => article === document.activeElement);
  await entry('Third note').focus();
  for (const [key, content] of [
    ['ArrowDown', 'First note'],
    ['ArrowUp', 'Third note'],
    ['j', 'First note'],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(hasFocus(content)).toBe(true);
  }
});
