import type { Locator, Page } from '@playwright/test';
import { connectV1 } from '../test/support/clients/mcp-clients.ts';

/** Where the animation of the README plays. */
export interface Stage {
  page: Page;
  /** The address of a hub without agents. */
  url: string;
  /** Shows the page as it is for so many milliseconds. */
  keep: (ms: number) => Promise<void>;
}

/**
 * A template becomes an agent, a skill is switched, and a real MCP client connects and becomes the agent. The last picture is drawn
 * from what the client received.
 */
export async function playFirstAgent(stage: Stage): Promise<void> {
  await makeAgent(stage);
  await connect(stage);
}

async function makeAgent({ page, url, keep }: Stage): Promise<void> {
  await page.goto(`${url}/new`);
  const template = page.getByRole('button', { name: 'Use Code reviewer' });
  await template.waitFor();
  await keep(1_300);
  await press({ page, keep }, template);
  await page.getByLabel('Name').waitFor();
  await keep(900);
  await press({ page, keep }, page.getByRole('button', { name: 'Create agent' }));
  await page.waitForURL('**/a/code-reviewer**');
  await page.getByRole('tab', { name: /Skills/ }).click();
  const skill = page.getByRole('switch', { name: /Failure paths/ });
  await skill.waitFor();
  await keep(1_300);
  await press({ page, keep }, skill);
  await page.waitForFunction(() => !document.body.innerText.includes('### Failure paths'));
  await keep(1_800);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await press({ page, keep }, save);
  await page.getByText('Saved', { exact: false }).first().waitFor();
  await keep(900);
}

async function connect({ page, url, keep }: Stage): Promise<void> {
  await page.goto(`${url}/connect?client=claude-code`);
  await page.getByText('Waiting for Claude Code…').waitFor();
  await keep(1_800);
  await page.goto(url);
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByText('Waiting for a client').waitFor();
  await keep(1_300);
  const client = await connectV1({ url: `${url}/mcp` }, 'MCP SDK');
  try {
    const tools = await client.toolNames();
    await steps.getByText(`MCP SDK connected, ${tools.length} tools`).waitFor();
    await keep(1_800);
    const { structuredContent } = await client.call('agent_zoo_inject', { agentId: 'code-reviewer' });
    const { prompt } = structuredContent as { prompt: string };
    await steps.getByText('A client has called a tool').waitFor();
    await keep(1_800);
    const start = prompt.split('\n').filter(Boolean).slice(0, 9).join('\n');
    await showClient(page, ['MCP SDK  →  agent_zoo_inject { "agentId": "code-reviewer" }', `${start}\n…`]);
    await keep(4_000);
  } finally {
    await client.close();
  }
}

/** Draws what the client has sent and received, as a terminal would. */
async function showClient(page: Page, lines: readonly string[]): Promise<void> {
  await page.setContent(
    `<style>
      body { margin: 0; height: 100vh; display: grid; place-items: center; background: #e7e5e4; }
      main { box-sizing: border-box; width: 1040px; height: 620px; overflow: hidden; padding: 28px 36px; border-radius: 14px;
        background: #1c1917; color: #e7e5e4; font: 19px/1.5 ui-monospace, monospace; }
      p { margin: 0 0 18px; white-space: pre-wrap; }
      p:first-child { color: #86efac; }
    </style><main></main>`,
  );
  await page.locator('main').evaluate((element, texts) => {
    for (const text of texts) {
      const line = document.createElement('p');
      line.textContent = text;
      element.append(line);
    }
  }, lines);
}

/** Shows where the pointer is, then clicks. */
async function press({ page, keep }: Pick<Stage, 'page' | 'keep'>, target: Locator): Promise<void> {
  await target.hover();
  const box = await target.boundingBox();
  if (!box) throw new Error('The animation presses something that is not shown.');
  const at = { left: box.x + box.width / 2, top: box.y + box.height / 2 };
  await page.evaluate(({ left, top }) => {
    const dot = document.createElement('div');
    dot.id = 'pointer';
    dot.style.cssText = `position:fixed;left:${left - 16}px;top:${top - 16}px;width:32px;height:32px;border-radius:50%;background:#f59e0b88;border:3px solid #f59e0b;box-sizing:border-box;z-index:9999;pointer-events:none`;
    document.body.append(dot);
  }, at);
  await keep(700);
  await page.evaluate(() => document.getElementById('pointer')?.remove());
  await target.click();
}
