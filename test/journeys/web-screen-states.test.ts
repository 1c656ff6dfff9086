import { afterAll, beforeAll, describe, it } from 'vitest';
import { type DemoHub, startDemoHub } from '../../scripts/demo-hub.ts';
import { ScreenVisitor } from '../../scripts/open-screen.ts';
import { dialogs } from '../../scripts/screen-dialogs.ts';
import { states } from '../../scripts/screen-states.ts';
import { testBrowser } from '../support/browser/browser.ts';
import { expectSound } from '../support/browser/expect-sound.ts';

let demo: DemoHub;
let visitors: { wide: ScreenVisitor; narrow: ScreenVisitor };

beforeAll(async () => {
  demo = await startDemoHub({ withTeam: true });
  const browser = await testBrowser();
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

describe.each([...dialogs, ...states])('the state $name', (screen) => {
  it('is accessible and fits its width', async () => {
    await expectSound(visitors[screen.narrow ? 'narrow' : 'wide'], screen);
  });
});
