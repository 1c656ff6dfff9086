import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../test/support/browser.ts';
import { startDemoHub } from './demo-hub.ts';
import { openScreen } from './open-screen.ts';
import { root } from './run-step.ts';
import { screens } from './screens.ts';

/** `npm run screenshots`: every screen, light and dark, into docs/screenshots. `npm run screenshots team mail`: those that begin so. */
const folder = join(root, 'docs', 'screenshots');
mkdirSync(folder, { recursive: true });
const wanted = process.argv.slice(2);
const shown = screens.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)));
const demo = await startDemoHub({ withTeam: true });
const browser = await launchBrowser();
try {
  // Both themes at once: what a look changes (a mail is read) comes after both.
  for (const screen of shown) {
    for (const theme of ['light', 'dark'] as const) {
      await using opened = await openScreen(browser, demo.url, { ...screen, theme });
      // Fonts and the last transition.
      await opened.page.waitForTimeout(200);
      await opened.page.screenshot({ path: join(folder, `${screen.name}-${theme}.png`) });
      for (const complaint of opened.complaints) process.stderr.write(`${screen.name}-${theme}: ${complaint}\n`);
    }
  }
  process.stdout.write(`${shown.length * 2} pictures in docs/screenshots\n`);
} finally {
  await browser.close();
  await demo.close();
}
