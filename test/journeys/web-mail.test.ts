import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { human } from '../../src/team/members/member.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilTyping } from '../support/browser/focus.ts';
import { settled } from '../support/browser/settled.ts';
import { type ConnectedClient, connectV1 } from '../support/clients/mcp-clients.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
const clients: ConnectedClient[] = [];

afterAll(() => tab.close());

beforeEach(async () => {
  zoo = await serveTestHub({ instead: zoo });
  page = await tab.open();
});
afterEach(async () => {
  await tab.leave();
  for (const client of clients.splice(0)) await client.close();
  await zoo.end();
});

/** Adds a member and connects a real MCP client with its token. */
async function addMember(id: string, type: 'WORKER' | 'SUPERVISOR' = 'WORKER', supervisorId?: string) {
  const { token } = await zoo.hub.team.members.add({ id, type, ...(supervisorId && { supervisorId }) });
  const client = await connectV1({ url: `${zoo.server.url}/mcp`, token: token ?? '' });
  clients.push(client);
  return client;
}

interface Inbox {
  count: number;
  unreadCount: number;
  mails: { id: string; fromAgentType: string; subject: string; body: string }[];
}
// The tool's tests check this schema.
const inboxOf = async (client: ConnectedClient) =>
  (await client.call('mcp__mail__list_inbox', {})).structuredContent as Inbox;
const write = (client: ConnectedClient, subject: string, body = 'Nothing to decide.') =>
  client.call('mcp__mail__send', { toHuman: true, subject, body });

/** Makes the database reject mails with this subject, as a fault of the hub, not of the caller. */
function breakMail(subject: string): void {
  const database = new DatabaseSync(join(zoo.folder, 'zoo.sqlite'));
  database.exec(
    `CREATE TRIGGER broken BEFORE INSERT ON mails WHEN NEW.subject = '${subject}' BEGIN SELECT RAISE(ABORT, 'no room'); END`,
  );
  database.close();
}

async function open(path: string) {
  await page.goto(zoo.server.url + path);
  await page.locator('[data-live="live"]').first().waitFor({ state: 'attached' });
}
const rows = () => page.getByRole('list', { name: 'Threads' }).getByRole('link');
const row = (text: string) => rows().filter({ hasText: text });
const heading = (name: string) => page.getByRole('heading', { level: 2, name });
const answer = () => page.getByRole('textbox', { name: /^Reply to / });
const unreadBadge = () => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /Mail/ }).first();
const focusedRow = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.row ?? null);

describe('a failed call', () => {
  it('is mailed to the supervisor and the user, who replies to the worker', async () => {
    const lead = await addMember('lead', 'SUPERVISOR');
    const worker = await addMember('worker-1', 'WORKER', 'lead');
    breakMail('Boom');
    await open('/mail?show=all');
    await page.getByText('No mail yet').waitFor();

    const failed = await write(worker, 'Boom');
    expect(failed.isError).toBe(true);
    expect(JSON.stringify(failed)).toContain('INTERNAL_ERROR');

    await row('CRITICAL').waitFor();
    await row('Escalation').waitFor();
    await expect.poll(() => rows().count()).toBe(2);
    await expect.poll(() => unreadBadge().textContent()).toContain('1');
    expect((await inboxOf(lead)).mails.map((mail) => mail.subject)).toEqual([
      'Tool failed: mcp__mail__send (INTERNAL_ERROR)',
    ]);

    await row('CRITICAL').click();
    const card = page.getByRole('region', { name: 'Escalation' });
    await card.getByText('A critical call failed').waitFor();
    await card.getByText('mcp__mail__send').waitFor();
    await card.getByText('INTERNAL_ERROR').waitFor();
    const [{ callId } = { callId: '' }] = (await zoo.hub.decisions.page({ kind: 'error', limit: 1 })).entries;
    expect(await card.getByRole('link', { name: 'View call' }).getAttribute('href')).toBe(
      `/decisions?callId=${callId}`,
    );
    await expect.poll(() => unreadBadge().textContent()).not.toContain('1');

    // A repeated failure is counted, not mailed again.
    await write(worker, 'Boom');
    await card.getByText('2 times').waitFor();
    await expect.poll(() => row('×2').count()).toBe(2);
    expect(await rows().count()).toBe(2);

    await page.keyboard.press('r');
    await untilTyping(page);
    await page.keyboard.type('Use **another** subject.');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByRole('article', { name: 'Mail from You' }).getByText('another').waitFor();
    // The live update may arrive before the send is confirmed.
    await expect.poll(() => answer().inputValue()).toBe('');

    const inbox = await inboxOf(worker);
    expect(inbox).toMatchObject({
      unreadCount: 1,
      mails: [
        {
          fromAgentType: 'HUMAN',
          subject: 'Re: ⚠️ CRITICAL: mcp__mail__send failed (INTERNAL_ERROR)',
          body: 'Use **another** subject.',
        },
      ],
    });
    await worker.call('mcp__mail__read', { mailId: inbox.mails[0]?.id });
    expect((await inboxOf(worker)).unreadCount).toBe(0);

    await worker.call('mcp__mail__reply', { originalMailId: inbox.mails[0]?.id, body: 'That worked.' });
    await page.getByRole('article', { name: 'Mail from worker-1' }).getByText('That worked.').waitFor();
  });
});

describe('sending', () => {
  it('retrying after a lost reply sends only one mail', async () => {
    const worker = await addMember('worker-1');
    await write(worker, 'Which way?');
    await open('/mail');
    await row('Which way?').click();
    let isLost = true;
    await page.route('**/reply', async (route) => {
      if (!isLost) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await answer().fill('The second.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').getByText('Not sent').waitFor();
    expect((await inboxOf(worker)).count).toBe(1);
    expect(await answer().inputValue()).toBe('The second.');
    isLost = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => answer().inputValue()).toBe('');
    expect((await inboxOf(worker)).count).toBe(1);
    await expect.poll(() => page.getByRole('article', { name: 'Mail from You' }).count()).toBe(1);

    // The same text sent again is a second mail.
    await answer().fill('The second.');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect.poll(() => page.getByRole('article', { name: 'Mail from You' }).count()).toBe(2);
    expect((await inboxOf(worker)).count).toBe(2);
  });

  it('a new mail is addressed by typing and kept as a draft until sent', async () => {
    const worker = await addMember('worker-1');
    await addMember('lead', 'SUPERVISOR');
    await open('/mail');
    await page.getByText('No mail yet').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New mail' });
    await dialog.getByLabel('Subject').fill('Hello');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('Choose a recipient.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Write' }).click();
    expect(await dialog.getByLabel('Subject').inputValue()).toBe('Hello');
    await dialog.getByLabel('To').fill('wor');
    await page.getByRole('option', { name: /worker-1/ }).click();
    await dialog.getByLabel('Message', { exact: true }).fill('How far are you?');
    await page.keyboard.press('ControlOrMeta+Enter');
    await heading('Hello').waitFor();
    await page.getByText('No reply yet').waitFor();
    const { mails } = await inboxOf(worker);
    expect(mails).toMatchObject([{ subject: 'Hello', body: 'How far are you?', fromAgentType: 'HUMAN' }]);

    await worker.call('mcp__mail__reply', { originalMailId: mails[0]?.id, body: 'Half way.' });
    await page.getByText('Half way.').first().waitFor();
    await answer().waitFor();
  });

  it('an unsent reply stays with its thread', async () => {
    const worker = await addMember('worker-1');
    await write(worker, 'First');
    await write(worker, 'Second');
    await open('/mail');
    await row('First').click();
    await heading('First').waitFor();
    await answer().fill('Half an ans');
    await row('Second').click();
    await heading('Second').waitFor();
    await expect.poll(() => answer().inputValue()).toBe('');
    await row('First').click();
    await heading('First').waitFor();
    await expect.poll(() => answer().inputValue()).toBe('Half an ans');
  });
});

describe('the list', () => {
  it('of many threads is drawn only in view and keeps its position when mail arrives', async () => {
    const worker = await addMember('worker-1');
    const member = await zoo.hub.team.members.get('worker-1');
    for (let index = 0; index < 130; index += 1) {
      await zoo.hub.team.mail.send(
        { kind: 'member', member },
        { toHuman: true, subject: `Report ${String(index).padStart(3, '0')}`, body: 'All is well.' },
      );
    }
    await open('/mail');
    await row('Report 129').waitFor();
    expect(await rows().count()).toBeLessThan(40);
    await page.keyboard.press('j');
    await expect.poll(focusedRow).toBe('0');
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return row('Report 000').count();
      })
      .toBe(1);

    const top = async () => (await row('Report 000').boundingBox())?.y;
    await expect.poll(focusedRow).toBe('129');
    const before = await settled(page, top);
    await write(worker, 'Fresh');
    await page.getByRole('button', { name: 'New mail' }).waitFor();
    await expect.poll(top).toBe(before);
    await expect.poll(focusedRow).toBe('130');
    await page.getByRole('button', { name: 'New mail' }).click();
    await row('Fresh').waitFor();
    await page.getByRole('button', { name: 'New mail' }).waitFor({ state: 'detached' });
  });

  it('moves without animation when reduced motion is preferred', async () => {
    const worker = await addMember('worker-1');
    await write(worker, 'Hello');
    await open('/mail');
    const moved = await row('Hello').evaluate((link) => {
      const item = link.closest('li');
      const before = link.getBoundingClientRect().y;
      if (item) item.style.top = '84px';
      return { by: link.getBoundingClientRect().y - before, running: document.getAnimations().length };
    });
    expect(moved).toEqual({ by: 84, running: 0 });
  });

  it('filters by unread, escalations, all mail and words', async () => {
    const lead = await addMember('lead', 'SUPERVISOR');
    const worker = await addMember('worker-1', 'WORKER', 'lead');
    await write(worker, 'About apples');
    await write(worker, 'About pears');
    await lead.call('mcp__mail__send', { toAgentId: 'worker-1', subject: 'Between us', body: 'Take the task.' });
    await open('/mail');
    await row('About apples').click();
    await heading('About apples').waitFor();
    expect(await row('Between us').count()).toBe(0);

    const show = (name: RegExp) =>
      page.getByRole('group', { name: 'Filter mail' }).getByRole('button', { name }).click();
    await show(/^Unread/);
    await expect.poll(() => rows().count()).toBe(1);
    await row('About pears').click();
    await heading('About pears').waitFor();
    await expect.poll(() => unreadBadge().textContent()).toBe('Mail');
    // The open thread stays in the list although it is now read.
    expect(await row('About pears').count()).toBe(1);
    await show(/^Escalations/);
    await page.getByText('No escalations').waitFor();
    await show(/^All mail/);
    await row('Between us').click();
    await page.getByText('Mail between members.').waitFor();
    expect(await answer().count()).toBe(0);

    await page.getByRole('searchbox', { name: 'Search mail' }).fill('APPLES');
    await expect.poll(() => rows().count()).toBe(1);
    await page.waitForURL(/q=APPLES/);
    await page.getByRole('searchbox', { name: 'Search mail' }).fill('quinces');
    await page.getByText('No mail found').waitFor();
    await page.getByRole('button', { name: 'Show inbox' }).click();
    await expect.poll(() => rows().count()).toBe(2);
  });

  it('is navigated with j, k, Enter and u', async () => {
    const worker = await addMember('worker-1');
    for (const subject of ['One', 'Two', 'Three']) await write(worker, subject);
    await open('/mail');
    await row('Three').waitFor();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    await expect.poll(focusedRow).toBe('1');
    await page.keyboard.press('Enter');
    await heading('Two').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading('One').waitFor();
    await page.keyboard.press('u');
    await page.waitForURL(/\/mail$/);
    await expect.poll(focusedRow).toBe('2');
  });

  it('is covered by the thread on narrow screens and comes back', async () => {
    const worker = await addMember('worker-1');
    for (const subject of ['One', 'Two']) await write(worker, subject);
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/mail');
    await row('Two').click();
    await heading('Two').waitFor();
    await expect.poll(() => page.locator('[inert] input[type="search"]').count()).toBe(1);
    await expect
      .poll(() => page.evaluate(() => document.elementFromPoint(200, 80)?.closest('[inert]') ?? null))
      .toBeNull();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Two');
    await page.keyboard.press('j');
    await heading('One').waitFor();
    await page.getByRole('button', { name: 'Back to list' }).click();
    await row('One').waitFor();
    await expect.poll(focusedRow).toBe('1');
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  it('reports an unreachable hub and retries', async () => {
    const worker = await addMember('worker-1');
    await write(worker, 'Still here');
    let isBroken = true;
    await page.route('**/api/mail?*', (route) =>
      isBroken
        ? route.fulfill({ status: 400, json: { error: { code: 'bad_request', message: 'No, not now.' } } })
        : route.continue(),
    );
    await open('/mail');
    await page.getByText('No, not now.').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await row('Still here').waitFor();
  });
});

describe('a thread', () => {
  it('shows mail content as text, never as HTML', async () => {
    const worker = await addMember('worker-1');
    const body =
      '<img src="x" onerror="window.hacked = 1"><script>window.hacked = 1</script>\n\n[go](javascript:window.hacked=1)';
    await write(worker, '<b>Bold</b>', body);
    await open('/mail');
    await row('<b>Bold</b>').click();
    const mail = page.getByRole('article', { name: 'Mail from worker-1' });
    await mail.getByText('onerror').waitFor();
    expect(await mail.locator('img, script').count()).toBe(0);
    expect(await mail.getByText('go', { exact: true }).getAttribute('href')).toBe('');
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });

  it('that is long opens at its end, loads earlier mails, and keeps its position', async () => {
    const worker = await addMember('worker-1');
    const member = await zoo.hub.team.members.get('worker-1');
    await write(worker, 'Long', 'The beginning.');
    const [first] = (await zoo.hub.team.mail.inbox(human)).mails;
    for (let index = 1; index <= 55; index += 1) {
      const { mailId } = await zoo.hub.team.mail.reply(human, { originalMailId: first?.id ?? '', body: `Q${index}` });
      await zoo.hub.team.mail.reply({ kind: 'member', member }, { originalMailId: mailId, body: `A${index}` });
    }
    await open(`/mail/${first?.threadId}`);
    await page.getByText('A55', { exact: true }).first().waitFor();
    await heading('Long').waitFor();
    await page.getByText('more than 100 mails').waitFor();
    expect(await page.getByText('The beginning.').count()).toBe(0);
    const placeOf = async (text: string) =>
      (await page.getByRole('article').getByText(text, { exact: true }).boundingBox())?.y;
    const place = () => placeOf('A55');
    const before = await settled(page, place);
    const { mails } = await inboxOf(worker);
    await worker.call('mcp__mail__reply', { originalMailId: mails[0]?.id, body: 'News.\n\n'.repeat(40) });
    await page.getByRole('button', { name: '1 new mail' }).waitFor();
    await expect.poll(place).toBe(before);
    const earlier = page.getByRole('button', { name: /earlier mails/ });
    await earlier.scrollIntoViewIfNeeded();
    const reading = await settled(page, () => placeOf('Q41'));
    await earlier.click();
    await page.getByText('Q26', { exact: true }).waitFor();
    await expect.poll(() => placeOf('Q41')).toBe(reading);
    for (const _ of [1, 2]) await earlier.click();
    // They load only now.
    await page.getByText('The beginning.').waitFor();
    await earlier.waitFor({ state: 'detached' });
    await page.getByText('112 mails', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(112);
  });

  it('that is missing is reported', async () => {
    await open('/mail/mail_nowhere');
    await page.getByRole('heading', { name: 'Thread not found' }).waitFor();
    await page.getByRole('button', { name: 'Back to mail' }).last().click();
    await page.waitForURL(/\/mail$/);
  });
});
