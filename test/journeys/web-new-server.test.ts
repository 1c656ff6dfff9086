import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startAsNewUser } from '../support/browser/new-user.ts';

const fileTools = fileURLToPath(new URL('../support/servers/file-tools-server.ts', import.meta.url));
const lookUp = (type: string) => ({
  name: 'look_up',
  description: 'Looks a word up.',
  inputSchema: { type: 'object', properties: { word: { type } }, required: ['word'] },
});

it('from an empty home, a server is added, its tool is tried, and a change of the tool waits in the inbox', async () => {
  await using user = await startAsNewUser();
  const { page, dir } = user;
  const tools = join(dir, 'tools.json');
  await writeFile(tools, JSON.stringify({ tools: [lookUp('string')] }));

  await user.addServer('words', [process.execPath, fileTools, tools]);
  const offered = async () => {
    const { tools: listed } = await (await page.request.get(`${user.url}/tools/list`)).json();
    return listed.some(({ name }: { name: string }) => name === 'mcp__words__look_up');
  };
  expect(await offered()).toBe(true);

  await user.go('Tools');
  await page.getByRole('searchbox', { name: 'Search tools' }).fill('look');
  await page.getByRole('link', { name: /^look_up/ }).click();
  await page.getByRole('textbox', { name: 'word' }).fill('otter');
  await page.getByRole('button', { name: /^Run/ }).click();
  await page.getByRole('dialog', { name: /^Run / }).getByRole('button', { name: 'Run' }).click();
  await page.getByText('look_up {"word":"otter"}').first().waitFor();

  await writeFile(tools, JSON.stringify({ tools: [lookUp('number')] }));
  await user.go('Inbox');
  const item = page.getByRole('listitem', { name: '1 changed tool from words' });
  await item.getByRole('button', { expanded: false }).click();
  const review = page.getByRole('region', { name: 'Tools to review' });
  await review
    .getByText(/number/)
    .first()
    .waitFor();
  // What was not accepted is offered to nobody.
  expect(await offered()).toBe(false);
  await review.getByRole('button', { name: 'Accept look_up' }).click();
  await page.getByText('Nothing is waiting for you').waitFor();
  expect(await offered()).toBe(true);
});
