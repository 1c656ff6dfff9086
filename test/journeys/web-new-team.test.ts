import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startAsNewUser } from '../support/browser/new-user.ts';
import { sendMessage } from '../support/browser/send-message.ts';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { questionOf } from '../support/tools/book-flight.ts';

const fileTools = fileURLToPath(new URL('../support/servers/file-tools-server.ts', import.meta.url));

it('from an empty home, a member gets a task, does it, and you approve it after asking for a change', async () => {
  await using user = await startAsNewUser();
  const { page } = user;
  await user.go('Team');
  await page.getByRole('link', { name: 'Members' }).click();
  await user.button('Add member').first().click();
  await user.dialog('Add member').getByLabel('ID').fill('worker-1');
  await user.dialog('Add member').getByRole('button', { name: 'Add member' }).click();
  const shown = user.dialog("worker-1's token");
  const token = await shown.getByLabel('Token', { exact: true }).inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('link', { name: 'Board' }).click();
  await user.button('New task').first().click();
  const form = user.dialog('New task');
  await form.getByLabel('Title').fill('Write the release notes');
  await form.getByRole('combobox', { name: 'Assignee' }).click();
  await page.getByRole('option', { name: 'worker-1' }).click();
  await form.getByRole('button', { name: 'Create task' }).click();
  const card = (state: string) =>
    page.getByRole('region', { name: state, exact: true }).getByRole('link', { name: 'Write the release notes' });
  await card('Assigned').waitFor();

  // The member, as its own client works.
  const worker = await connectV1({ url: `${user.url}/mcp`, token });
  try {
    const taskId = /[^/]+$/.exec((await card('Assigned').getAttribute('href')) ?? '')?.[0];
    const move = (status: string) => worker.call('mcp__task__update_status', { taskId, status });
    await move('IN_PROGRESS');
    await card('In progress').waitFor();
    await move('REVIEW');

    await user.go('Inbox');
    const item = page.getByRole('listitem', { name: /Write the release notes/ });
    await item.getByRole('button', { expanded: false }).click();
    await item.getByLabel('Review', { exact: true }).last().fill('Name the new screens.');
    await item.getByRole('button', { name: 'Request changes' }).click();
    await page.getByText('Requested changes to “Write the release notes”').waitFor();
    const inbox = await worker.call('mcp__mail__list_inbox', {});
    expect(JSON.stringify(inbox.structuredContent)).toContain('Name the new screens.');
    await item.waitFor({ state: 'detached' });
    await move('REVIEW');
    await item.getByRole('button', { expanded: false }).click();
    // The comment was sent with the first review.
    await expect.poll(() => item.getByLabel('Review', { exact: true }).last().inputValue()).toBe('');
    await item.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved “Write the release notes”').waitFor();
  } finally {
    await worker.close();
  }
  await user.go('Team');
  await card('Completed').waitFor();
});

it('from an empty home, calls of an agent wait in the inbox: one is allowed and runs, one is denied', async () => {
  await using user = await startAsNewUser((request) => {
    const last = request.body.messages.at(-1);
    if (last?.role === 'tool') return { text: `The tool said: ${JSON.stringify(last.content)}` };
    const tool = /^Please (\w+) it$/.exec(questionOf(request))?.[1];
    return tool ? { toolCalls: [{ name: `mcp__news__${tool}`, arguments: { story: 7 } }] } : { text: 'ok' };
  });
  const { page, dir } = user;
  const tools = ['publish', 'retract'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  await writeFile(join(dir, 'tools.json'), JSON.stringify({ tools }));
  await user.addModel();
  await user.addServer('news', [process.execPath, fileTools, join(dir, 'tools.json')]);
  await user.createAgent('Editor');
  await page.getByRole('tab', { name: /^Tools/ }).click();
  await page.getByRole('textbox', { name: 'Add a name or pattern' }).fill('mcp__news__*');
  await user.button('Add').click();
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByText(/^Saved/).waitFor();

  const bell = page
    .getByRole('navigation', { name: 'Main' })
    .first()
    .getByRole('link', { name: /^Inbox/ });
  const ask = async (tool: string) => {
    await page.goto(`${user.url}/chat?with=editor`);
    await page.getByRole('list', { name: 'Suggestions' }).waitFor();
    await sendMessage(page, `Please ${tool} it`);
    await page.getByRole('group', { name: `Allow mcp__news__${tool}?` }).waitFor();
  };
  await ask('publish');
  await expect.poll(() => bell.textContent()).toContain('1 waiting');
  await ask('retract');
  await expect.poll(() => bell.textContent()).toContain('2 waiting');

  await user.go('Runs');
  await page.locator('a[href^="/runs/"]', { hasText: 'Please retract it' }).click();
  await page.getByText('Waiting until you allow or deny mcp__news__retract.').waitFor();
  await page.getByRole('link', { name: 'Decide in the inbox' }).click();
  const settle = async (tool: string, answer: string) => {
    const item = page.getByRole('listitem', { name: `Editor wants to call mcp__news__${tool}` });
    await item.getByRole('button', { expanded: false }).click();
    await item.getByText('story').waitFor();
    await item.getByRole('button', { name: answer, exact: true }).click();
    await item.waitFor({ state: 'detached' });
  };
  await settle('publish', 'Allow once');
  await expect.poll(() => bell.textContent()).toContain('1 waiting');
  await settle('retract', 'Deny');
  await page.getByText('Nothing is waiting for you').waitFor();
  await expect.poll(() => bell.textContent()).not.toContain('waiting');

  const answerTo = async (message: string) => {
    await user.go('Chat');
    await page.getByRole('list', { name: 'Past chats' }).getByText(message).first().click();
    await page.getByRole('article', { name: 'Your message' }).getByText(message).waitFor();
    return page.getByText(/^The tool said: /).innerText();
  };
  expect(await answerTo('Please publish it')).toContain('publish {');
  expect(await answerTo('Please retract it')).toContain('This call to "mcp__news__retract" was not approved');
});
