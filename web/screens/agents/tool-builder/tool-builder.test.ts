import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import { TestTab } from '../../../../test/support/browser/browser.ts';
import { untilTyping } from '../../../../test/support/browser/focus.ts';
import { serveTestHub, type TestHub } from '../../../../test/support/hubs/serve-test-hub.ts';

const desk = {
  id: 'desk',
  name: 'Desk',
  mode: 'tools',
  exposes: [
    {
      name: 'book',
      description: 'Books a trip.',
      parameters: {
        type: 'object',
        properties: {
          trip: { type: 'object', properties: { to: { type: 'string', examples: ['Paris'] } }, required: ['to'] },
          bags: { type: 'integer', minimum: 0, default: 1 },
        },
        required: ['trip'],
      },
      prompt: 'To {trip.to} with {bags} bags.',
      cache: { seconds: 60, key: ['trip'] },
    },
    { name: 'cancel', description: 'Cancels it.', parameters: { type: 'object' }, prompt: 'Cancel all.' },
  ],
};

let test: TestHub;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 1000 }, reducedMotion: 'reduce' });
const complaints: string[] = [];

afterAll(() => tab.close());

beforeEach(async () => {
  test = await serveTestHub({ instead: test });
  await test.call('POST', '/api/agents', { body: desk });
  page = await tab.open();
  complaints.length = 0;
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${test.server.url}/a/desk?tab=offered-tools`);
});
afterEach(async () => {
  await tab.leave();
  await test.end();
  // A violation of the content security policy would be here too.
  expect(complaints).toEqual([]);
});

const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const saved = async (): Promise<AgentDetail> => (await test.call<AgentDetail>('GET', '/api/agents/desk')).body;
/** From its beginning: "Unsaved changes" ends like "Saved" begins. */
const state = (text: 'Saved' | 'Unsaved changes') =>
  page
    .getByTestId('save-state')
    .filter({ hasText: new RegExp(`^${text}`) })
    .waitFor();
const rawText = async () => JSON.parse(await field('Parameters as JSON Schema').innerText());

async function openTool(name = 'book'): Promise<void> {
  await page.getByRole('button', { name: `Move ${name}`, exact: true }).waitFor();
  await page.locator('[data-tool]').filter({ hasText: name }).click();
  await field('Prompt template').waitFor();
}

/** In place of all that is there. */
async function write(label: string, text: string): Promise<void> {
  await field(label).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

/** Moves what was picked up to the first place. The first key may come before the places to drop on are measured. */
async function moveUpTo(first: string): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowUp');
      return page.getByText(first).count();
    })
    .toBe(1);
}

async function save(): Promise<void> {
  await page.keyboard.press('Control+s');
  await state('Saved');
}

describe('the list of tools', () => {
  it('adds, duplicates, reorders by keyboard, and restores a removed tool', async () => {
    await page.getByRole('button', { name: 'Add tool' }).click();
    await field('Name').last().fill('ask');
    await page.getByRole('button', { name: 'Actions for book' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByRole('button', { name: 'Actions for cancel' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Move cancel' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Move cancel' }).waitFor();
    // Closed cards, so that all of them are in view.
    await page.locator('[data-tool][aria-expanded="true"]').click();
    await page.getByRole('button', { name: 'Move ask' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('ask is at position 4.').waitFor({ state: 'attached' });
    await moveUpTo('ask is at position 1.');
    await page.keyboard.press('Space');
    await page.getByText('ask dropped at position 1.').waitFor({ state: 'attached' });
    await save();
    expect((await saved()).exposes.map((each) => each.name)).toEqual(['ask', 'book', 'book_2', 'cancel']);
  });

  it('reports an invalid name at its field and does not save', async () => {
    await openTool('cancel');
    await field('Name').last().fill('book');
    await page.keyboard.press('Tab');
    await page.getByText('"book" is used twice.').waitFor();
    await field('Name').last().fill('no spaces');
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved: One field needs attention').waitFor();
    await page.getByRole('main').getByText('Must be 1–64 characters from A–Z a–z 0–9 _ . -').waitFor();
    expect((await saved()).exposes[1]?.name).toBe('cancel');
  });

  it('shows the addresses of the tools, or that another mode does not serve them', async () => {
    await page.getByText(`${test.server.url}/agents/desk/mcp`).waitFor();
    await page.getByText('zoo agent serve desk').waitFor();
    await page.getByRole('switch', { name: 'Share one conversation across a client’s calls' }).click();
    await save();
    expect((await saved()).shareContext).toBe(true);
    await page.getByRole('combobox', { name: 'Mode', exact: true }).click();
    await page.getByRole('option', { name: 'Interactive' }).click();
    await page.getByText('This agent is in Interactive mode.').waitFor();
    await page.getByRole('button', { name: 'Switch to Tools mode' }).click();
    await page.getByText('zoo agent serve desk').waitFor();
  });
});

describe('parameters', () => {
  it('are built, and the JSON Schema follows', async () => {
    await openTool();
    await page.getByRole('button', { name: 'Add property to trip' }).click();
    await untilTyping(page);
    await page.keyboard.type('stops');
    await page.getByRole('combobox', { name: 'Type of stops' }).click();
    await page.getByRole('option', { name: 'List' }).click();
    await page.getByRole('checkbox', { name: 'Require stops' }).check();
    await page.getByRole('button', { name: 'Values and limits of stops' }).click();
    await page.getByRole('button', { name: 'Add max. items to stops' }).click();
    await field('Max. items of stops').fill('3');
    await page.getByRole('combobox', { name: 'Type of items of stops' }).click();
    await page.getByRole('option', { name: 'Text' }).click();
    await field('Description of stops').fill('Cities on the way');
    await expect
      .poll(async () => (await rawText()).properties.trip)
      .toEqual({
        type: 'object',
        properties: {
          to: { type: 'string', examples: ['Paris'] },
          stops: { type: 'array', items: { type: 'string' }, maxItems: 3, description: 'Cities on the way' },
        },
        required: ['to', 'stops'],
      });
    await save();
    expect((await saved()).exposes[0]?.parameters.properties?.trip).toEqual((await rawText()).properties.trip);
  });

  it('are written as JSON Schema, and the builder follows; invalid text stays, even after switching tabs', async () => {
    await openTool();
    const good = { type: 'object', properties: { city: { type: 'string', minLength: 2 } }, required: ['city'] };
    await write('Parameters as JSON Schema', JSON.stringify(good));
    await page.getByRole('checkbox', { name: 'Require city' }).waitFor();
    await page.getByText('min. length 2').waitFor();

    await write('Parameters as JSON Schema', '{"type": "object",\n"properties": {"city": {"type": "text"}}}');
    await page.getByText('properties.city.type: must be string, number').waitFor();
    await page.getByText('The builder shows the last valid version.').waitFor();
    await expect.poll(() => field('Name of city').isEditable()).toBe(false);
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved: One field needs attention').waitFor();
    expect((await saved()).exposes[0]?.parameters).toEqual(desk.exposes[0]?.parameters);

    await page.getByRole('tab', { name: 'Prompt' }).click();
    await page.getByRole('tab', { name: /Offered tools/ }).click();
    await openTool();
    await expect.poll(() => field('Parameters as JSON Schema').innerText()).toContain('"text"');
    await write('Parameters as JSON Schema', '{"type": "object",\n"properties": {');
    await page.getByText(/Not valid JSON: .*line 2, column 16\./).waitFor();
    await page.getByRole('button', { name: 'Discard JSON' }).click();
    await expect.poll(rawText).toEqual(good);
  });

  it('keep unfinished JSON when the agent is saved elsewhere, until it is discarded', async () => {
    await openTool();
    await write('Parameters as JSON Schema', '{"type": "obj');
    await state('Unsaved changes');
    const { status } = await test.call('PUT', '/api/agents/desk', {
      body: { ...desk, description: 'Saved elsewhere.' },
      headers: { 'if-match': '*' },
    });
    expect(status).toBe(200);
    await page.getByText('Saved elsewhere.').waitFor();
    expect(await field('Parameters as JSON Schema').innerText()).toBe('{"type": "obj');
    await page.getByRole('link', { name: 'Decisions' }).click();
    await page.getByRole('dialog', { name: 'Save your changes?' }).getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /Discard/ }).click();
    await page.getByRole('button', { name: 'Discard changes', exact: true }).click();
    await state('Saved');
    await expect.poll(async () => (await rawText()).type).toBe('object');
  });

  it('report problems at their fields and keep the typed text', async () => {
    await openTool();
    await field('Name of bags').fill('trip');
    await page.keyboard.press('Tab');
    await page.getByText('“trip” is already used. Choose another name.').waitFor();
    await field('Name of trip').last().fill('bags');
    await page.getByRole('button', { name: 'Values and limits of bags' }).click();
    await field('Minimum of bags').fill('1x');
    await page.keyboard.press('Tab');
    await page.getByText('This is not a number.').waitFor();
    expect((await rawText()).properties.bags.minimum).toBe(0);
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved: One field needs attention').waitFor();
    await page.getByRole('tab', { name: 'Brain' }).click();
    await page.getByRole('tab', { name: /Offered tools/ }).click();
    await openTool();
    await page.getByRole('button', { name: 'Values and limits of bags' }).click();
    expect(await field('Minimum of bags').inputValue()).toBe('1x');
    await field('Minimum of bags').fill('-1.50');
    await expect.poll(async () => (await rawText()).properties.bags.minimum).toBe(-1.5);
    expect(await field('Minimum of bags').inputValue()).toBe('-1.50');
  });

  it('keep their position when renamed, and the prompt and cache follow', async () => {
    await openTool();
    await field('Name of trip').fill('journey');
    await page.keyboard.press('Tab');
    await page.getByText('The prompt still uses').waitFor();
    await page.getByText('{trip.to} is not a parameter of the tool').waitFor();
    await page.getByRole('button', { name: 'Rename in prompt' }).click();
    await expect.poll(() => field('Prompt template').innerText()).toBe('To {journey.to} with {bags} bags.');
    await save();
    const [book] = (await saved()).exposes;
    expect(Object.keys(book?.parameters.properties ?? {})).toEqual(['journey', 'bags']);
    expect(book).toMatchObject({ cache: { key: ['journey'] }, parameters: { required: ['journey'] } });
  });

  it('are reordered by keyboard, and the new order is saved', async () => {
    await openTool();
    await page.getByRole('button', { name: 'Move bags' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('bags is at position 2.').waitFor({ state: 'attached' });
    await moveUpTo('bags is at position 1.');
    await page.keyboard.press('Space');
    await state('Unsaved changes');
    await save();
    expect(Object.keys((await saved()).exposes[0]?.parameters.properties ?? {})).toEqual(['bags', 'trip']);
  });

  it('of a list may have a schema for each position', async () => {
    await openTool();
    await page.getByRole('combobox', { name: 'Type of bags' }).click();
    await page.getByRole('option', { name: 'List' }).click();
    await page.getByRole('button', { name: 'By position' }).click();
    await page.getByRole('button', { name: 'Add item', exact: true }).click();
    await page.getByRole('combobox', { name: 'Type of item 2 of bags' }).click();
    await page.getByRole('option', { name: 'Number', exact: true }).click();
    await expect
      .poll(async () => (await rawText()).properties.bags)
      .toEqual({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] });
  });

  it('keep rules without a field unchanged and offer them as JSON', async () => {
    const wide = JSON.stringify({
      $comment: 'kept',
      type: 'object',
      properties: {
        to: { oneOf: [{ $ref: '#/$defs/city' }, { type: 'null' }], default: null, 'ui:order': 1 },
        code: { 'x-note': { a: [1, { b: null }] }, type: 'string', pattern: '^[A-Z]{3}$', not: { const: 'XXX' } },
        legs: {
          type: 'array',
          prefixItems: [{ type: 'string' }],
          items: { type: 'integer', multipleOf: 5 },
          contains: {},
        },
        any: true,
      },
      $defs: { city: { type: 'string', minLength: 2 } },
      dependentRequired: { code: ['to'] },
      required: ['to', 'elsewhere'],
      additionalProperties: true,
    });
    await openTool();
    await write('Parameters as JSON Schema', wide);
    await field('Prompt template').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{to} {code} {legs.1} {any.part}');
    await page.getByText('oneOf, default, ui:order', { exact: true }).waitFor();
    await page.getByText('pattern ^[A-Z]{3}$ · other rules: x-note, not').waitFor();
    await field('Description of code').fill('IATA');
    await save();
    const edited = wide.replace('"not":{"const":"XXX"}}', '"not":{"const":"XXX"},"description":"IATA"}');
    expect(JSON.stringify((await saved()).exposes[0]?.parameters)).toBe(edited);

    await page.getByRole('button', { name: 'Values and limits of code', exact: true }).click();
    const details = page.locator('[data-node]').filter({ has: page.getByLabel('Name of code') });
    await details.getByRole('button', { name: /^Other rules \(JSON\)/ }).click();
    await write('Other rules of code', '{"not": {"const": ');
    await page.getByText('This is not valid JSON. Write an object such as').first().waitFor();
    await write('Other rules of code', '{"minLength": 3}');
    await page.getByText('“minLength” has its own field. Change it there.').first().waitFor();
    await write('Other rules of code', '{"anyOf": [{"pattern": "(?=A)"}]}');
    await page.getByText('anyOf.0.pattern: uses lookahead, which is not supported').first().waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved: One field needs attention').waitFor();
    await write('Other rules of code', '{"not": {"const": "YYY"},\n  "x-note": 1}');
    await save();
    expect((await saved()).exposes[0]?.parameters.properties?.code).toEqual({
      type: 'string',
      pattern: '^[A-Z]{3}$',
      description: 'IATA',
      not: { const: 'YYY' },
      'x-note': 1,
    });
    // What was typed is not rewritten under the cursor.
    expect(await field('Other rules of code').innerText()).toBe('{"not": {"const": "YYY"},\n  "x-note": 1}');
  });
});

describe('the prompt', () => {
  it('is completed by keyboard, checked while typing, and previewed with sample values', async () => {
    await openTool();
    const filled = page.getByRole('region', { name: 'Filled prompt' });
    await expect.poll(() => filled.innerText()).toBe('To Paris with 1 bags.');
    await field('Prompt template').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Go to {tri');
    await page.getByRole('option', { name: /trip\.to/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type(' for {nme} {{x}}');
    await page.getByText('{nme} is not a parameter of the tool; did you mean {name}?').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved: One field needs attention').waitFor();
    await expect.poll(() => filled.innerText()).toBe('Go to Paris for {nme} {x}');
    await page.getByRole('button', { name: 'Sample values' }).click();
    await field('to').fill('Rome');
    await expect.poll(() => filled.innerText()).toContain('Go to Rome');
    await write('Prompt template', 'Go to {trip.to}.');
    await save();
    expect((await saved()).exposes[0]?.prompt).toBe('Go to {trip.to}.');
  });

  it('shows the issues reported by the hub', async () => {
    await openTool();
    await page.route('**/api/agents/desk', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({
            status: 400,
            json: {
              error: {
                code: 'invalid',
                message: 'No.',
                details: { issues: [{ path: 'exposes[0].prompt', message: 'is not liked by the hub' }] },
              },
            },
          })
        : route.continue(),
    );
    await write('Prompt template', 'Now.');
    await page.keyboard.press('Control+s');
    await page.getByRole('alert').getByText('is not liked by the hub').waitFor();
  });

  it('comes with an output schema, a cache and a version', async () => {
    await openTool('cancel');
    await page.getByRole('button', { name: 'Output, cache and version' }).click();
    await field('Tool version').fill('2.0');
    await page.getByRole('switch', { name: 'Cache answers' }).click();
    await field('Seconds').fill('90');
    await write('Output schema', '{"type": "object", "properties": {"total": {"type": "number"}}');
    await page.getByText(/Not valid JSON/).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.insertText('}');
    await save();
    expect((await saved()).exposes[1]).toMatchObject({
      version: '2.0',
      cache: { seconds: 90 },
      outputSchema: { type: 'object', properties: { total: { type: 'number' } } },
    });
  });
});
