import { afterAll, beforeAll, expect, it } from 'vitest';
import { playFirstAgent } from '../../scripts/animation-steps.ts';
import { TestTab } from '../support/browser/browser.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
const tab = new TestTab({ viewport: { width: 1200, height: 752 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  zoo = await serveTestHub();
});
afterAll(async () => {
  await tab.close();
  await zoo?.end();
});

it('the animation of the README can be recorded from the app as it is', async () => {
  const page = await tab.open();
  const shown: string[] = [];
  await playFirstAgent({
    page,
    url: zoo.server.url,
    keep: async () => void shown.push(await page.locator('body').innerText()),
  });
  expect(shown.at(-1)).toContain('You are now Code reviewer. Use agentId=code-reviewer');
  const { body } = await zoo.call('GET', '/api/agents/code-reviewer');
  expect(body.skills.filter(({ enabled }) => !enabled).map(({ name }) => name)).toContain('Failure paths');
});
