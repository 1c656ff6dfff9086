import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoHub, startDemoHub } from '../../scripts/demo-hub.ts';
import { ScreenVisitor } from '../../scripts/open-screen.ts';
import { emptyScreens, type Screen, screens } from '../../scripts/screens.ts';
import { signIn } from '../../scripts/sign-in.ts';
import { testBrowser } from '../support/browser/browser.ts';
import { findViolations, widths } from '../support/browser/find-violations.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let demo: DemoHub;
let browser: Browser;
/** Checked at the other widths and in the other theme without opening it again. */
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
  it('loads without browser errors, fits its width and is accessible', async () => {
    await expectSound(visitors[screen.narrow ? 'narrow' : 'wide'], screen);
  });
});

describe('on a new hub', () => {
  let zoo: TestHub;
  let visitor: ScreenVisitor;

  beforeAll(async () => {
    zoo = await serveTestHub();
    visitor = new ScreenVisitor(browser, { hub: zoo.hub, url: zoo.server.url }, { narrow: false, theme: 'light' });
  });

  afterAll(async () => {
    await visitor?.close();
    await zoo?.end();
  });

  it.each(emptyScreens)('the screen $name is sound', async (screen) => {
    await expectSound(visitor, screen);
  });
});

/** Expects no browser errors, no sideways scrolling and nothing that axe reports, in both themes and at each width. */
async function expectSound(visitor: ScreenVisitor, screen: Screen): Promise<void> {
  const { page, complaints } = await visitor.visit(screen);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
  expect(await page.title()).not.toBe('');
  expect(complaints).toEqual([]);
  expect(await findViolations(page, screen.narrow ? [390] : widths)).toEqual([]);
}

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

it('the first load of the gallery needs at most 350 KB of compressed JavaScript', async () => {
  const context = await browser.newContext();
  await signIn(context, demo);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const scripts = new Map<string, string>();
  const sizes = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Script') scripts.set(requestId, response.headers['content-encoding'] ?? 'none');
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
  await page.goto(demo.url);
  await page.getByRole('button', { name: 'Actions for Incident responder' }).waitFor();
  // Includes what is fetched once the gallery is drawn, such as the palette.
  await page.waitForLoadState('load');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  const bytes = [...scripts.keys()].reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  expect(new Set(scripts.values())).toEqual(new Set(['br']));
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(350 * 1_024);
  await context.close();
});
