import { expect, it } from 'vitest';
import { startAsNewUser } from '../support/browser/new-user.ts';
import { connectV1 } from '../support/clients/mcp-clients.ts';

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
