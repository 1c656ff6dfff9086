import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { createHub, loadConfig, serveHttp } from '../src/index.ts';
import { launchBrowser } from '../test/support/browser/browser.ts';
import { type Frame, toAnimation } from './animated-png.ts';
import { playFirstAgent } from './animation-steps.ts';
import { root } from './run-step.ts';
import { signIn } from './sign-in.ts';

/** `npm run animation` records the animation of the README in the real app, from an empty home. */
const viewport = { width: 1200, height: 752 };
const file = join(root, 'docs', 'screenshots', 'first-agent.png');

const home = mkdtempSync(join(tmpdir(), 'agent-zoo-animation-'));
const config = await loadConfig({ cwd: home, env: { AGENT_ZOO_HOME: join(home, 'data') }, home });
const hub = await createHub({ config });
const server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
const browser = await launchBrowser();
const frames: Frame[] = [];
try {
  const context = await browser.newContext({ viewport, deviceScaleFactor: 0.75, reducedMotion: 'reduce' });
  await signIn(context, { hub, url: server.url });
  const page = await context.newPage();
  await playFirstAgent({ page, url: server.url, keep: (ms) => keep(page, ms) });
  writeFileSync(file, toAnimation(frames));
  process.stdout.write(`${frames.length} frames in docs/screenshots/first-agent.png\n`);
} finally {
  await browser.close();
  await server.close();
  await hub.close();
  rmSync(home, { recursive: true, force: true });
}

async function keep(page: Page, ms: number): Promise<void> {
  // Waits for fonts and the last transition.
  await page.waitForTimeout(250);
  frames.push({ png: await page.screenshot({ caret: 'hide' }), ms });
}
