import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoHub, startDemoHub } from '../../scripts/demo-hub.ts';
import { ScreenVisitor } from '../../scripts/open-screen.ts';
import { notices } from '../../scripts/screen-notices.ts';
import { emptyScreens, mainScreens } from '../../scripts/screens.ts';
import { signIn } from '../../scripts/sign-in.ts';
import { openContext, testBrowser } from '../support/browser/browser.ts';
import { expectSound } from '../support/browser/expect-sound.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let demo: DemoHub;
let zoo: TestHub;
let browser: Browser;
/** Checked at the other widths and in the other theme without opening it again. */
let visitors: { wide: ScreenVisitor; narrow: ScreenVisitor };

beforeAll(async () => {
  demo = await startDemoHub({ withTeam: true });
  zoo = await serveTestHub();
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
  await zoo?.end();
});

const visitedNew = () => ({ hub: zoo.hub, url: zoo.server.url });

describe.each([...mainScreens, ...notices])('the screen $name', (screen) => {
  it('loads without browser errors, fits its width and is accessible', async () => {
    await expectSound(visitors[screen.narrow ? 'narrow' : 'wide'], screen);
  });
});

describe('on a new hub', () => {
  let visitor: ScreenVisitor;

  beforeAll(() => {
    visitor = new ScreenVisitor(browser, visitedNew(), { narrow: false, theme: 'light' });
  });

  afterAll(() => visitor?.close());

  it.each(emptyScreens)('the screen $name is sound', async (screen) => {
    await expectSound(visitor, screen);
  });
});

it('a lazy screen waits while the hub is unreachable and loads when it is back', async () => {
  const context = await openContext();
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

describe.each([
  ['Brotli', 'br'],
  // Without TLS, browsers accept only gzip from other machines.
  ['gzip', 'gzip'],
])('compressed with %s', (_, encoding) => {
  it.each([
    ['a used hub', () => ({ hub: demo, ready: 'role=button[name="Actions for Incident responder"]' })],
    ['a new hub', () => ({ hub: visitedNew(), ready: 'role=region[name="First steps"]' })],
  ] as const)('the first load of the gallery of %s needs at most 350 KB of JavaScript', async (__, which) => {
    const { hub, ready } = which();
    await expectSmall(hub, ready, encoding);
  });
});

async function expectSmall(hub: Pick<DemoHub, 'hub' | 'url'>, ready: string, encoding: string): Promise<void> {
  const context = await openContext({ extraHTTPHeaders: { 'accept-encoding': encoding } });
  await signIn(context, hub);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const scripts = new Map<string, string>();
  const sizes = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Script') scripts.set(requestId, response.headers['content-encoding'] ?? 'none');
  });
  // Unlike the size in loadingFinished, without the headers.
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) =>
    sizes.set(requestId, (sizes.get(requestId) ?? 0) + encodedDataLength),
  );
  await page.goto(hub.url);
  await page.locator(ready).waitFor();
  // Includes what is fetched once the gallery is drawn, such as the palette.
  await page.waitForLoadState('load');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  const bytes = [...scripts.keys()].reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  expect(new Set(scripts.values())).toEqual(new Set([encoding]));
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(350 * 1_024);
  await context.close();
}
