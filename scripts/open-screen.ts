import type { Browser, BrowserContext, Page } from '@playwright/test';
import type { DemoHub } from './demo-hub.ts';
import type { Screen } from './screen.ts';
import { signIn } from './sign-in.ts';

export interface OpenScreen extends AsyncDisposable {
  page: Page;
  /** Script errors, failed resources and policy violations since the page opened. */
  complaints: string[];
}

type VisitedHub = Pick<DemoHub, 'hub' | 'url'>;

interface Look {
  narrow: boolean;
  theme: 'light' | 'dark';
}

/** Opens a screen with this theme and width, and waits until it is ready. */
export async function openScreen(
  browser: Browser,
  demo: DemoHub,
  screen: Screen & { theme: 'light' | 'dark' },
): Promise<OpenScreen> {
  const context = await newContext(browser, demo, { narrow: screen.narrow ?? false, theme: screen.theme });
  if (screen.isSignedOut) await context.clearCookies();
  const { page, complaints } = await newPage(context);
  await screen.route?.(page);
  await load(page, demo.url + screen.path);
  await reach(page, screen, demo);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Visits the screens one after another in one page, so that the app is loaded only once. */
export class ScreenVisitor {
  readonly #context: Promise<BrowserContext>;
  readonly #demo: VisitedHub;
  #last: { page: Page; complaints: string[]; screen: Screen } | undefined;

  constructor(browser: Browser, demo: VisitedHub, look: Look) {
    this.#context = newContext(browser, demo, look);
    this.#demo = demo;
  }

  async visit(screen: Screen): Promise<{ page: Page; complaints: string[] }> {
    const last = this.#last;
    // Opens a new page after unsaved text, which would block leaving, and after a page outside the app.
    if (
      !last ||
      last.screen.fill ||
      last.screen.file ||
      last.screen.press ||
      last.screen.isUnsaved ||
      isApart(last.screen) ||
      isApart(screen)
    ) {
      await last?.page.close();
      await this.#signInFor(screen);
      this.#last = { ...(await newPage(await this.#context)), screen };
      await screen.route?.(this.#last.page);
      await load(this.#last.page, this.#demo.url + screen.path);
    } else {
      this.#last = { ...last, screen };
      // Goes through an unknown page first, so that nothing of the previous screen can be mistaken for this one.
      await last.page.evaluate(() => history.pushState(null, '', '/no/such/page'));
      const unknown = last.page.getByText('There is no page at this address');
      await unknown.waitFor();
      last.complaints.length = 0;
      await last.page.evaluate((path) => history.pushState(null, '', path), screen.path);
      await unknown.waitFor({ state: 'hidden' });
    }
    await reach(this.#last.page, screen, this.#demo);
    return this.#last;
  }

  /** Shows the last screen at this width. */
  async resize(width: number): Promise<void> {
    if (this.#last) await showAt(this.#last.page, this.#last.screen, { demo: this.#demo, width });
  }

  async close(): Promise<void> {
    await (await this.#context).close();
  }

  async #signInFor({ isSignedOut }: Screen): Promise<void> {
    const context = await this.#context;
    if (isSignedOut) await context.clearCookies();
    else if ((await context.cookies()).length === 0) await signIn(context, this.#demo);
  }
}

function isApart({ isOutside, isSignedOut, route }: Screen): boolean {
  return Boolean(isOutside || isSignedOut || route);
}

async function newContext(browser: Browser, demo: VisitedHub, { narrow, theme }: Look): Promise<BrowserContext> {
  const viewport = narrow ? { width: 390, height: 844 } : { width: 1440, height: 900 };
  const context = await browser.newContext({ viewport, colorScheme: theme, reducedMotion: 'reduce' });
  // More than a busy machine needs for one step.
  context.setDefaultTimeout(120_000);
  // Every screen starts without what was typed on another one.
  await context.addInitScript(() => {
    for (const place of [localStorage, sessionStorage])
      for (const key of Object.keys(place)) if (key.startsWith('zoo.draft/')) place.removeItem(key);
  });
  await signIn(context, demo);
  return context;
}

async function newPage(context: BrowserContext): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser reports every 401, 404 and 409 as an error, but the missing sign-in, the missing agent and the conflict are intended.
    if (message.type() === 'error' && !/\b40[149]\b/.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}

/** Waits until nothing is being loaded. */
export async function untilIdle(page: Page, { isBusy }: Pick<Screen, 'isBusy'> = {}): Promise<void> {
  if (!isBusy) await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
}

/** Shows an open screen at another width, and opens it again if what it shows is gone: a menu closes when its button moves. */
export async function showAt(
  page: Page,
  screen: Screen,
  { demo, width }: { demo: VisitedHub; width: number },
): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await untilIdle(page, screen);
  if (await bringIntoView(page, screen)) return;
  await load(page, demo.url + screen.path);
  await reach(page, screen, demo);
}

/** Scrolls to what the screen shows, which for a plain address is its top. Returns whether it can be seen. */
async function bringIntoView(page: Page, screen: Screen): Promise<boolean> {
  const { click, fill, file, press, route } = screen;
  const shown = screen.shown ?? (click || fill || file || press || route ? screen.ready : undefined);
  if (shown === undefined) return true;
  // Two frames, so that what reacts to the size has been drawn.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return page.locator(shown).evaluateAll(async ([element]) => {
    if (!element?.checkVisibility({ visibilityProperty: true })) return false;
    const isInView = () =>
      new Promise<boolean>((resolve) => {
        const observer = new IntersectionObserver(([entry]) => {
          observer.disconnect();
          if (!entry) return;
          const { boundingClientRect: whole, intersectionRect: part } = entry;
          const isCut =
            part.height < Math.min(whole.height, innerHeight / 4) - 1 ||
            part.width < Math.min(whole.width, innerWidth / 4) - 1;
          const top = document.elementFromPoint(part.x + part.width / 2, part.y + part.height / 2);
          resolve(!isCut && (!top || top.contains(element) || element.contains(top)));
        });
        observer.observe(element);
      });
    if (await isInView()) return true;
    element.scrollIntoView({ block: 'center', inline: 'nearest' });
    return isInView();
  });
}

async function load(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.waitForLoadState('load');
}

async function reach(page: Page, screen: Screen, { hub }: VisitedHub): Promise<void> {
  if (screen.press) {
    await untilIdle(page);
    await page.keyboard.press(screen.press);
    if (screen.type) await page.keyboard.type(screen.type);
  }
  if (screen.file !== undefined) {
    const buffer = Buffer.from(JSON.stringify(screen.file));
    const file = { name: 'agents.json', mimeType: 'application/json', buffer };
    await page.locator('input[type="file"]').first().setInputFiles(file);
  }
  if (screen.fill) await page.locator(screen.fill[0]).first().fill(screen.fill[1]);
  const isWide = (page.viewportSize()?.width ?? 0) >= 1_280;
  if (screen.narrowClick !== undefined && !isWide) await page.locator(screen.narrowClick).first().click();
  const acts = typeof screen.click === 'string' ? [screen.click] : (screen.click ?? []);
  for (const [index, each] of acts.entries()) {
    if (typeof each === 'string') await page.locator(each).first().click();
    else await page.locator(each[0]).first().fill(each[1]);
    if (index === 0) await screen.meanwhile?.(hub);
  }
  await page.locator(screen.ready).first().waitFor();
  await untilIdle(page, screen);
  // Moves the pointer away, because what lies under it after a click is random.
  if (screen.click || screen.narrowClick) await page.mouse.move(0, 0);
  await bringIntoView(page, screen);
}
