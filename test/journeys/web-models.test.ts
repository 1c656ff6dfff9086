import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../../src/agents/edit-agents.ts';
import type { HttpServer } from '../../src/http/server/serve.ts';
import { createHub, type Hub, loadConfig, serveHttp } from '../../src/index.ts';
import { TestTab } from '../support/browser/browser.ts';
import { type ModelStep, startModelServer, type TestModelServer } from '../support/models/model-server.ts';
import { freePort } from '../support/servers/free-port.ts';

const key = 'sk-of-the-lab-12345';
let folder: string;
let model: TestModelServer;
let hub: Hub;
let server: HttpServer;
let page: Page;
let browserErrors: string[];
let script: ModelStep[];
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

beforeAll(async () => {
  model = await startModelServer({
    models: ['small', 'large'],
    key,
    script: () => script.shift() ?? { text: 'ok' },
  });
});
afterAll(async () => {
  await tab.close();
  await model.close();
});

/** Every test starts from an empty home, with nothing listening at the address of Ollama. */
beforeEach(async () => {
  script = [];
  browserErrors = [];
  folder = mkdtempSync(join(tmpdir(), 'zoo-web-models-'));
  const env = { AGENT_ZOO_HOME: join(folder, 'data'), OLLAMA_HOST: `127.0.0.1:${await freePort()}` };
  hub = await createHub({ config: await loadConfig({ cwd: folder, env, home: folder }), watch: false });
  await createAgent(hub, { id: 'clerk', name: 'Clerk', systemPrompt: 'You keep the orders.' });
  server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
  page = await tab.open();
  page.on('pageerror', (error) => browserErrors.push(String(error)));
});
afterEach(async () => {
  await tab.leave();
  await server.close();
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
  expect(browserErrors).toEqual([]);
});

const open = (path: string) => page.goto(`${server.url}${path}`);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const address = () => page.getByRole('textbox', { name: 'Address' });

/** Fills the form for an OpenAI-compatible server. */
async function enterServer(apiKey: string): Promise<void> {
  await page.getByRole('radio', { name: 'OpenAI-compatible' }).check({ force: true });
  await address().fill(model.url);
  await page.getByLabel('API key, if it needs one').fill(apiKey);
  await button('Connect and test').click();
}

describe('the first chat on a hub without a model', () => {
  it('leads to a working model, and then sends what was typed', async () => {
    await open('/chat?with=clerk');
    await page.getByRole('heading', { name: 'Connect a model first' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('How many orders are there?');
    await page.keyboard.press('Enter');
    await page.getByText('Your message is kept. It is sent as soon as a model answers.').waitFor();

    await page.getByRole('radio', { name: 'Ollama' }).check({ force: true });
    await page.getByRole('alert').getByText('nothing is listening at 127.0.0.1:').waitFor();
    await page.getByText('Install Ollama from ollama.com and start it').waitFor();

    await enterServer('sk-a-wrong-key');
    await page.getByRole('alert').getByText('rejected the key (HTTP 401). Set a valid key for local.').waitFor();
    await page.getByLabel('API key, if it needs one').fill(key);
    await button('Connect and test').click();
    await page.getByText(/^local works: 2 models, answered in/).waitFor();

    script.push({ text: 'ok' }, { text: 'Three orders.' });
    await page.getByRole('combobox', { name: 'Model' }).last().click();
    await page.getByRole('option', { name: 'large' }).click();
    await button('Use model and send').click();
    await page.getByText('Three orders.').waitFor();
    expect(model.requests.at(-1)?.body.messages.at(-1)).toMatchObject({ content: 'How many orders are there?' });
    expect(await hub.models.defaultModel()).toMatchObject({ model: 'local/large', from: 'app' });
    expect(await page.content()).not.toContain(key);

    // The next chat needs nothing more.
    script.push({ text: 'Still three.' });
    await open('/chat?with=clerk');
    await page.getByText('Leave empty to use the default model, local/large.').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('And now?');
    await page.keyboard.press('Enter');
    await page.getByText('Still three.').waitFor();
  });
});

describe('models', () => {
  it('shows what was seen of a provider, and gives advice that fits', async () => {
    await open('/models');
    const ollama = page.getByRole('region', { name: 'ollama', exact: true });
    await ollama.getByText('Not tested').waitFor();
    await button('Test ollama').click();
    await ollama.getByText('Failed', { exact: true }).waitFor();
    await ollama.getByText('nothing is listening at').waitFor();

    await button('Add provider').click();
    await enterServer(key);
    await page.getByText(/^local works: 2 models/).waitFor();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'small' }).click();
    script.push({ status: 404, body: { error: { message: 'The model small does not exist.' } } });
    await button('Make default').click();
    await page.getByRole('alert').getByText('The model small does not exist. Check the name of the model.').waitFor();
    await button('Make default').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const local = page.getByRole('region', { name: 'local', exact: true });
    await local.getByText('Works', { exact: true }).waitFor();
    const chosen = page.getByRole('combobox', { name: 'Default model' });
    await expect.poll(() => chosen.inputValue()).toBe('local/small');

    await chosen.fill('large');
    await page.getByRole('option', { name: 'local/large' }).click();
    await button('Save').click();
    await expect.poll(async () => (await hub.models.defaultModel()).model).toBe('local/large');

    await button('Remove local').click();
    await button('Remove').click();
    await local.waitFor({ state: 'detached' });
    await expect(hub.models.resolve('local/large')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});
