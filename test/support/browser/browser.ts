import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { buildWeb } from '../../../scripts/build-web.ts';

const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url));
const unpacked = join(cache, 'chromium');
/** Where Linux distributions install Chromium; used if the one from npm cannot run. */
const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Launches a real Chromium. It comes with `npm ci` (Linux on x64) and is unpacked once into `.cache`; elsewhere, or with
 * `$CHROMIUM_PATH`, an installed one is used. The caller closes it.
 */
export async function launchBrowser(): Promise<Browser> {
  // Tests always run the current web app, never an old build.
  await buildWeb();
  const executablePath = await findChromium();
  const env = { ...process.env, FONTCONFIG_FILE: await writeFontConfig() };
  // The sandbox needs rights that containers do not give; only our own pages are opened.
  // A page that leaves the app and comes back keeps its process, with the app compiled in it.
  const args = ['--no-sandbox', '--font-render-hinting=none', '--disable-lcd-text', '--process-per-site'];
  try {
    return await chromium.launch({ executablePath, args, env });
  } catch (error) {
    if (!String(error).includes('error while loading shared libraries')) throw error;
    // A bare container: the few libraries that Chromium takes from the system come with the package as well.
    return chromium.launch({ executablePath, args, env: { ...env, LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib') } });
  }
}

/** For one step of a test in the browser: less than a test may take, and more than a busy machine needs. */
const patienceMs = 120_000;
let shared: Promise<Browser> | undefined;

/** Returns the browser that all test files of this process share. It ends with the process. */
export function testBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

/** Opens a profile of its own, which the caller closes. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await testBrowser()).newContext(options);
  context.setDefaultTimeout(patienceMs);
  await context.addInitScript(keepNotices);
  return context;
}

/** Keeps notices with a button open ten times as long: the app closes them after ten seconds, in which a busy machine may not get to them. */
function keepNotices(): void {
  const { setTimeout: usual } = window;
  const patient = (action: () => void, ms?: number, ...rest: never[]) =>
    usual(action, ms === 10_000 ? 100_000 : ms, ...rest);
  Object.assign(window, { setTimeout: patient });
}

/**
 * A page that the tests of a file use in turn. It costs less than half of a new one, because it keeps the compiled app. Each
 * test finds it as if it were new: nothing stored, no routes, no listeners, and of its first size.
 */
export class TestTab {
  readonly #options: BrowserContextOptions;
  #page: Page | undefined;

  constructor(options: BrowserContextOptions) {
    this.#options = options;
  }

  async open(viewport = this.#options.viewport): Promise<Page> {
    this.#page ??= await this.#create();
    if (viewport) await this.#page.setViewportSize(viewport);
    return this.#page;
  }

  /** Ends a test and disconnects the page from the hub. */
  async leave(): Promise<void> {
    try {
      // A page without an address is empty already, and has no storage that could be asked for.
      if (this.#page && this.#page.url() !== 'about:blank') await this.#empty(this.#page);
    } catch {
      // A failed test may leave an unusable page.
      await this.close();
    }
  }

  async #create(): Promise<Page> {
    const context = await openContext(this.#options);
    return context.newPage();
  }

  async close(): Promise<void> {
    await this.#page?.context().close();
    this.#page = undefined;
  }

  async #empty(page: Page): Promise<void> {
    const context = page.context();
    for (const other of context.pages()) if (other !== page) await other.close();
    for (const event of ['pageerror', 'console', 'request', 'response'] as const) page.removeAllListeners(event);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const { origin } = new URL(page.url());
    await page.evaluate(() => {
      // Otherwise the page stores what was typed last when it goes.
      window.dispatchEvent(new Event('pagehide'));
      sessionStorage.clear();
    });
    await page.goto('about:blank');
    await page.mouse.move(0, 0);
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
    await session.detach();
    await context.clearPermissions();
    await context.grantPermissions(this.#options.permissions ?? []);
  }
}

async function findChromium(): Promise<string> {
  const chosen = process.env.CHROMIUM_PATH ?? installed.find((path) => existsSync(path));
  if (chosen) return chosen;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('No Chromium found: install one and set CHROMIUM_PATH to its program file.');
  }
  return unpackChromium();
}

/** Unpacks beside the final place and moves it there whole, so that two test processes never see half a browser. */
async function unpackChromium(): Promise<string> {
  const program = join(unpacked, 'chromium');
  if (existsSync(program)) return program;
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'unpacking-'));
  const before = process.env.TMPDIR;
  try {
    // The package unpacks into the folder for temporary files and has no option for another.
    process.env.TMPDIR = folder;
    const { default: packed, inflate } = await import('@sparticuz/chromium');
    await packed.executablePath();
    await inflate(fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium'))));
    await rename(folder, unpacked);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  return program;
}

/** The same letters on every machine, as far as the machine has them: what comes with the browser first. */
async function writeFontConfig(): Promise<string> {
  const file = join(cache, 'fonts.conf');
  await mkdir(cache, { recursive: true });
  const text = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(unpacked, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(cache, 'fontconfig')}</cachedir>
  <alias binding="strong"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) await writeFile(file, text);
  return file;
}
