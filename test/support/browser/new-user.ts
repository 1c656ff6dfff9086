import type { Locator, Page } from '@playwright/test';
import { type RunningZoo, startZoo, zooFolder } from '../command/run-zoo.ts';
import { type ModelServerOptions, startModelServer, type TestModelServer } from '../models/model-server.ts';
import { TestTab } from './browser.ts';

/** Somebody who has just installed the product: an empty home, a browser, and a model that the hub does not know yet. */
export interface NewUser extends AsyncDisposable {
  page: Page;
  url: string;
  /** The working folder. It is empty, except for the home. */
  dir: string;
  model: TestModelServer;
  button: (name: string) => Locator;
  dialog: (name: string) => Locator;
  /** Follows a link of the navigation. */
  go: (screen: string) => Promise<void>;
  /** Adds the model in the app and makes it the default. */
  addModel: () => Promise<void>;
  /** Adds a server that is started with these words, after testing it, and waits until it is connected. */
  addServer: (name: string, command: readonly string[]) => Promise<void>;
  /** Creates an agent from a template and opens it. */
  createAgent: (name: string, template?: string) => Promise<void>;
}

export async function startAsNewUser(script?: ModelServerOptions['script']): Promise<NewUser> {
  const owned = new AsyncDisposableStack();
  const folder = owned.use(await zooFolder({ isNew: true }));
  const model = await startModelServer({ models: ['small'], ...(script && { script }) });
  owned.defer(() => model.close());
  const hub: RunningZoo = owned.use(startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir }));
  const [url] = await hub.says(/http:\/\/127\.0\.0\.1:\d+/);
  const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  owned.defer(() => tab.close());
  const page = await tab.open();
  await page.goto(url);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (name: string) => page.getByRole('dialog', { name });
  const go = (screen: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: screen }).first().click();
  return {
    page,
    url,
    dir: folder.dir,
    model,
    button,
    dialog,
    go,
    async addModel() {
      await go('Models');
      await button('Add provider').click();
      await page.getByRole('radio', { name: 'OpenAI-compatible' }).check({ force: true });
      await page.getByRole('textbox', { name: 'Address' }).fill(model.url);
      await button('Connect and test').click();
      await page.getByText(/^local lists 1 model/).waitFor();
      await button('Make default').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
    async addServer(name, command) {
      await go('Servers');
      await button('Add server').first().click();
      const form = dialog('Add server');
      await form.getByRole('button', { name: 'Command' }).click();
      await form.getByRole('textbox', { name: 'Command' }).fill(command.map((word) => `"${word}"`).join(' '));
      await form.getByLabel('Name', { exact: true }).fill(name);
      await form.getByRole('button', { name: 'Test connection' }).click();
      await form.getByText(/^Connected in/).waitFor();
      await form.getByRole('button', { name: 'Add server' }).click();
      await page.getByRole('listitem', { name }).and(page.locator('[data-state="connected"]')).waitFor();
    },
    async createAgent(name, template = 'Code reviewer') {
      await go('Agents');
      await page.getByRole('main').getByRole('link', { name: 'New agent' }).click();
      await button(`Use ${template}`).click();
      await page.getByLabel('Name', { exact: true }).fill(name);
      await button('Create agent').click();
      await page.getByRole('tab', { name: 'Prompt' }).waitFor();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
