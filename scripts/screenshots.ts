import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../test/support/browser.ts';
import { startDemoHub } from './demo-hub.ts';
import { root } from './run-step.ts';

const folder = join(root, 'docs', 'screenshots');

/** Every screen of the web app: its address, and what to do before the picture is taken. */
const screens: { name: string; path: string; press?: string; narrow?: boolean }[] = [
  { name: 'gallery', path: '/' },
  { name: 'new', path: '/new' },
  { name: 'editor-prompt', path: '/a/code-reviewer?tab=prompt' },
  { name: 'editor-skills', path: '/a/code-reviewer?tab=skills' },
  { name: 'editor-arguments', path: '/a/incident-responder?tab=arguments' },
  { name: 'editor-tools', path: '/a/code-reviewer?tab=tools' },
  { name: 'editor-brain', path: '/a/code-reviewer?tab=brain' },
  { name: 'editor-history', path: '/a/code-reviewer?tab=history' },
  { name: 'editor-read-only', path: '/a/release-notes' },
  { name: 'connect', path: '/connect' },
  { name: 'connect-agent', path: '/connect?agent=code-reviewer' },
  { name: 'palette', path: '/', press: 'Control+k' },
  { name: 'api-docs', path: '/docs' },
  { name: 'not-found', path: '/a/nobody' },
  { name: 'gallery-narrow', path: '/', narrow: true },
  { name: 'editor-narrow', path: '/a/code-reviewer?tab=skills', narrow: true },
  { name: 'connect-narrow', path: '/connect', narrow: true },
];

mkdirSync(folder, { recursive: true });
const demo = await startDemoHub();
const browser = await launchBrowser();
try {
  for (const theme of ['light', 'dark'] as const) {
    for (const screen of screens) {
      const viewport = screen.narrow ? { width: 390, height: 844 } : { width: 1440, height: 900 };
      const context = await browser.newContext({ viewport, colorScheme: theme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on(
        'console',
        (message) => message.type() === 'error' && !/404/.test(message.text()) && complaints.push(message.text()),
      );
      await page.goto(demo.url + screen.path);
      await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
      if (screen.press) await page.keyboard.press(screen.press);
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(folder, `${screen.name}-${theme}.png`) });
      for (const complaint of complaints) process.stderr.write(`${screen.name}-${theme}: ${complaint}\n`);
      await context.close();
    }
  }
  process.stdout.write(`${screens.length * 2} pictures in docs/screenshots\n`);
} finally {
  await browser.close();
  await demo.close();
}
