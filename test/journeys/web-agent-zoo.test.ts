import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DemoHub, startDemoHub } from '../../scripts/demo-hub.ts';
import { signIn } from '../../scripts/sign-in.ts';
import { TestTab } from '../support/browser/browser.ts';

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
  await signIn(page.context(), demo);
});

afterEach(() => tab.leave());

async function agent(id: string) {
  return (await demo.hub.agents.get(id)).agent;
}

const store = {
  agents: [
    {
      id: 'sage',
      name: 'Sage',
      description: 'Mentor.',
      systemPrompt: 'You are Sage.',
      skillCategories: [],
      skills: [],
      contextRefs: [],
      appearanceSeed: 'code-reviewer',
      brainEntries: [
        { id: 'one', type: 'note', content: 'Tea.', timestamp: '2026-01-05T09:30:00.000Z', pinned: false },
      ],
    },
    { id: 'ember', name: 'Ember', systemPrompt: 'You are Ember.', skills: { speed: true } },
  ],
};

describe('the agents of AgentZoo', () => {
  it('are offered in the gallery and come in with one click, with their pictures', async () => {
    await writeFile(join(demo.hub.config.dataDir, 'agents.json'), JSON.stringify(store));
    await page.goto(demo.url);
    await page.getByText(/Found 2 agents from AgentZoo in .*: Sage and Ember, with 1 brain entry/).waitFor();
    await page.getByRole('button', { name: 'Import 2 agents' }).click();
    await page.getByText('2 agents imported').waitFor();
    await page.getByRole('link', { name: 'Sage' }).first().waitFor();
    await page.getByText('from AgentZoo in').waitFor({ state: 'detached' });
    const pictureOf = (name: string) =>
      page.getByRole('article', { name, exact: true }).locator('svg').first().innerHTML();
    const picture = await pictureOf('Code reviewer');
    await expect.poll(() => pictureOf('Sage')).toBe(picture);
    expect(await demo.hub.brain.query('sage', {})).toHaveLength(1);
  });
});

describe('the context of an agent', () => {
  it('is edited, and the preview shows the budget and what becomes of each file', async () => {
    await page.goto(`${demo.url}/a/writer?tab=context`);
    const panel = page.getByRole('tabpanel');
    await panel.getByText('Embedded', { exact: true }).waitFor();
    await panel.getByText('Left out', { exact: true }).waitFor();
    await panel.getByText('There is no such file.').waitFor();
    await panel.getByText(/It has about \d+ tokens/).waitFor();
    expect(await page.getByTestId('context-used').textContent()).toMatch(/≈ \d+ of 300 tokens/);
    await panel.getByLabel('Token budget').last().fill('2000');
    await page.getByTestId('context-section').getByText('### team/runbooks/payments.md').waitFor();
    await panel.getByRole('button', { name: 'Delete team/handbook/style.md' }).click();
    await page.keyboard.press('ControlOrMeta+s');
    await expect.poll(async () => (await agent('writer')).contextBudget).toBe(2_000);
    expect((await agent('writer')).contextRefs).toEqual(['team/handbook/releases.md', 'team/runbooks/payments.md']);
  });

  it('is empty at first, and names files that may not be read', async () => {
    await page.goto(`${demo.url}/a/architect?tab=context`);
    await page.getByText('No files or pages yet').waitFor();
    await page.getByRole('button', { name: 'Add file or page' }).click();
    await page.getByLabel('File or address').fill('/etc/hostname');
    await page.getByText(/It is outside the allowed folders/).waitFor();
  });
});

describe('a skill that requires another', () => {
  it('is linked in the editor, turns it on, and comes after it in the prompt', async () => {
    const [first, second] = (await agent('test-engineer')).skills.filter((skill) => skill.enabled);
    if (!first || !second) throw new Error('The demo has skills.');
    await page.goto(`${demo.url}/a/test-engineer?tab=skills`);
    await page.locator('[data-live="live"]').first().waitFor();
    const toggle = (name: string) => page.getByRole('switch', { name: `Enable ${name}` });
    await page.getByRole('button', { name: first.name, exact: false }).first().waitFor();
    await page
      .getByRole('button', { name: new RegExp(`^${first.name}`) })
      .first()
      .click();
    await page.getByRole('combobox', { name: `Add a skill that ${first.name} requires` }).click();
    await page.getByRole('option', { name: second.name }).click();
    await page.getByRole('button', { name: `Stop requiring ${second.name}` }).waitFor();
    await toggle(second.name).click();
    await page.getByText(`Also turned off: ${first.name}`).waitFor();
    await toggle(first.name).click();
    await page.getByText(`Also turned on: ${second.name}`).waitFor();
    await page.keyboard.press('ControlOrMeta+s');
    await expect.poll(async () => (await agent('test-engineer')).skills[0]?.requires).toEqual([second.id]);
    // The preview is compiled when the browser has time for it.
    const skillsInPrompt = async () => {
      const prompt = (await page.getByTestId('compiled-prompt').textContent()) ?? '';
      return prompt
        .match(/^### .*$/gm)
        ?.filter((heading) => [first, second].some(({ name }) => heading === `### ${name}`));
    };
    await expect.poll(skillsInPrompt).toEqual([`### ${second.name}`, `### ${first.name}`]);
  });
});

describe('the default agent of a folder', () => {
  it('is chosen in the editor', async () => {
    const { folder } = demo.hub.config;
    await page.goto(`${demo.url}/a/architect`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Default for folders…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Default for folders' });
    await dialog.getByText('No folders yet').waitFor();
    await dialog.getByLabel(/^Folder on/).fill(`${folder}/gone`);
    await dialog.getByRole('button', { name: 'Add folder' }).click();
    await dialog.getByText(/there is no folder/).waitFor();
    await dialog.getByLabel(/^Folder on/).fill(folder);
    await dialog.getByRole('button', { name: 'Add folder' }).click();
    await dialog.getByRole('list', { name: 'Folders' }).getByText(folder).waitFor();
    expect(await demo.hub.defaultAgent(folder)).toEqual({ agentId: 'architect', from: 'remembered' });
    await dialog.getByRole('button', { name: `Remove ${folder}` }).click();
    await dialog.getByText('No folders yet').waitFor();
    expect(await demo.hub.defaultAgent(folder)).toBeUndefined();
  });
});
