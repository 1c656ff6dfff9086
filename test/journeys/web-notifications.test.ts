import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { signIn } from '../../scripts/sign-in.ts';
import { TestTab } from '../support/browser/browser.ts';
import { autonomousAgent } from '../support/hubs/a2a-hub.ts';
import { type ObedientHub, openObedientHub } from '../support/hubs/obedient-hub.ts';

interface Shown {
  title: string;
  tag: string;
}

let zoo: ObedientHub;
let page: Page;
const tab = new TestTab({ reducedMotion: 'reduce' });

beforeEach(async () => {
  zoo = await openObedientHub({ agents: [autonomousAgent('clerk', { name: 'Clerk', tools: ['send'] })] });
  page = await tab.open();
  await signIn(page.context(), { hub: zoo.hub.hub, url: zoo.hub.server.url });
});
afterEach(async () => {
  await tab.leave();
  // A page with an init script is not as if it were new.
  await tab.close();
  await zoo.end();
});
afterAll(() => tab.close());

/** Opens a page that records the notifications that it shows. Chromium without a screen refuses all of them. */
async function open(path: string, other = page): Promise<Page> {
  await other.addInitScript(() => {
    const shown: { title: string; tag: string; onclick: (() => void) | null }[] = [];
    class Recorded {
      static permission = localStorage.getItem('granted') ?? 'default';
      static async requestPermission() {
        localStorage.setItem('granted', 'granted');
        Recorded.permission = 'granted';
      }
      onclick: (() => void) | null = null;
      readonly title: string;
      readonly tag: string;
      constructor(title: string, { tag = '' }: NotificationOptions = {}) {
        this.title = title;
        this.tag = tag;
        shown.push(this);
      }
      close() {}
    }
    Object.assign(window, { shown, Notification: Recorded });
  });
  await other.goto(zoo.hub.server.url + path);
  return other;
}

/** The user looks at another window, which may cover this one. */
async function lookAway(from: Page, { isHidden }: { isHidden: boolean }): Promise<void> {
  await from.evaluate((hidden) => {
    Object.defineProperties(document, {
      hasFocus: { configurable: true, value: () => false },
      hidden: { configurable: true, value: hidden },
      visibilityState: { configurable: true, value: hidden ? 'hidden' : 'visible' },
    });
    window.dispatchEvent(new Event('blur'));
    if (hidden) document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

const shownBy = (from: Page): Promise<Shown[]> =>
  from.evaluate(() => {
    const { shown } = window as unknown as { shown: Notification[] };
    return shown.map(({ title, tag }) => ({ title, tag }));
  });

const ask = (text: string) =>
  zoo.hub.hub.chats.create({ agentId: 'clerk', message: `send ${JSON.stringify({ to: 'bob', text })}` });
const notifyMe = () => page.getByRole('button', { name: 'Notify me' }).click();

it.each([{ isHidden: true }, { isHidden: false }])(
  'a new item is announced at once to a user who looks away ($isHidden), and a click opens it',
  async (away) => {
    await open('/inbox');
    await notifyMe();
    await page.getByRole('link', { name: 'Agents' }).first().click();
    await lookAway(page, away);
    const { id } = await ask('hello');
    await expect
      .poll(() => shownBy(page))
      .toEqual([{ title: 'Clerk wants to call send', tag: expect.stringContaining(`approval:${id}:`) }]);
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    await page.evaluate(() => (window as unknown as { shown: { onclick: () => void }[] }).shown[0]?.onclick());
    const item = page.getByRole('listitem', { name: 'Clerk wants to call send' });
    await item.getByText('hello').waitFor();
    await expect
      .poll(() =>
        item
          .getByRole('button', { expanded: true })
          .first()
          .evaluate((each) => each === document.activeElement),
      )
      .toBe(true);
  },
);

it('several tabs announce an item once, and not at all while the user looks at one of them', async () => {
  await open('/inbox');
  await notifyMe();
  const second = await open('/', await page.context().newPage());
  const third = await open('/', await page.context().newPage());
  await lookAway(page, { isHidden: true });
  await lookAway(second, { isHidden: true });
  // The third one has the focus.
  await ask('seen');
  await third
    .getByRole('link', { name: /^Inbox.*1 waiting/ })
    .first()
    .waitFor();
  await expect
    .poll(() =>
      second.title().then(async (title) => [title, await page.title()].filter((each) => each.startsWith('(1)')).length),
    )
    .toBe(1);
  await lookAway(third, { isHidden: false });
  const all = async () => (await Promise.all([page, second, third].map(shownBy))).flat();
  for (const [index, text] of ['one', 'two'].entries()) {
    await ask(text);
    await expect.poll(async () => (await all()).length).toBe(index + 1);
  }
  expect(new Set((await all()).map(({ tag }) => tag)).size).toBe(2);
});

it('a browser that refuses to show notifications says so, and the app goes on', async () => {
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.addInitScript(() => {
    // As Chrome on Android does.
    const Refusing = class {
      static readonly permission = 'granted';
      constructor() {
        throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.');
      }
    };
    Object.assign(window, { Notification: Refusing });
  });
  await page.goto(`${zoo.hub.server.url}/inbox`);
  await notifyMe();
  await lookAway(page, { isHidden: false });
  await ask('hello');
  await page.getByRole('listitem', { name: 'Clerk wants to call send' }).waitFor();
  await page.getByRole('button', { name: /Notif/ }).waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});
