import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import { TestTab } from '../../../../test/support/browser/browser.ts';
import { untilTyping } from '../../../../test/support/browser/focus.ts';
import { serveTestHub, type TestHub } from '../../../../test/support/hubs/serve-test-hub.ts';

const otter = {
  id: 'otter',
  name: 'Otter',
  systemPrompt: 'You swim.\nTalk about {topic} and {weather}.',
  arguments: [{ name: 'topic', description: 'What to talk about' }],
  skillCategories: [
    { id: 'water', name: 'Water', color: '#0284c7' },
    { id: 'land', name: 'Land', color: '#16a34a' },
  ],
  skills: [
    { id: 'dive', name: 'Dive', description: 'Hold your breath.', categoryId: 'water' },
    { id: 'float', name: 'Float', description: 'Lie on your back.', categoryId: 'water' },
    { id: 'walk', name: 'Walk', description: 'Use all four feet.', categoryId: 'land' },
  ],
  tools: ['agent_zoo_inject', 'not_there', 'agent_zoo_*brain*'],
};

let test: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
const complaints: string[] = [];

afterAll(() => tab.close());

beforeEach(async () => {
  test = await serveTestHub({
    instead: test,
    toml: '[agents.heron]\ndescription = "Stands"\nsystem_prompt = "Stand still."\n',
  });
  await test.call('POST', '/api/agents', { body: otter });
  page = await tab.open();
  complaints.length = 0;
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser logs every answer of 4xx; those are what some of these tests are about.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
});
afterEach(async () => {
  await tab.leave();
  await test.end();
  // A violation of the content security policy would be here too.
  expect(complaints).toEqual([]);
});

const open = async (path: string) => {
  await page.goto(`${test.server.url}${path}`);
  await page.getByRole('tab', { name: 'Prompt' }).waitFor();
};
const saved = async () => (await test.call<AgentDetail>('GET', '/api/agents/otter')).body;
const compiled = () => page.getByTestId('compiled-prompt').evaluate((element) => element.textContent);
const injected = async (format: 'compiled' | 'structured') => {
  const body = { agentId: 'otter', format };
  return (await test.call<{ result: { prompt?: string } }>('POST', '/tools/agent_zoo_inject', { body })).body.result;
};
/** From its beginning: "Unsaved changes" ends like "Saved" begins. */
const saveState = (text: 'Saved' | 'Unsaved changes') =>
  page
    .getByTestId('save-state')
    .filter({ hasText: new RegExp(`^${text}`) })
    .waitFor();
const save = async () => {
  await page.keyboard.press('Control+s');
  await saveState('Saved');
};
const changeElsewhere = async (change: Partial<AgentDetail>) => {
  const now = await saved();
  const answer = await test.call('PUT', '/api/agents/otter', {
    body: { ...now, ...change },
    headers: { 'if-match': `"${now.revision}"` },
  });
  expect(answer.status).toBe(200);
};
/** Whether the focused field can be seen whole. */
const isInView = () =>
  page.evaluate(() => {
    const box = document.activeElement?.getBoundingClientRect();
    return box !== undefined && box.top >= 0 && box.bottom <= innerHeight;
  });
const typeAtEnd = async (text: string) => {
  await page.getByRole('textbox', { name: 'System prompt' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
};

it('rules and references are shown, edited and saved, and the compiled prompt follows', async () => {
  await open('/a/otter?tab=rules');
  await page.getByText('No rules or references yet').waitFor();
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('textbox', { name: 'Name' }).last().fill('calm');
  await page.getByRole('textbox', { name: 'Text' }).fill('Stay calm.');
  await page.getByText('@rule:calm').waitFor();
  await page.getByRole('combobox', { name: 'Included' }).click();
  await page.getByRole('option', { name: 'Always' }).click();
  await expect.poll(compiled).toContain('### calm\nStay calm.');
  await page.keyboard.press('ControlOrMeta+s');
  await expect
    .poll(async () => (await saved()).rules)
    .toEqual([{ name: 'calm', description: '', priority: 500, text: 'Stay calm.', include: 'always' }]);
  await page.getByRole('button', { name: 'Delete rule calm' }).click();
  await page.getByText('No rules or references yet').waitFor();
});

describe('the editor', () => {
  it('previews exactly the prompt that is injected after saving', async () => {
    await open('/a/otter');
    await typeAtEnd(' Sink\nnever?');
    await saveState('Unsaved changes');
    await expect.poll(compiled).toContain('{weather}. Sink\nnever?\n\n---\n\n## Active Skills');
    await save();
    expect((await injected('compiled')).prompt).toBe(await compiled());
    await page.getByRole('button', { name: 'Structured' }).click();
    const structured = async () => JSON.parse((await page.getByTestId('structured-prompt').textContent()) || 'null');
    await expect.poll(structured).toEqual(await injected('structured'));
    expect((await saved()).revision).toBe(2);
  });

  it('marks arguments in the text and offers to declare missing ones', async () => {
    await open('/a/otter');
    await expect.poll(() => page.locator('.zoo-argument').allTextContents()).toEqual(['{topic}']);
    await expect.poll(() => page.locator('.zoo-undeclared').allTextContents()).toEqual(['{weather}']);
    await page.getByRole('button', { name: '{weather}' }).click();
    await expect.poll(() => page.locator('.zoo-argument').allTextContents()).toEqual(['{topic}', '{weather}']);
    await save();
    expect((await saved()).arguments.map((argument) => argument.name)).toEqual(['topic', 'weather']);
  });

  it('removes a skill from the prompt when it is turned off', async () => {
    await open('/a/otter?tab=skills');
    await page.getByRole('switch', { name: 'Enable Dive' }).click();
    await expect.poll(compiled).not.toContain('### Dive');
    await save();
    expect((await saved()).skills.map((skill) => skill.enabled)).toEqual([false, true, true]);
  });

  it('moves a skill into another category with the keyboard', async () => {
    await open('/a/otter?tab=skills');
    await page.getByRole('button', { name: 'Move Float' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('Float is in Water, position 2.').waitFor();
    // The first key may come before the places to drop on are measured.
    await vi.waitFor(
      async () => {
        await page.keyboard.press('ArrowDown');
        expect(await page.getByText('Float is in Land').count()).toBe(1);
      },
      { interval: 200 },
    );
    await page.keyboard.press('Space');
    await saveState('Unsaved changes');
    await save();
    const { skills } = await saved();
    expect(skills.find((skill) => skill.id === 'float')?.categoryId).toBe('land');
  });

  it('drags a skill with the mouse', async () => {
    await open('/a/otter?tab=skills');
    // Waits until the handle stays in its place.
    await page.getByRole('button', { name: 'Move Walk' }).hover({ position: { x: 5, y: 10 } });
    const to = await page.getByRole('button', { name: 'Move Dive' }).boundingBox();
    if (!to) throw new Error('The handle is not on the screen.');
    await page.mouse.down();
    await page.mouse.move(to.x + 5, to.y + 60, { steps: 12 });
    await page.mouse.move(to.x + 5, to.y + 5, { steps: 12 });
    await page.mouse.up();
    await saveState('Unsaved changes');
    await save();
    expect((await saved()).skills.map((skill) => `${skill.id} ${skill.categoryId}`)).toEqual([
      'walk water',
      'dive water',
      'float water',
    ]);
  });

  it('adds, edits and deletes skills and categories', async () => {
    await open('/a/otter?tab=skills');
    await page.getByRole('button', { name: 'Add skill to Land' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).last().fill('Run');
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Run *fast*.');
    await page.getByRole('button', { name: 'Actions for Water' }).click();
    await page.getByRole('menuitem', { name: 'Delete category' }).click();
    await page.getByRole('button', { name: 'Color of Land' }).click();
    await page.getByRole('textbox', { name: 'Hex color' }).fill('#123456');
    await page.keyboard.press('Escape');
    await save();
    const { skills, skillCategories } = await saved();
    expect(skillCategories).toEqual([{ id: 'land', name: 'Land', color: '#123456' }]);
    expect(skills.map((skill) => `${skill.name} ${skill.categoryId}`)).toEqual([
      'Dive null',
      'Float null',
      'Walk land',
      'Run land',
    ]);
  });

  it('focuses a new skill or category in view, so that the next keys are its name', async () => {
    await page.setViewportSize({ width: 1440, height: 420 });
    await open('/a/otter?tab=skills');
    await page.getByRole('searchbox', { name: 'Filter skills' }).waitFor();
    await page.getByRole('button', { name: 'Add skill', exact: true }).click();
    await untilTyping(page);
    await page.keyboard.type('jump');
    const skill = page.getByRole('button', { name: 'jump', exact: true });
    await expect.poll(() => skill.getAttribute('aria-expanded')).toBe('true');
    await expect.poll(isInView).toBe(true);
    await page.getByRole('button', { name: 'Add category' }).click();
    await untilTyping(page);
    await page.keyboard.type('mud');
    await page.getByRole('region', { name: 'mud' }).waitFor();
    await expect.poll(isInView).toBe(true);
    expect(new URL(page.url()).pathname).toBe('/a/otter');
    await save();
    expect((await saved()).skills.at(-1)?.name).toBe('jump');
    expect((await saved()).skillCategories.at(-1)?.name).toBe('mud');
  });

  it('offers to chat with and to connect the agent', async () => {
    await open('/a/otter');
    const main = page.getByRole('main');
    expect(await main.getByRole('link', { name: 'Chat', exact: true }).getAttribute('href')).toContain('with=otter');
    await main.getByRole('link', { name: 'Connect', exact: true }).click();
    await page.waitForURL(/\/connect\?agent=otter/);
  });

  it('reports invalid input at its field and does not save it', async () => {
    await open('/a/otter?tab=arguments');
    await page.getByRole('textbox', { name: 'Name', exact: true }).last().fill('no spaces');
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved: One field needs attention').waitFor();
    await page
      .getByText('Must be 1–64 characters from A–Z a–z 0–9 _ - and begin with a letter or _.', { exact: true })
      .waitFor();
    expect((await saved()).revision).toBe(1);
  });

  it('builds the scope from tools and patterns', async () => {
    await open('/a/otter?tab=tools');
    await page.getByText('not available').waitFor();
    await page.getByText('4 tools').waitFor();
    await page.getByRole('checkbox', { name: /^agent_zoo_list_agents/ }).check();
    await page.getByRole('textbox', { name: 'Add a name or pattern' }).fill('*inject');
    await page.getByText('Matches 1: agent_zoo_inject').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove not_there' }).click();
    await save();
    expect((await saved()).tools).toEqual([
      'agent_zoo_inject',
      'agent_zoo_*brain*',
      'agent_zoo_list_agents',
      '*inject',
    ]);
  });

  it('applies changes from elsewhere when there are no unsaved edits', async () => {
    await open('/a/otter');
    await changeElsewhere({ systemPrompt: 'You float.' });
    await expect.poll(compiled).toContain('You float.');
    await page.getByText('This agent was changed elsewhere').waitFor();
  });

  it('shows both versions of a conflict and combines them only on request', async () => {
    await open('/a/otter');
    await typeAtEnd(' Mine.');
    await changeElsewhere({ description: 'Theirs' });
    await page.getByText('This agent was changed elsewhere').waitFor();
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'This agent was changed elsewhere' });
    await dialog.getByText('Mine.').waitFor();
    await dialog.getByText('Theirs', { exact: true }).waitFor();
    expect((await saved()).revision).toBe(2);
    await dialog.getByRole('button', { name: 'Save combined version' }).click();
    await saveState('Saved');
    expect(await saved()).toMatchObject({
      revision: 3,
      description: 'Theirs',
      systemPrompt: `${otter.systemPrompt} Mine.`,
    });
  });

  it('saves my version of a conflict as a new agent', async () => {
    await open('/a/otter');
    await typeAtEnd(' Mine.');
    await changeElsewhere({ description: 'Theirs' });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Save mine as new agent' }).click();
    await page.waitForURL(/\/a\/otter-mine/);
    expect((await saved()).description).toBe('Theirs');
    const copy = await test.call<AgentDetail>('GET', '/api/agents/otter-mine');
    expect(copy.body.systemPrompt).toContain('Mine.');
  });

  it('asks before discarding unsaved changes', async () => {
    await open('/a/otter');
    await typeAtEnd(' Mine.');
    await page.getByRole('link', { name: 'All agents' }).click();
    await page.getByRole('button', { name: 'Stay' }).click();
    await expect.poll(compiled).toContain('Mine.');
    await page.getByRole('link', { name: 'All agents' }).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.waitForURL(`${test.server.url}/`);
    await open('/a/otter');
    await expect.poll(compiled).toContain('{weather}.');
    expect(await compiled()).not.toContain('Mine.');
  });

  it('saves unsaved changes on the way out', async () => {
    await open('/a/otter');
    await typeAtEnd(' Mine.');
    await page.getByRole('link', { name: 'All agents' }).click();
    await page.getByRole('button', { name: 'Save and leave' }).click();
    await page.waitForURL(`${test.server.url}/`);
    expect((await saved()).systemPrompt).toContain('Mine.');
  });

  it('keeps the undo history while another tab is open', async () => {
    await open('/a/otter');
    await typeAtEnd('');
    // At once: letters that a busy machine types slowly are several steps of the history.
    await page.keyboard.insertText(' Mine.');
    await saveState('Unsaved changes');
    await page.getByRole('tab', { name: /^Tools/ }).click();
    await page.getByRole('tab', { name: 'Prompt' }).click();
    await page.getByRole('textbox', { name: 'System prompt' }).click();
    await page.keyboard.press('Control+z');
    await saveState('Saved');
    await expect.poll(compiled).not.toContain('Mine.');
  });

  it('compares any two versions, and undoes a restore', async () => {
    await changeElsewhere({ systemPrompt: 'You float.' });
    await changeElsewhere({ systemPrompt: 'You sleep.', tools: ['agent_zoo_inject'] });
    await open('/a/otter?tab=history');
    await page.getByRole('button', { name: 'Compare two versions' }).focus();
    await page.keyboard.press('Enter');
    const view = page.getByRole('region', { name: 'Compare two versions' });
    await view.getByRole('cell', { name: 'You float.' }).waitFor();
    await view.getByRole('cell', { name: 'You sleep.' }).waitFor();
    await view.getByText('not_there').waitFor();

    await view.getByRole('combobox', { name: 'To version' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /^v1,/ }).click();
    await view.getByRole('cell', { name: 'You swim.' }).waitFor();
    await expect.poll(() => view.getByRole('cell', { name: 'You sleep.' }).count()).toBe(0);

    await view.getByRole('button', { name: 'Restore v2' }).click();
    await expect.poll(async () => (await saved()).systemPrompt).toBe('You float.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await saved()).systemPrompt).toBe('You sleep.');
    await expect.poll(compiled).toContain('You sleep.');
  });

  it('compares versions and restores one', async () => {
    await changeElsewhere({ systemPrompt: 'You float.' });
    await open('/a/otter?tab=history');
    await page.getByRole('button', { name: /v1/ }).click();
    await page.getByRole('cell', { name: 'You swim.' }).waitFor();
    await page.getByRole('button', { name: 'Restore this version' }).click();
    await expect.poll(compiled).toContain('You swim.');
    await page.getByText('Version 1 restored').waitFor();
    expect(await page.getByText('changed elsewhere').count()).toBe(0);
    expect(await saved()).toMatchObject({ revision: 3, systemPrompt: otter.systemPrompt });
  });

  it('opens agents from files read-only and clones them to edit', async () => {
    await open('/a/heron');
    await page.getByText('Defined in').waitFor();
    await page.getByRole('textbox', { name: 'System prompt' }).click();
    await page.keyboard.type('x');
    await expect.poll(compiled).toContain('Stand still.');
    await page.getByRole('button', { name: 'Clone to edit' }).click();
    await page.waitForURL(/\/a\/heron-copy/);
    await saveState('Saved');
  });

  it.each(['otter', 'heron'])('writes, pins, edits, finds and deletes brain entries of %s', async (id) => {
    await open(`/a/${id}?tab=brain`);
    await page.getByRole('button', { name: 'Entry' }).click();
    await page.getByRole('button', { name: 'Decision' }).click();
    await page.getByRole('textbox', { name: 'Content' }).fill('We use **nets**.');
    await page.getByRole('textbox', { name: 'Tags', exact: true }).fill('tools, fish');
    await page.getByRole('button', { name: 'Add entry' }).click();
    const entry = page.getByRole('article', { name: /Decision/ });
    await entry.getByRole('strong').filter({ hasText: 'nets' }).waitFor();
    await entry.getByRole('button', { name: 'Pin' }).click();
    await entry.getByRole('button', { name: 'Unpin' }).waitFor();
    await entry.getByRole('button', { name: 'Edit entry' }).click();
    await page.getByRole('textbox', { name: 'Content' }).fill('We use **rods**.');
    await page.getByRole('button', { name: 'Save entry' }).click();
    await entry.getByRole('strong').filter({ hasText: 'rods' }).waitFor();
    expect((await test.hub.brain.query(id, {}))[0]).toMatchObject({
      type: 'decision',
      content: 'We use **rods**.',
      tags: ['tools', 'fish'],
      pinned: true,
    });
    await page.getByRole('searchbox', { name: 'Search entries' }).fill('boats');
    await page.getByText('No entries match').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await entry.getByRole('button', { name: 'Delete entry' }).click();
    await page.getByText('Nothing remembered yet').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await entry.getByRole('button', { name: 'Delete entry' }).click();
    await page.getByText('Nothing remembered yet').waitFor();
    // The hub deletes it when the notice closes; leaving the page closes it.
    expect(await test.hub.brain.query(id, {})).toHaveLength(1);
    await page.reload();
    await expect.poll(() => test.hub.brain.query(id, {})).toEqual([]);
  });

  it('deletes and restores the agent', async () => {
    await open('/a/otter');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.waitForURL(`${test.server.url}/`);
    await page.getByText('“Otter” deleted').waitFor();
    expect((await test.call('GET', '/api/agents/otter')).status).toBe(404);
    await page.goto(`${test.server.url}/a/otter`);
    await page.getByRole('button', { name: 'Restore agent' }).click();
    await saveState('Saved');
    expect((await saved()).name).toBe('Otter');
  });

  it('keeps unsaved work when the agent is deleted elsewhere', async () => {
    await open('/a/otter');
    await typeAtEnd(' Mine.');
    await test.call('DELETE', '/api/agents/otter');
    await page.getByText('This agent was deleted elsewhere').waitFor();
    await page.getByRole('button', { name: 'Restore agent' }).click();
    await expect.poll(() => page.getByText('This agent was deleted elsewhere').count()).toBe(0);
    await save();
    expect((await saved()).systemPrompt).toContain('Mine.');
  });

  it('reports an unknown agent', async () => {
    await page.goto(`${test.server.url}/a/nobody`);
    await page.getByRole('heading', { name: 'Agent not found' }).waitFor();
  });
});
