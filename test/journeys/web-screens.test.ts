import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoHub, startDemoHub } from '../../scripts/demo-hub.ts';
import { ScreenVisitor } from '../../scripts/open-screen.ts';
import { screens } from '../../scripts/screens.ts';
import { signIn } from '../../scripts/sign-in.ts';
import { testBrowser } from '../support/browser/browser.ts';

let demo: DemoHub;
let browser: Browser;
/** One theme per width is enough here, because the screenshots cover both. */
let visitors: { wide: ScreenVisitor; narrow: ScreenVisitor };

beforeAll(async () => {
  demo = await startDemoHub({ withTeam: true });
  browser = await testBrowser();
  visitors = {
    wide: new ScreenVisitor(browser, demo, { narrow: false, theme: 'light' }),
    narrow: new ScreenVisitor(browser, demo, { narrow: true, theme: 'dark' }),
  };
});

afterAll(async () => {
  await visitors?.wide.close();
  await visitors?.narrow.close();
  await demo?.close();
});

describe.each(screens)('the screen $name', (screen) => {
  it('loads without browser errors, fits its width and labels its controls', async () => {
    const { page, complaints } = await visitors[screen.narrow ? 'narrow' : 'wide'].visit(screen);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('button, a[href], input:not([type=hidden]), select, textarea')]
        .filter((element) => element.getClientRects().length > 0 && !element.closest('[aria-hidden="true"]'))
        .filter((element) => {
          const labelled = element.getAttribute('aria-labelledby');
          const label = element.id === '' ? null : document.querySelector(`label[for="${CSS.escape(element.id)}"]`);
          return !(
            element.textContent?.trim() ||
            element.getAttribute('aria-label') ||
            labelled ||
            label ||
            element.closest('label') ||
            element.getAttribute('title')
          );
        })
        .map((element) => element.outerHTML.slice(0, 200)),
    );
    expect(nameless).toEqual([]);
    expect(await page.title()).not.toBe('');
    expect(complaints).toEqual([]);
  });
});

it('a lazy screen waits while the hub is unreachable and loads when it is back', async () => {
  const context = await browser.newContext();
  await signIn(context, demo);
  const page = await context.newPage();
  await page.goto(demo.url);
  await page.getByRole('button', { name: 'Actions for Incident responder' }).waitFor();
  await page.route('**/*', (route) => route.abort('connectionrefused'));
  await page.getByRole('link', { name: 'Decisions' }).first().click();
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' }).waitFor();
  await page.unroute('**/*');
  await page.getByRole('heading', { name: 'Decisions' }).waitFor();
  await context.close();
});
