import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../../src/agents/edit-agents.ts';
import type { HttpServer } from '../../src/http/server/serve.ts';
import { createHub, type Hub, loadConfig, serveHttp } from '../../src/index.ts';
import { TestTab } from '../support/browser/browser.ts';
import { sendMessage } from '../support/browser/send-message.ts';
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
  await serve();
  await createAgent(hub, { id: 'clerk', name: 'Clerk', systemPrompt: 'You keep the orders.' });
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

/** Serves a hub in the folder, with this config if it is given. */
async function serve(toml?: string): Promise<void> {
  const file = join(folder, 'zoo.toml');
  if (toml !== undefined) writeFileSync(file, toml);
  const env = { AGENT_ZOO_HOME: join(folder, 'data'), OLLAMA_HOST: `127.0.0.1:${await freePort()}` };
  const named = toml === undefined ? {} : { explicitFile: file };
  hub = await createHub({ config: await loadConfig({ cwd: folder, env, home: folder, ...named }), watch: true });
  server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
}

/** Everything that the page shows, holds in its fields or stores. */
async function everythingOnPage(): Promise<string> {
  const held = await page.evaluate(() => [
    ...[...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value),
    JSON.stringify({ ...localStorage }),
    JSON.stringify({ ...sessionStorage }),
  ]);
  return [await page.content(), ...held].join('\n');
}

/** The names of the providers that were added in the app. */
async function addedProviders(): Promise<string[]> {
  return (await hub.models.providers()).filter(({ from }) => from === 'app').map(({ name }) => name);
}

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
    await page.getByText('Your message is kept. It will be sent once a model works.').waitFor();

    await page.getByRole('radio', { name: 'Ollama' }).check({ force: true });
    await page.getByRole('alert').getByText('nothing is listening at 127.0.0.1:').waitFor();
    await page.getByText('Install Ollama from ollama.com and start it').waitFor();

    await enterServer('sk-a-wrong-key');
    await page.getByRole('alert').getByText('rejected the key (HTTP 401). Set a valid key for local.').waitFor();
    expect(await addedProviders()).toEqual([]);
    await page.getByLabel('API key, if it needs one').fill(key);
    await button('Connect and test').click();
    await page.getByText(/^local lists 2 models/).waitFor();
    // It can be entered wrong once more, so it stays in its field. It is stored nowhere.
    expect(await everythingOnPage()).toContain(key);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(key);

    script.push({ text: 'ok' }, { text: 'Three orders.' });
    await page.getByRole('combobox', { name: 'Model' }).last().click();
    await page.getByRole('option', { name: 'large' }).click();
    await button('Use model and send').click();
    await page.getByText('Three orders.').waitFor();
    expect(model.requests.at(-1)?.body.messages.at(-1)).toMatchObject({ content: 'How many orders are there?' });
    expect(await hub.models.defaultModel()).toMatchObject({ model: 'local/large', from: 'app' });
    expect(await everythingOnPage()).not.toContain(key);

    // The next chat needs nothing more.
    script.push({ text: 'Still three.' });
    await open('/chat?with=clerk');
    await page.getByText('Leave empty to use the default model, local/large.').waitFor();
    await sendMessage(page, 'And now?');
    await page.getByText('Still three.').waitFor();
  });
});

it('the first chat on a hub with a provider, but no model, asks for the model', async () => {
  await hub.models.save('local', { type: 'openai-compatible', baseUrl: model.url, key });
  await hub.models.list('local', { signal: AbortSignal.timeout(5_000) });
  await open('/chat?with=clerk');
  await page.getByRole('heading', { name: 'Choose a model first' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('How many orders are there?');
  await page.keyboard.press('Enter');
  const field = page.getByRole('region', { name: 'Choose a model first' }).getByRole('combobox', { name: 'Model' });
  script.push(
    { status: 403, body: { error: { message: 'Not for this key.' } } },
    { status: 404, body: { error: { message: 'No such model.' } } },
  );
  await field.fill('small');
  await page.getByRole('option', { name: 'local/small' }).click();
  await button('Use model and send').click();
  await page.getByText('Correct the key in Models, then try again.').waitFor();
  await button('Use model and send').click();
  await page.getByText('Choose another model.').waitFor();
  await button('Connect another provider').click();
  await page.getByRole('radio', { name: 'OpenAI-compatible' }).waitFor();

  script.push({ text: 'ok' }, { text: 'Three orders.' });
  await field.fill('large');
  await page.getByRole('option', { name: 'local/large' }).click();
  await button('Use model and send').click();
  await page.getByText('Three orders.').waitFor();
  expect(await hub.models.defaultModel()).toMatchObject({ model: 'local/large', from: 'app' });
});

describe('while the hub cannot say what it has', () => {
  const fail = (address: string) =>
    page.route(address, (route) =>
      route.fulfill({ status: 400, json: { error: { code: 'FAILED_PRECONDITION', message: 'The disk is full.' } } }),
    );

  it('the first chat says so, and asks again', async () => {
    await fail('**/api/providers');
    await open('/chat?with=clerk');
    await page.getByText('The providers could not be loaded').waitFor();
    await page.unroute('**/api/providers');
    await button('Try again').click();
    await page.getByRole('heading', { name: 'Connect a model first' }).waitFor();
  });

  it('the first chat says so about the default model, too, and keeps the message', async () => {
    await fail('**/api/models/default');
    await open('/chat?with=clerk');
    await page.getByText('The default model could not be loaded').waitFor();
    // The hub itself knows that there is none.
    await page.getByRole('textbox', { name: 'Message' }).fill('How many orders are there?');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent: ').waitFor();
    await page.getByText('The default model could not be loaded').waitFor();
    await page.unroute('**/api/models/default');
    await button('Try again').click();
    await page.getByText('Your message is kept.').waitFor();
  });

  it('the form of a provider asks again before it connects', async () => {
    await fail('**/api/providers');
    await open('/models?add=true');
    const dialog = page.getByRole('dialog', { name: 'Add provider' });
    await dialog.getByText('The disk is full.').waitFor();
    await page.unroute('**/api/providers');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('button', { name: 'Connect and test' }).waitFor();
  });

  it('the choices say so, and a model becomes the default only once it is saved', async () => {
    await fail('**/api/models/{default,embeddings}');
    await open('/models?add=true');
    await enterServer(key);
    await page.getByText(/^local lists 2 models/).waitFor();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'small' }).click();
    await button('Make default').click();
    await page.getByRole('dialog').getByText('The disk is full.').waitFor();
    expect(await hub.models.defaultModel()).toMatchObject({ model: null });
    await page.unroute('**/api/models/{default,embeddings}');
    await button('Make default').click();
    await page.getByText('local/small is the default model').waitFor();
    expect(await hub.models.defaultModel()).toMatchObject({ model: 'local/small' });
    for (const title of ['Default model', 'Search by meaning'])
      await page.getByRole('region', { name: title }).getByRole('alert').waitFor({ state: 'detached' });
  });
});

describe('while a request about a provider runs', () => {
  /** Holds requests to this address until the returned function is called. */
  async function hold(address: string): Promise<() => void> {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(address, async (route) => {
      await released;
      await route.continue();
    });
    return release;
  }
  const expectReadOnly = (field: Locator, isReadOnly: boolean) =>
    expect.poll(() => field.evaluate((element) => (element as HTMLInputElement).readOnly)).toBe(isReadOnly);

  it('the form keeps what was sent, and can be changed again after the reply', async () => {
    await open('/models?add=true');
    const release = await hold('**/connect');
    await enterServer('sk-a-wrong-key');
    for (const field of [address(), page.getByLabel('API key, if it needs one'), page.getByLabel('Name')])
      await expectReadOnly(field, true);
    release();
    await page.getByRole('alert').getByText('rejected the key (HTTP 401)').waitFor();
    await expectReadOnly(address(), false);
  });

  it('so does the dialog of a key', async () => {
    await hub.models.save('gate', { type: 'openai-compatible', baseUrl: model.url });
    await open('/models');
    await button('Set key for gate').click();
    const release = await hold('**/connect');
    const field = page.getByLabel('API key', { exact: true });
    await field.fill('sk-a-wrong-key');
    await button('Save key').click();
    await expectReadOnly(field, true);
    release();
    await page.getByRole('alert').getByText('rejected the key (HTTP 401)').waitFor();
    await expectReadOnly(field, false);
  });

  it('so does the default model', async () => {
    await hub.models.save('gate', { type: 'openai-compatible', baseUrl: model.url, key });
    await open('/models');
    const field = page.getByRole('combobox', { name: 'Default model' });
    await field.fill('gate/small');
    await page.getByRole('option', { name: 'gate/small' }).click();
    const answer = await hold('**/api/models/default');
    await button('Save').click();
    await expectReadOnly(field, true);
    answer();
    await page.getByText('gate/small is the default model').waitFor();
    await expectReadOnly(field, false);
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
    await page.getByText(/^local lists 2 models/).waitFor();
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
    await local.waitFor({ state: 'detached' });
    await button('Undo').click();
    await local.waitFor();
    expect((await hub.models.provider('local')).from).toBe('app');
    await button('Remove local').click();
    await local.waitFor({ state: 'detached' });
    // Leaving the page closes the notice.
    await page.reload();
    await page.getByRole('region', { name: 'openai', exact: true }).waitFor();
    await local.waitFor({ state: 'detached' });
    await expect(hub.models.resolve('local/large')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('a server that lists its models for any key is reachable, and works once a model answers', async () => {
    const gate = await startModelServer({
      models: [{ id: 'big', context_length: 200_000, pricing: { prompt: '0.000002', completion: '0.00001' } }],
      script: () => ({ text: 'ok' }),
      key,
      listsWithoutKey: true,
    });
    try {
      await hub.models.save('gate', { type: 'openai-compatible', baseUrl: gate.url, key: 'sk-of-somebody-else' });
      await open('/models');
      const card = page.getByRole('region', { name: 'gate', exact: true });
      await button('List models from gate').click();
      await card.getByText('Reachable', { exact: true }).waitFor();
      await button('Test gate').click();
      await card.getByText('Lists 1 model').waitFor();
      await card.getByRole('alert').getByText('rejected the key (HTTP 401)').waitFor();
      await card.getByText('Failed', { exact: true }).waitFor();

      await button('Replace key for gate').click();
      await page.getByLabel('API key', { exact: true }).fill(key);
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'Discard the key?' }).waitFor();
      await button('Keep editing').click();
      await button('Save key').click();
      await card.getByText(/^gate\/big answered in \d+ ms$/).waitFor();
      await card.getByText('Works', { exact: true }).waitFor();
      expect(await everythingOnPage()).not.toContain(key);

      // The picker shows what the server tells about its models.
      await page.getByRole('combobox', { name: 'Default model' }).click();
      await page.getByRole('option', { name: 'gate/big' }).getByText('200K context · $2.00 / $10.00').waitFor();
    } finally {
      await gate.close();
    }
  });

  it('a wrong name stays in the field, with the reason', async () => {
    await hub.models.save('local', { type: 'openai-compatible', baseUrl: model.url, key });
    await open('/a/clerk');
    const field = page.getByRole('combobox', { name: 'Model', exact: true });
    const reasonOf = () =>
      field.evaluate((element) => {
        const id = element.getAttribute('aria-describedby');
        return id === null ? null : (document.getElementById(id)?.textContent ?? null);
      });
    for (const [name, reason] of [
      ['local/huge', 'local does not list "huge". Choose one of its 2 models, or check the name.'],
      ['nowhere/large', 'There is no provider "nowhere". Available: '],
      ['large', 'Use provider/model. Providers: '],
    ] as const) {
      await field.fill(name);
      await page.keyboard.press('Tab');
      await page.getByRole('listbox').waitFor({ state: 'detached' });
      expect(await field.inputValue()).toBe(name);
      await expect.poll(reasonOf).toContain(reason);
      await page.getByText(reason).first().waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
    }
    // It is also kept while the user looks at the list again.
    await field.click();
    expect(await field.inputValue()).toBe('large');
    await field.fill('local/large');
    await page.getByRole('option', { name: 'local/large' }).click();
    await expect.poll(reasonOf).toBeNull();
  });

  it('is connected with the keyboard: the focus stays where it is needed', async () => {
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement as HTMLInputElement | null;
        return element?.labels?.[0]?.textContent ?? element?.textContent;
      });
    await open('/models?add=true');
    await enterServer('sk-a-wrong-key');
    await page.getByRole('alert').waitFor();
    await expect.poll(focused).toBe('Connect and test');
    await page.getByLabel('API key, if it needs one').fill(key);
    await button('Connect and test').focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^local lists 2 models/).waitFor();
    await expect.poll(focused).toBe('Model');
  });

  it('a provider that does not answer is kept only if you say so', async () => {
    const dead = `http://127.0.0.1:${await freePort()}/v1`;
    await open('/models?add=true');
    await page.getByRole('radio', { name: 'OpenAI-compatible' }).check({ force: true });
    await address().fill(dead);
    await page.getByLabel('API key, if it needs one').fill(key);
    await button('Connect and test').click();
    await page.getByRole('alert').getByText('nothing is listening at').waitFor();
    expect(await addedProviders()).toEqual([]);
    await button('Save anyway').click();
    await page.getByText('Saved local').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await hub.models.provider('local')).toMatchObject({ baseUrl: dead, key: 'vault' });
    expect(await everythingOnPage()).not.toContain(key);

    // Its failure is one line where models are chosen, under those of the others.
    await hub.models.save('gate', { type: 'openai-compatible', baseUrl: model.url, key });
    await page.reload();
    await page.getByRole('combobox', { name: 'Default model' }).click();
    await page.getByRole('option', { name: 'gate/small' }).waitFor();
    // Ollama does not answer either.
    const note = page.getByText('2 providers did not list their models. See Models.');
    await note.waitFor();
    await expect.poll(async () => (await note.boundingBox())?.height).toBeLessThan(24);
    expect(await note.locator('..').innerText()).not.toContain('nothing is listening');
    await page.keyboard.press('Escape');

    // A change that does not work is not kept either.
    await button('Change local').click();
    await address().fill(dead.replace('/v1', '/v2'));
    await page.getByLabel('API key, if it needs one').fill(key);
    await button('Connect and test').click();
    await page.getByRole('alert').getByText('nothing is listening at').waitFor();
    expect(await hub.models.provider('local')).toMatchObject({ baseUrl: dead });
  });

  it('a key that its provider rejects is kept only if you say so', async () => {
    await hub.models.save('local', { type: 'openai-compatible', baseUrl: model.url });
    await open('/models');
    await button('Set key for local').click();
    await page.getByLabel('API key', { exact: true }).fill('sk-a-wrong-key');
    await button('Save key').click();
    await page.getByRole('dialog').getByText('rejected the key (HTTP 401)').waitFor();
    expect(await hub.models.provider('local')).toMatchObject({ key: 'not-needed' });
    await button('Save anyway').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await hub.models.provider('local')).toMatchObject({ key: 'vault' });
  });

  it('a default model that its provider does not list is asked about', async () => {
    await hub.models.save('local', { type: 'openai-compatible', baseUrl: model.url, key });
    await open('/models');
    await page.getByRole('combobox', { name: 'Default model' }).fill('local/huge');
    await page.keyboard.press('Tab');
    await button('Save').click();
    const question = page.getByRole('dialog', { name: 'Use local/huge anyway?' });
    await question.getByText('local does not list "huge".').waitFor();
    await question.getByRole('button', { name: 'Change it' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await hub.models.defaultModel()).toMatchObject({ model: null });
    await button('Save').click();
    await question.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByText('local/huge is the default model').waitFor();
    expect(await hub.models.defaultModel()).toMatchObject({ model: 'local/huge' });
  });

  it('a compatible provider without an address gets one on its card', async () => {
    await open('/models');
    await button('Set address for openai-compatible').click();
    await address().fill(model.url);
    await page.getByLabel('API key, if it needs one').fill(key);
    await button('Connect and test').click();
    await page.getByText(/^openai-compatible lists 2 models/).waitFor();
    expect(await hub.models.provider('openai-compatible')).toMatchObject({ baseUrl: model.url, isReady: true });
  });

  it('a second server on this machine gets its own name, and the first one stays', async () => {
    const other = await startModelServer({ models: ['tiny'] });
    try {
      await hub.models.save('local', { type: 'openai-compatible', baseUrl: model.url, key });
      await open('/models');
      await button('Add provider').click();
      await page.getByRole('radio', { name: 'OpenAI-compatible' }).check({ force: true });
      await address().fill(other.url);
      await page.getByText('Its models are called local-2/…').waitFor();
      await page.getByRole('textbox', { name: 'Name' }).fill('local');
      await button('Connect and test').click();
      await page.getByRole('alert').getByText('There is already a provider "local". Choose another name.').waitFor();

      // What was typed survives a reload.
      await page.reload();
      await page.getByText('Restored what you typed').waitFor();
      expect(await address().inputValue()).toBe(other.url);
      await page.getByRole('textbox', { name: 'Name' }).fill('');
      await button('Connect and test').click();
      await page.getByText(/^local-2 lists 1 model/).waitFor();
      expect(await hub.models.provider('local')).toMatchObject({ baseUrl: model.url, key: 'vault' });

      // A provider keeps its name.
      await button('Done').click();
      await button('Change local-2').click();
      const name = page.getByRole('textbox', { name: 'Name' });
      expect(await name.getAttribute('readonly')).not.toBeNull();
      await page.getByText('Agents and chats use this name.').waitFor();
    } finally {
      await other.close();
    }
  });

  it('what zoo.toml sets is changed there after a preview, and applies at once', async () => {
    await server.close();
    await hub.close();
    await serve(`# Ours.
[providers.lab]
base_url = "http://127.0.0.1:9/v1" # moves
api_key = "${key}"

[engine]
model = "lab/small" # fast

[embedding]
provider = "disabled"
`);
    const text = () => readFileSync(join(folder, 'zoo.toml'), 'utf8');
    await open('/models');
    await button('Change lab').click();
    await address().fill(model.url);
    await page.getByLabel('API key').fill(key);
    await button('Show the change').click();
    await page.getByText(`base_url = "${model.url}" # moves`).waitFor();
    expect(await everythingOnPage()).not.toContain(key);
    await button('Write to zoo.toml').click();
    await page.getByText('It applies now.').waitFor();
    expect(text()).toContain(`base_url = "${model.url}" # moves\n`);
    expect(text()).not.toContain(key);

    await button('Change the default model').click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Default model' }).fill('lab/large');
    await page.keyboard.press('Tab');
    await button('Show the change').click();
    await button('Write to zoo.toml').click();
    await page.getByRole('region', { name: 'Default model' }).getByText('lab/large').waitFor();
    expect(text()).toContain('model = "lab/large" # fast\n');
    await button('Test lab').click();
    await page.getByText(/^lab\/large answered in/).waitFor();

    // Somebody edits the file by hand.
    writeFileSync(join(folder, 'zoo.toml'), text().replace('lab/large', 'lab/small'));
    await page.getByRole('region', { name: 'Default model' }).getByText('lab/small').waitFor();
  });
});
