import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { launchBrowser } from '../test/support/browser/browser.ts';
import { widths } from '../test/support/browser/find-violations.ts';
import { documentFiles, picturesIn } from '../test/support/docs/document-links.ts';
import { startDemoHub } from './demo-hub.ts';
import { openScreen, showAt } from './open-screen.ts';
import { root } from './run-step.ts';
import { screens } from './screens.ts';

/**
 * `npm run screenshots` saves pictures of every screen, light and dark and at each width, in `.cache/screenshots`; `npm run screenshots team mail`
 * only of screens whose names start like that. Also updates the pictures in the documentation.
 */
const folder = join(root, '.cache', 'screenshots');
mkdirSync(folder, { recursive: true });
const narrowWidths = widths.filter((width) => width < 1440);
const prefixes = process.argv.slice(2);
const chosen = screens.filter(
  ({ name }) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)),
);
const inDocs = new Map(
  documentFiles()
    .flatMap(picturesIn)
    .map((file) => [basename(file, '.png'), file]),
);
const demo = await startDemoHub({ withTeam: true });
const browser = await launchBrowser();
try {
  // Takes both themes of a screen in turn, because opening a screen can change later ones (a mail becomes read).
  for (const screen of chosen) {
    for (const theme of ['light', 'dark'] as const) {
      const name = `${screen.name}-${theme}`;
      await using opened = await openScreen(browser, demo, { ...screen, theme });
      // Waits for fonts and the last transition.
      await opened.page.waitForTimeout(200);
      const path = join(folder, `${name}.png`);
      await opened.page.screenshot({ path });
      const shown = inDocs.get(name);
      if (shown) copyFileSync(path, shown);
      for (const width of screen.narrow ? [] : narrowWidths) {
        await showAt(opened.page, screen, { demo, width });
        await opened.page.waitForTimeout(200);
        await opened.page.screenshot({ path: join(folder, `${screen.name}-${width}-${theme}.png`) });
      }
      for (const complaint of opened.complaints) process.stderr.write(`${name}: ${complaint}\n`);
    }
  }
  process.stdout.write(`Pictures of ${chosen.length} screens in .cache/screenshots\n`);
} finally {
  await browser.close();
  await demo.close();
}
