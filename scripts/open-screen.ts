import type { Browser, Page } from '@playwright/test';
import type { Screen } from './screens.ts';

export interface OpenScreen extends AsyncDisposable {
  page: Page;
  /** Errors of scripts, refused resources and broken policies since the page opened. */
  complaints: string[];
}

/** Opens a screen as a person with this theme and this width sees it, and waits until it is ready. */
export async function openScreen(
  browser: Browser,
  url: string,
  screen: Screen & { theme: 'light' | 'dark' },
): Promise<OpenScreen> {
  const viewport = screen.narrow ? { width: 390, height: 844 } : { width: 1440, height: 900 };
  const context = await browser.newContext({ viewport, colorScheme: screen.theme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser reports every 404 as an error; a missing agent is one on purpose.
    if (message.type() === 'error' && !message.text().includes('404')) complaints.push(message.text());
  });
  await page.goto(url + screen.path);
  await page.waitForLoadState('load');
  if (screen.press) {
    await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
    await page.keyboard.press(screen.press);
  }
  if (screen.fill) await page.locator(screen.fill[0]).first().fill(screen.fill[1]);
  for (const each of [screen.click ?? []].flat()) await page.locator(each).first().click();
  await page.locator(screen.ready).first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  // What was clicked stays, what lies under the pointer afterwards is chance.
  if (screen.click) await page.mouse.move(0, 0);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}
