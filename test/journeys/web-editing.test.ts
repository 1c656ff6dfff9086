import type { Locator, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DemoHub, startDemoHub } from '../../scripts/demo-hub.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilTyping } from '../support/browser/focus.ts';
import { runCommand } from '../support/browser/palette.ts';
import { settled } from '../support/browser/settled.ts';

let demo: DemoHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 } });

beforeAll(async () => {
  demo = await startDemoHub();
});

afterAll(async () => {
  await tab.close();
  await demo?.close();
});

beforeEach(async () => {
  page = await tab.open();
});

afterEach(() => tab.leave());

async function agent(id: string) {
  return (await demo.hub.agents.get(id)).agent;
}

async function open(path: string, on: Page = page): Promise<void> {
  await on.goto(demo.url + path);
}

async function save(on: Page = page): Promise<void> {
  await on.keyboard.press('ControlOrMeta+s');
}

async function discard(): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Discard changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
}

describe('editing', () => {
  it('the second writer sees both versions and nothing is lost', async () => {
    const other = await page.context().newPage();
    for (const each of [page, other]) await open('/a/writer?tab=skills', each);
    const [skill] = (await agent('writer')).skills;
    // The other page gets no live updates, so that it saves an old revision.
    await other.route('**/api/events', (route) => route.abort());
    await other.reload();
    for (const each of [page, other]) await each.getByRole('switch', { name: `Enable ${skill?.name}` }).waitFor();
    await page.getByLabel('Description').fill('First writer.');
    await save();
    await expect.poll(async () => (await agent('writer')).description).toBe('First writer.');

    await other.getByLabel('Description').fill('Second writer.');
    await save(other);
    const dialog = other.getByRole('dialog', { name: 'This agent was changed elsewhere' });
    await dialog.waitFor();
    expect((await agent('writer')).description).toBe('First writer.');
    await dialog.getByText('First writer.').first().waitFor();
    await dialog.getByText('Second writer.').first().waitFor();
    // Mine is chosen at first; the keyboard reaches every choice.
    const choice = dialog.getByRole('group', { name: 'Keep for Description' });
    await choice.getByRole('button', { name: 'Keep theirs' }).focus();
    await other.keyboard.press('Enter');
    await dialog.getByRole('row').filter({ hasText: 'Second writer.' }).getByTitle('removed').waitFor();
    await choice.getByRole('button', { name: 'Keep mine' }).focus();
    await other.keyboard.press('Enter');
    await dialog.getByRole('row').filter({ hasText: 'Second writer.' }).getByTitle('added').waitFor();
    await dialog.getByRole('button', { name: 'Save combined version' }).click();
    await expect.poll(async () => (await agent('writer')).description).toBe('Second writer.');
    const versions = await demo.hub.agentStore.versions('writer');
    expect(versions.slice(0, 2).map((version) => version.agent.description)).toEqual([
      'Second writer.',
      'First writer.',
    ]);
  });

  it('a change elsewhere shows up in an open page that has no edits', async () => {
    await open('/a/architect');
    await page.getByTestId('compiled-prompt').waitFor();
    await page.request.put(`${demo.url}/api/agents/architect`, {
      headers: { 'if-match': '*' },
      data: { ...(await agent('architect')), systemPrompt: 'Changed by a script.' },
    });
    await page.getByTestId('compiled-prompt').getByText('Changed by a script.').waitFor();
  });

  it('an earlier version is restored', async () => {
    const before = await agent('code-reviewer');
    await open('/a/code-reviewer?tab=history');
    await page.getByRole('button', { name: /v1/ }).click();
    await page.getByRole('button', { name: 'Restore this version' }).click();
    await expect.poll(async () => (await agent('code-reviewer')).systemPrompt).not.toBe(before.systemPrompt);
    expect((await demo.hub.agentStore.versions('code-reviewer'))[0]?.action).toBe('restore');
  });

  it('the preview follows each keystroke in the Markdown editor', async () => {
    await open('/a/test-engineer?tab=prompt');
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Say **hello** to {someone}.');
    await page.getByTestId('compiled-prompt').getByText('Say **hello** to {someone}.').waitFor();
    await save();
    await expect.poll(async () => (await agent('test-engineer')).systemPrompt).toBe('Say **hello** to {someone}.');
  });

  it('whatever is added is ready for typing, and the next key is no shortcut', async () => {
    const typed = async (button: string, tabName: string) => {
      await open(`/a/writer?tab=${tabName}`);
      await page.getByRole('button', { name: button, exact: true }).first().click();
      await untilTyping(page);
      // One-letter shortcuts of the app: each would open another screen.
      await page.keyboard.type('ncd');
      await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('ncd');
    };
    await typed('Add rule', 'rules');
    await typed('Add reference', 'rules');
    await typed('Add argument', 'arguments');
    await typed('Add search', 'knowledge');
    await typed('Add file or page', 'context');
    await typed('Add tool', 'offered-tools');
    await typed('Add category', 'skills');
    await discard();
  });

  it('a button that its own action disables keeps the focus', async () => {
    const keepsFocus = async (button: Locator, done: Locator) => {
      await button.focus();
      await page.keyboard.press('Enter');
      await done.waitFor();
      await expect.poll(() => button.isDisabled()).toBe(true);
      await expect.poll(() => button.evaluate((each) => each === document.activeElement)).toBe(true);
    };
    await open('/a/writer?tab=tools');
    await page.getByLabel('Description').fill('Keeps the focus.');
    await keepsFocus(page.getByRole('button', { name: 'Save' }), page.getByTestId('save-state').getByText('Saved'));
    await page.getByLabel('Add a name or pattern').fill('measure_*');
    await keepsFocus(
      page.getByRole('button', { name: 'Add', exact: true }),
      page.getByRole('button', { name: 'Remove measure_*' }),
    );
    await discard();
  });

  it('a row that is moved keeps the focus, so that pressing again moves it on', async () => {
    await open('/a/writer?tab=arguments');
    const names = () =>
      page
        .getByRole('textbox', { name: 'Name', exact: true })
        .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value));
    await page.getByRole('button', { name: 'Add argument' }).waitFor();
    const before = await names();
    for (const name of ['one', 'two', 'three']) {
      await page.getByRole('button', { name: 'Add argument' }).click();
      await untilTyping(page);
      await page.keyboard.type(name);
    }
    await page.getByRole('button', { name: 'Move three up', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect.poll(names).toEqual([...before, 'three', 'one', 'two']);
    await page.getByRole('button', { name: 'Move one down', exact: true }).focus();
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Enter');
    // At the end, it stays.
    await expect.poll(names).toEqual([...before, 'three', 'two', 'one']);
    await discard();
  });

  it('a new category takes the focus only once', async () => {
    await open('/a/writer?tab=skills');
    await page.getByRole('button', { name: 'Add category', exact: true }).first().click();
    await untilTyping(page);
    await page.keyboard.type('Fresh');
    const filter = page.getByRole('searchbox', { name: 'Filter skills' });
    await filter.fill('zzz');
    await page.getByText('No skills match').waitFor();
    await filter.fill('');
    await page.getByRole('region', { name: 'Fresh' }).waitFor();
    expect(await filter.evaluate((field) => field === document.activeElement)).toBe(true);
    await discard();
  });

  it('a skill moves between categories by keyboard', async () => {
    const { skills } = await agent('security-auditor');
    const [skill] = skills;
    await open('/a/security-auditor?tab=skills');
    await page.getByRole('button', { name: `Move ${skill?.name}`, exact: true }).focus();
    await page.keyboard.press('Space');
    // What is announced is where it would be dropped.
    const place = async () => (await page.locator('[id^="DndLiveRegion"]').textContent()) ?? '';
    const category = async () => / is in (.+), position \d+\.$/.exec(await place())?.[1];
    await expect.poll(category).toBeDefined();
    const before = await category();
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowDown');
        return settled(page, category);
      })
      .not.toBe(before);
    await page.keyboard.press('Space');
    await expect.poll(place).toContain(' dropped in ');
    await save();
    const categoryOf = async (id?: string) =>
      (await agent('security-auditor')).skills.find((each) => each.id === id)?.categoryId;
    await expect.poll(() => categoryOf(skill?.id)).not.toBe(skill?.categoryId);
  });

  it('the tab that a link opens is in view on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/a/test-engineer?tab=history');
    const tab = page.getByRole('tab', { name: 'History', selected: true });
    const edge = () => tab.boundingBox().then((box) => (box ? box.x + box.width : Number.NaN));
    await expect.poll(edge).toBeLessThanOrEqual(390);
  });

  it('an agent shows its A2A addresses in Autonomous mode and its MCP address in Tools mode', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/a/test-engineer');
    const reached = page.getByRole('region', { name: 'Addresses' });
    const switchTo = async (mode: string) => {
      await page.getByRole('combobox', { name: 'Mode', exact: true }).click();
      await page.getByRole('option', { name: mode }).click();
      await reached.getByText('Available once saved.').waitFor();
      await save();
      await reached.getByText('Available once saved.').waitFor({ state: 'detached' });
    };
    const copied = async (what: string) => {
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await reached.getByRole('button', { name: `Copy ${what}` }).click();
      const read = () => page.evaluate(() => navigator.clipboard.readText());
      await expect.poll(read).not.toBe('');
      return read();
    };
    await page.getByRole('combobox', { name: 'Mode', exact: true }).waitFor();
    expect(await reached.count()).toBe(0);

    await switchTo('Autonomous');
    const card = await (await fetch(await copied('A2A card address'))).json();
    expect(card).toMatchObject({ url: await copied('A2A endpoint') });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);

    await switchTo('Tools');
    expect(await copied('MCP address')).toBe(`${demo.url}/agents/test-engineer/mcp`);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });

  it('an agent from a file is read-only, and its clone is not', async () => {
    await open('/a/release-notes');
    await page.getByText('zoo.toml').first().waitFor();
    await expect.poll(() => page.getByLabel('Name', { exact: true }).first().isEditable()).toBe(false);
    await page.getByRole('button', { name: 'Clone to edit' }).first().click();
    await page.waitForURL('**/a/release-notes-copy**');
    await expect.poll(() => page.getByLabel('Name', { exact: true }).first().isEditable()).toBe(true);
  });
});

describe('the brain', () => {
  it('adds, pins and deletes an entry', async () => {
    await open('/a/writer?tab=brain');
    await page.getByRole('button', { name: 'Entry' }).click();
    await page.getByLabel('Content').fill('Readers skip the second paragraph.');
    await page
      .getByRole('button', { name: /^(Add|Save)/ })
      .last()
      .click();
    // The entry may appear a moment before its form closes.
    await page.getByText('Readers skip the second paragraph.').last().waitFor();
    await page.getByRole('button', { name: /^Pin entry/ }).click();
    await expect.poll(async () => (await demo.hub.brain.query('writer', {}))[0]?.pinned).toBe(true);
    await page.getByRole('button', { name: 'Delete entry' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.reload();
    await expect.poll(async () => (await demo.hub.brain.query('writer', {})).length).toBe(0);
    // The entry is gone a moment before its result is logged.
    await expect
      .poll(async () => {
        const { entries: rows } = await demo.hub.decisions.page({ tool: 'agent_zoo_delete_brain_entry' });
        return rows.map((row) => row.kind).sort();
      })
      .toEqual(['invocation', 'result']);
  });
});

it.each([
  ['/', 'Search agents'],
  ['/mail', 'Search mail'],
  ['/knowledge', 'Search the knowledge base'],
])('on %s, clearing the search leads back into its field', async (path, name) => {
  await open(path);
  const field = page.getByRole('searchbox', { name });
  await field.fill('zzz');
  await page.getByRole('button', { name: 'Clear search' }).first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => field.inputValue()).toBe('');
  await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
});

describe('the gallery', () => {
  it('finds, deletes and restores an agent', async () => {
    await open('/');
    await page.getByLabel('Search agents').fill('incident-responder');
    await expect.poll(() => page.getByRole('button', { name: /^Actions for/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'Actions for Incident responder' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => demo.hub.agents.find('incident-responder')).toBeUndefined();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => demo.hub.agents.find('incident-responder')?.name).toBe('Incident responder');
  });

  it('opens an agent from the command palette without the mouse', async () => {
    await open('/');
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await runCommand(page, 'architect', 'Architect');
    await page.waitForURL('**/a/architect**');
  });
});

it('the connect page offers a link and a snippet for each client', async () => {
  await open('/connect?agent=writer');
  const clients = page.getByRole('navigation', { name: 'Clients' });
  for (const name of [
    'Cursor',
    'VS Code',
    'Claude Code',
    'Claude Desktop',
    'Codex',
    'Gemini CLI',
    'opencode',
    'LM Studio',
    'Goose',
  ]) {
    await clients.getByText(name, { exact: true }).first().waitFor();
  }
  await clients.getByText('Claude Code', { exact: true }).first().click();
  await page.getByText('claude mcp add').first().waitFor();
  await expect.poll(() => page.locator('main').textContent()).toContain('agent=writer');
});

describe('importing agents', () => {
  const broad = { id: 'imported', name: 'Imported', tools: ['*'], toolPermission: 'never' };
  const pick = (agents: object) =>
    page.getByLabel('Import agents from JSON files').setInputFiles({
      name: 'agents.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(agents)),
    });
  const dialog = () => page.getByRole('dialog', { name: 'Import agents with broad powers?' });

  it('shows what an agent may do before it is saved', async () => {
    await open('/');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await pick([broad, { name: 'Harmless' }]);
    const item = dialog().getByRole('listitem');
    await expect
      .poll(() => item.allInnerTexts())
      .toEqual([
        'Imported may call every tool of this hub (tools: "*"), and calls its tools without asking you (tool_permission: "never").',
      ]);
    expect(demo.hub.agents.find('imported')).toBeUndefined();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(demo.hub.agents.find('imported')).toBeUndefined();

    await pick([broad]);
    await dialog().getByRole('button', { name: 'Import' }).click();
    await page.getByText('1 agent imported').waitFor();
    expect(await agent('imported')).toMatchObject({ tools: ['*'], toolPermission: 'never' });
  });

  it('does not ask about other agents', async () => {
    await open('/');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await pick([{ id: 'harmless', name: 'Harmless', tools: ['search'] }]);
    await page.getByText('1 agent imported').waitFor();
    expect(await dialog().count()).toBe(0);
  });
});
