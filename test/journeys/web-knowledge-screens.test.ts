import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DemoHub, startDemoHub } from '../../scripts/demo-hub.ts';
import { TestTab } from '../support/browser/browser.ts';
import { untilTyping } from '../support/browser/focus.ts';
import { openPalette, runCommand } from '../support/browser/palette.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let demo: DemoHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
const folders: string[] = [];

beforeAll(async () => {
  demo = await startDemoHub();
});

afterAll(async () => {
  await tab.close();
  await demo?.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  page = await tab.open();
});

afterEach(() => tab.leave());

const open = (path: string) => page.goto(demo.url + path);
const results = () => page.getByRole('list', { name: 'Results' });
const titles = () => results().getByRole('heading').allTextContents();
const search = (text: string) => page.getByLabel('Search the knowledge base').fill(text);
const source = (name: string) => page.getByRole('listitem', { name, exact: true });

/** Adds and syncs a source with these files. */
async function addFolder(name: string, files: Record<string, string>, { knowledge } = demo.hub): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'zoo-web-')));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  await knowledge.addSource({ type: 'filesystem', name, settings: { root: folder } });
  await knowledge.sync({ target: `filesystem:${name}` });
  return folder;
}

describe('searching', () => {
  it('by meaning without embeddings explains the setup and falls back to keywords', async () => {
    await open('/knowledge/search?q=roll+back');
    await page.getByRole('button', { name: 'Semantic' }).click();
    const notice = page.getByRole('alert', { name: 'Search by meaning is not set up' });
    expect(await notice.getByRole('link', { name: 'Choose under Models' }).getAttribute('href')).toBe('/models');
    await notice.getByRole('button', { name: 'Use keyword search' }).click();
    await results().waitFor();
    expect(page.url()).toContain('mode=keyword');
  });

  it('Enter opens the first result of the text in the field, however fast it was typed', async () => {
    await open('/knowledge/search?q=refund');
    await expect.poll(titles).toEqual(expect.arrayContaining([expect.stringContaining('refund.ts')]));
    let answer = () => {};
    const wanted = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/knowledge/search', async (route) => {
      await wanted;
      await route.continue();
    });
    const asked = page.waitForRequest('**/api/knowledge/search');
    await search('on call');
    await page.keyboard.press('Enter');
    await asked;
    expect(new URL(page.url()).pathname).toBe('/knowledge/search');
    answer();
    await page.waitForURL(/\/knowledge\/documents\/[^/]+\?q=on(\+|%20)call/);
    await page.getByRole('heading', { name: 'On call', level: 1 }).waitFor();
  });

  it('filters by source, tags and time, keeps them in the URL, and clears them', async () => {
    await open('/knowledge/search?q=roll+back+refund+incident');
    await expect.poll(titles).toEqual(expect.arrayContaining([expect.stringContaining('refund.ts')]));
    const all = (await titles()).length;
    await page.getByRole('combobox', { name: 'Source' }).click();
    await page.getByRole('option', { name: 'services' }).click();
    await expect.poll(titles).toEqual([expect.stringContaining('refund.ts')]);
    expect(page.url()).toContain('source=filesystem%3Aservices');

    await page.getByRole('combobox', { name: 'Source' }).click();
    await page.getByRole('option', { name: 'All sources' }).click();
    await page.getByLabel('Tags').fill('people');
    await page.keyboard.press('Enter');
    await expect.poll(titles).toEqual([expect.stringContaining('On call')]);
    await page.reload();
    await expect.poll(titles).toEqual([expect.stringContaining('On call')]);

    await page.getByLabel('Changed until').fill('2001-01-01');
    await page.getByText('No results').waitFor();
    await page.getByRole('button', { name: 'Search without filters' }).click();
    await expect.poll(async () => (await titles()).length).toBe(all);
  });

  it('cancels a search when the next one is typed', async () => {
    const held = Promise.withResolvers<void>();
    await page.route('**/api/knowledge/search', async (route) => {
      if (route.request().postDataJSON().query === 'pager') await held.promise;
      await route.continue().catch(() => {});
    });
    await open('/knowledge/search');
    const asked = page.waitForRequest((request) => request.postData()?.includes('"pager"') ?? false);
    await search('pager');
    await asked;
    const givenUp = page.waitForEvent('requestfailed', (request) => request.postData()?.includes('"pager"') ?? false);
    await search('cache after a restart');
    await givenUp;
    await expect.poll(async () => (await titles())[0]).toContain('Search runbook');
    held.resolve();
  });

  it('moves through the results and back with the arrow keys', async () => {
    await open('/knowledge/search?q=roll+back+a+release');
    await results().waitFor();
    await page.keyboard.press('/');
    await untilTyping(page);
    await page.keyboard.press('ArrowDown');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-result') ?? null);
    await expect.poll(focused).toBe('0');
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('1');
    await page.keyboard.press('ArrowUp');
    await expect.poll(focused).toBe('0');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('knowledge-search');
    await page.keyboard.press('Enter');
    await page.locator('[data-opened]').waitFor();
  });

  it('explains a score word by word', async () => {
    await open('/knowledge/search?q=roll+back+a+release');
    await page.getByRole('button', { name: /^Score 1\.00/ }).click();
    const popover = page.getByRole('dialog', { name: 'Score 1.00' });
    await popover.getByRole('row', { name: /^roll / }).waitFor();
    await popover.getByText('not used').waitFor();
  });

  it('shows document content as text, never as HTML', async () => {
    await addFolder('hostile', {
      'zebra.md': '# Zebra\n\n<img src="x" onerror="window.hacked = 1"><script>window.hacked = 1</script> zebra\n',
    });
    await open('/knowledge/search?q=zebra');
    await results().getByText('onerror').waitFor();
    expect(await results().locator('img, script').count()).toBe(0);
    await page.locator('[data-result="0"]').click();
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.getByText('window.hacked').waitFor();
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });

  it('reports an unreachable hub and retries', async () => {
    let isBroken = true;
    await page.route('**/api/knowledge/search', (route) =>
      isBroken
        ? route.fulfill({ status: 400, json: { error: { code: 'bad_request', message: 'No, not now.' } } })
        : route.continue(),
    );
    await open('/knowledge/search?q=pager');
    await page.getByText('No, not now.').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await results().getByText('On call').first().waitFor();
  });
});

describe('sources', () => {
  it('a missing folder is rejected in the dialog with the reason', async () => {
    await open('/knowledge?add=folder');
    const dialog = page.getByRole('dialog', { name: 'Add folder' });
    await dialog.getByLabel('Folder').fill('nowhere');
    await dialog.getByRole('button', { name: 'Add and sync' }).click();
    await dialog.getByText('Enter the full path').waitFor();
    await dialog.getByLabel('Folder').fill('/not/there/at/all');
    await dialog.getByRole('button', { name: 'Add and sync' }).click();
    await expect
      .poll(async () => (await dialog.getByRole('alert').allTextContents()).join(' '))
      .toContain('/not/there/at/all');
  });

  it('a source added here can be removed with its documents, one from the config cannot', async () => {
    await addFolder('passing', { 'okapi.md': '# Okapi\n\nThe okapi is shy.\n' });
    await open('/knowledge');
    await page.getByRole('button', { name: 'Actions for handbook' }).click();
    await page.getByRole('menuitem', { name: 'Browse documents' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Remove' }).count()).toBe(0);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Actions for passing' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await source('passing').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await source('passing').waitFor();
    await page.getByRole('button', { name: 'Actions for passing' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await source('passing').waitFor({ state: 'detached' });
    await page.reload();
    await expect.poll(() => demo.hub.knowledge.search({ query: 'okapi' })).toEqual([]);
  });

  it('a source that was just removed is added again at once', async () => {
    const folder = await addFolder('again', { 'tapir.md': '# Tapir\n\nThe tapir swims.\n' });
    await open('/knowledge');
    await page.getByRole('button', { name: 'Actions for again' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await source('again').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add folder' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add folder' });
    await dialog.getByLabel('Folder').fill(folder);
    await dialog.getByLabel('Name').fill('again');
    await dialog.getByRole('button', { name: 'Add and sync' }).click();
    await dialog.waitFor({ state: 'detached' });
    await source('again').getByText('1 document', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  });

  it('an unreadable source explains why and keeps its documents', async () => {
    const folder = await addFolder('vanishing', { 'a.md': '# A\n\nStill here.\n' });
    await open('/knowledge');
    await rm(folder, { recursive: true });
    await page.getByRole('button', { name: 'Sync vanishing' }).click();
    await source('vanishing').getByRole('alert').waitFor();
    await expect.poll(() => source('vanishing').getByRole('alert').textContent()).toContain(folder);
    await source('vanishing').getByText('1 document', { exact: true }).waitFor();
  });

  it('the sync of a repository that never responds can be cancelled, and so can one that waits behind it', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    try {
      const { port } = silent.address() as AddressInfo;
      await open('/knowledge');
      await page.getByRole('button', { name: 'Add repository' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add repository' });
      await dialog.getByLabel('URL').fill(`http://127.0.0.1:${port}/team/silence.git`);
      await dialog.getByText('Files, tags and network').click();
      await dialog.getByLabel('Private hosts').fill('127.0.0.1');
      expect(await dialog.getByLabel('Name').inputValue()).toBe('silence');
      await dialog.getByRole('button', { name: 'Add and sync' }).click();
      await source('silence').getByRole('progressbar').waitFor();
      // Sources are synced in the order of their names, so its turn comes after that of the first.
      const settings = { url: `http://127.0.0.1:${port}/team/waiting.git`, allow_hosts: ['127.0.0.1'] };
      await demo.hub.knowledge.addSource({ type: 'git', name: 'waiting', settings });
      await page.getByRole('button', { name: 'Sync all' }).click();
      await source('waiting').getByText('Sync queued').waitFor();
      await source('waiting').getByRole('button', { name: 'Cancel sync of waiting' }).click();
      await source('waiting').getByText('Sync queued').waitFor({ state: 'detached' });
      await demo.hub.knowledge.removeSource('git:waiting');
      await source('silence').getByRole('button', { name: 'Cancel sync of silence' }).click();
      await source('silence').getByRole('progressbar').waitFor({ state: 'detached' });
      await source('silence').getByRole('button', { name: 'Sync silence' }).and(page.locator(':enabled')).waitFor();
      await source('silence').getByText('Incomplete').waitFor();
      await demo.hub.knowledge.removeSource('git:silence');
    } finally {
      silent.close();
    }
  });

  it('changes from elsewhere appear without a reload', async () => {
    const folder = await addFolder('growing', { 'a.md': '# A\n\nOne.\n' });
    await open('/knowledge');
    await source('growing').getByText('1 document', { exact: true }).waitFor();
    await page.locator('[data-live="live"]').first().waitFor();
    await writeFile(join(folder, 'b.md'), '# B\n\nTwo.\n');
    await demo.hub.knowledge.sync({ target: 'filesystem:growing' });
    await source('growing').getByText('2 documents').waitFor();
    await source('growing')
      .getByText(/Last sync: 1 added in/)
      .waitFor();
  });
});

describe('documents', () => {
  it('of a large source are paged, filtered and drawn only in view', async () => {
    const files = Array.from({ length: 230 }, (_, index) => [
      `page-${String(index).padStart(3, '0')}.md`,
      `# P${index}`,
    ]);
    await addFolder('large', Object.fromEntries(files));
    await open('/knowledge/documents?source=filesystem%3Alarge');
    await page.getByText('page-000.md').waitFor();
    expect(await page.locator('[data-row]').count()).toBeLessThan(60);
    await page.locator('[data-row="0"]').focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.getByText('page-229.md').count();
      })
      .toBe(1);
    await page.getByLabel('Filter documents by title or path').fill('page-117');
    await expect.poll(() => page.locator('[data-row]').count()).toBe(1);
    await page.locator('[data-row="0"]').click();
    await page.getByRole('heading', { level: 1, name: 'P117' }).waitFor();
  });

  describe('that are long', () => {
    const lineOf = (section: number) => (_: unknown, line: number) => `Words about topic${section}, line ${line}.`;
    const sections = Array.from(
      { length: 900 },
      (_, index) => `## Section ${index}\n\n${Array.from({ length: 12 }, lineOf(index)).join('\n')}\n`,
    );
    const text = `# Long\n\n${sections.join('\n')}`;
    /** A hub with passages of the default size, to keep their number low. */
    let usual: TestHub;
    beforeAll(async () => {
      usual = await serveTestHub();
      await addFolder('long', { 'long.md': text }, usual.hub);
    });
    afterAll(() => usual.end());
    const open = (path: string) => page.goto(usual.server.url + path);

    it('load part by part and keep the focus', async () => {
      const sizes: number[] = [];
      page.on('response', async (response) => {
        if (response.url().includes('/api/knowledge/documents/doc_')) sizes.push((await response.body()).length);
      });
      await open('/knowledge/documents?source=filesystem%3Along');
      await page.getByText('long.md').click();
      await page.getByRole('heading', { level: 1, name: 'Long' }).waitFor();
      const lines = text.split('\n').length;
      const all = lines.toLocaleString('en');
      await page.getByText(new RegExp(`^Lines 1–[\\d,]+ of ${all} shown$`)).waitFor();
      // The page contains the text twice, so the whole document would exceed 700,000 bytes.
      await expect.poll(() => sizes.length).toBe(1);
      expect(sizes[0]).toBeLessThan(5 * 65_536);
      expect(await page.getByText('Words about topic899, line').count()).toBe(0);
      await page.getByRole('button', { name: 'Copy shown text' }).waitFor();

      const more = page.getByRole('button', { name: 'Load more' });
      await more.focus();
      await page.keyboard.press('Enter');
      await page.getByText('Words about topic400, line').first().waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Load more');
      await page.keyboard.press('Enter');
      await page.getByText(`End of document: ${all} lines`).waitFor();
      await page.getByText('Words about topic899, line').first().waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('End of document');
      expect(await more.count()).toBe(0);
      await page.getByRole('button', { name: 'Copy text' }).waitFor();
      const [long] = (await usual.hub.knowledge.documents({ source: 'filesystem:long', limit: 1 })).documents;
      await expect.poll(() => page.locator('section[id^="p"]').count()).toBe(long?.chunks);
    });

    it('open at the matching passage and load in both directions', async () => {
      await open('/knowledge/search?q=topic850');
      await page.locator('[data-result="0"]').click();
      const opened = page.locator('[data-opened]');
      await opened.getByText('Words about topic850, line').first().waitFor();
      await page.getByText(/^Showing from line [\d,]+$/).waitFor();
      expect(await page.getByText('Words about topic100, line').count()).toBe(0);
      const first = await page.locator('section[id^="p"]').first().getAttribute('id');
      await page.getByRole('button', { name: 'Load earlier lines' }).focus();
      await page.keyboard.press('Enter');
      for (const topic of [300, 500, 830]) await page.getByText(`Words about topic${topic}, line`).first().waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.closest('section')?.id)).toBe(first);

      // A passage in the outline that is not loaded yet.
      expect(await page.locator('#p4').count()).toBe(0);
      await page.getByRole('navigation', { name: 'Passages' }).getByRole('link').nth(4).click();
      await page.locator('#p4[data-opened]').waitFor();
      await expect.poll(() => page.getByText('Words about topic850, line').count()).toBe(0);
    });

    it('report a part that cannot be loaded, and retry', async () => {
      const [document] = (await usual.hub.knowledge.documents({ source: 'filesystem:long', limit: 1 })).documents;
      let isBroken = true;
      await page.route('**/api/knowledge/documents/doc_*lines=*', (route) =>
        isBroken
          ? route.fulfill({ status: 400, json: { error: { code: 'bad_request', message: 'No, not now.' } } })
          : route.continue(),
      );
      await open(`/knowledge/documents/${document?.id}`);
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByRole('alert').getByText('These lines could not be loaded: No, not now.').waitFor();
      await page.getByText('Words about topic0, line').first().waitFor();
      isBroken = false;
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText('Words about topic400, line').first().waitFor();
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    });
  });

  it('that are missing are reported', async () => {
    await open('/knowledge/documents/doc_nothing');
    await page.getByRole('heading', { name: 'Document not found' }).waitFor();
  });
});

describe('the editor', () => {
  const primed = () => page.getByTestId('primed-section').textContent();

  it('shows the passages for sample values and reorders the searches', async () => {
    await open('/a/incident-responder?tab=knowledge');
    await page.getByRole('region', { name: 'Sample values' }).getByLabel('service').fill('search');
    await expect.poll(primed).toMatch(/Search runbook.*During an incident/s);
    await page.getByRole('button', { name: 'Move search 2 up' }).click();
    await expect.poll(primed).toMatch(/During an incident.*Search runbook/s);
    await page.getByRole('button', { name: 'Delete search 1' }).click();
    await expect.poll(primed).not.toContain('During an incident');
    await page.getByRole('button', { name: 'Add search' }).click();
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('One field needs attention').waitFor();
  });

  it('previews the prompt and messages of a script', async () => {
    await open('/a/runbook-reader?tab=knowledge');
    await page.getByText('A Lua script builds this prompt').waitFor();
    await page.getByRole('button', { name: 'Build prompt' }).click();
    await page.getByRole('alert').getByText('service').waitFor();
    await page.getByLabel('service (required)').fill('payments');
    await page.getByRole('button', { name: 'Build prompt' }).click();
    const resolved = page.getByTestId('resolved-prompt');
    await resolved.getByText('runbooks/payments.md').waitFor();
    await resolved.getByText('What do I do first?').waitFor();
    expect(await page.getByRole('button', { name: 'Add search' }).count()).toBe(0);
  });
});

describe('the palette', () => {
  it('opens Knowledge and searches it', async () => {
    await open('/');
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await runCommand(page, 'knowledge', 'Knowledge');
    await page.waitForURL(/\/knowledge$/);

    await openPalette(page);
    await page.keyboard.type('pager');
    await page.getByRole('option', { name: 'Search the knowledge base for “pager”' }).click();
    await page.waitForURL(/\/knowledge\/search\?q=pager$/);
    await results().getByText('On call').first().waitFor();
  });

  it('has a shortcut for the screen', async () => {
    await open('/');
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await page.keyboard.press('l');
    await page.waitForURL(/\/knowledge$/);
  });
});
