import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { buildWeb } from '../../scripts/build-web.ts';
import type { AgentDetail } from '../../src/agents/agents.contract.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { TestTab } from '../support/browser/browser.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';
import { type FlightDesk, openFlightDesk, questionOf, toolsOffered } from '../support/tools/book-flight.ts';

/** A user builds, breaks, fixes and tests a tool; then an MCP client calls it. */
const held: string[] = [];
const tools = [
  defineTool({
    name: 'check_seats',
    description: 'Says how many seats are free.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: z.strictObject({}),
    run: () => ({ free: 4 }),
  }),
  defineTool({
    name: 'hold_seat',
    description: 'Holds a seat.',
    annotations: { destructiveHint: true },
    requiresApproval: true,
    input: z.strictObject({ seat: z.string() }),
    run: ({ seat }) => {
      held.push(seat);
      return { held: seat };
    },
  }),
];

let desk: FlightDesk;
let page: Page;
const tab = new TestTab({ viewport: { width: 1440, height: 1000 }, reducedMotion: 'reduce' });
let complaints: string[];

beforeAll(async () => {
  await buildWeb();
  desk = await openFlightDesk(answer, { tools });
});
afterAll(async () => {
  await tab.close();
  await desk?.end();
});

beforeEach(async () => {
  complaints = [];
  held.length = 0;
  page = await tab.open();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of|net::ERR/.test(message.text())) complaints.push(message.text());
  });
});
afterEach(async () => {
  await tab.leave();
  // Includes violations of the content security policy.
  expect(complaints).toEqual([]);
});

/** Looks at the seats, holds one where it may ask for it, and says what it was asked for. */
function answer(request: RecordedModelRequest): ModelStep {
  const offered = toolsOffered(request);
  const done = request.body.messages.flatMap((message) => message.tool_calls?.map((call) => call.function.name) ?? []);
  if (!done.includes('check_seats')) return { toolCalls: [{ id: 'seats', name: 'check_seats', arguments: {} }] };
  if (offered.includes('hold_seat') && !done.includes('hold_seat')) {
    return { text: 'Seat 12A is free.', toolCalls: [{ id: 'hold', name: 'hold_seat', arguments: { seat: '12A' } }] };
  }
  return { text: `Done: ${questionOf(request)}`, usage: { input: 120, output: 20 } };
}

const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const saved = async () => (await desk.call<AgentDetail>('GET', '/api/agents/flights')).body;

async function choose(select: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: select, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** A new parameter: the name is what is typed first. */
async function add(where: string, name: string): Promise<void> {
  await button(where).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Name of /);
  await page.keyboard.type(name);
  await field(`Name of ${name}`).waitFor();
}

it('a tool is built, fixed, tested with an approval, and gives an MCP client the same answer', async () => {
  await desk.store({ mode: 'interactive', exposes: [], tools: ['check_seats', 'hold_seat'] });
  await page.goto(`${desk.server.url}/a/flights`);
  await page.getByRole('tab', { name: 'Offered tools' }).click();

  // Built: nested parameters, limits, required.
  await button('Switch to Tools mode').click();
  await button('Add tool').click();
  await field('Name').last().fill('book_flight');
  await field('Description').last().fill('Books a flight ticket for a user.');
  await add('Add parameter', 'trip');
  await choose('Type of trip', 'Object');
  await page.getByRole('checkbox', { name: 'Require trip' }).check();
  await add('Add property to trip', 'destination');
  await page.getByRole('checkbox', { name: 'Require destination' }).check();
  await field('Description of destination').fill('City and country');
  await add('Add property to trip', 'date');
  await button('Values and limits of date').click();
  await button('Add min. length to date').click();
  await field('Min. length of date').fill('10');
  await add('Add parameter', 'passengers');
  await choose('Type of passengers', 'List');
  await choose('Type of items of passengers', 'Object');
  await add('Add property to items of passengers', 'name');
  await add('Add property to items of passengers', 'age');
  await choose('Type of age', 'Integer');

  // Broken: the editor rejects what the hub would reject.
  await field('Prompt template').click();
  await page.keyboard.insertText('Book {trip.destinatoin} on {trip.date} for {passengers.0.name}: {name}');
  await page
    .getByText('{trip.destinatoin}: "trip" has no property "destinatoin"; did you mean {trip.destination}?')
    .waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Not saved: One field needs attention').waitFor();
  expect((await saved()).exposes).toEqual([]);

  // Fixed through completion.
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Book {dest');
  await page.getByRole('option', { name: /trip\.destination/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type(' on {trip.date} for {passengers.0.name}: {{name}} is {name}');
  await page.getByRole('alert', { name: 'Prompt problems' }).waitFor({ state: 'detached' });

  // Unfinished input is reported in the test sheet.
  await add('Add property to trip', 'dat');
  await page.keyboard.type('e');
  await button('Test book_flight').click();
  const sheet = page.getByRole('dialog', { name: 'Test book_flight' });
  await sheet.getByText('Fix the parameters first: “date” is already used. Choose another name.').waitFor();
  expect(await sheet.getByRole('button', { name: 'Save and test' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await button('Actions for date').last().click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();

  // Tested: missing values stay in braces, wrong ones are reported at their field.
  await button('Test book_flight').click();
  const filled = sheet.getByRole('region', { name: 'Filled prompt' });
  await sheet.getByRole('button', { name: 'Reset' }).click();
  await expect
    .poll(() => filled.innerText())
    .toBe('Book {trip.destination} on {trip.date} for {passengers.0.name}: {name} is book_flight');
  await sheet.getByRole('button', { name: 'Save and test' }).click();
  await sheet.getByText('destination is required.').waitFor();
  await sheet.getByRole('textbox', { name: 'destination' }).fill('Paris, France');
  await sheet.getByRole('textbox', { name: 'date' }).fill('24 Dec');
  await sheet.getByRole('button', { name: 'Save and test' }).click();
  await sheet.getByText('date must have at least 10 characters.').waitFor();
  expect((await saved()).exposes).toEqual([]);
  await sheet.getByRole('textbox', { name: 'date' }).fill('2026-12-24');
  await sheet.getByRole('button', { name: 'Add to passengers' }).click();
  await sheet.getByRole('textbox', { name: 'name' }).fill('Ada');
  const prompt = 'Book Paris, France on 2026-12-24 for Ada: {name} is book_flight';
  await expect.poll(() => filled.innerText()).toBe(prompt);
  await sheet.getByRole('button', { name: 'Save and test' }).click();

  // The chat of the test: sent by itself, a card for each call, one of them asks.
  await page.waitForURL(/\/chat\/.+/);
  const parameters = { trip: { destination: 'Paris, France', date: '2026-12-24' }, passengers: [{ name: 'Ada' }] };
  await page.getByRole('article', { name: 'Your message' }).getByText(prompt).waitFor();
  await page
    .getByText(/^test-book_flight-/)
    .first()
    .waitFor();
  await page
    .getByRole('article', { name: 'Call to check_seats' })
    .and(page.locator('[data-call="finished"]'))
    .waitFor();
  const asking = page.getByRole('article', { name: 'Call to hold_seat' });
  await asking.getByText('needs your approval').waitFor();
  await asking.getByText('"12A"', { exact: true }).waitFor();
  expect(held).toEqual([]);
  await asking.getByRole('button', { name: /^Allow once/ }).click();
  const answered = page.getByRole('article', { name: 'Answer from Flight desk' });
  await answered.getByText(`Done: ${prompt}`).waitFor();
  await asking.and(page.locator('[data-call="finished"]')).waitFor();
  expect(held).toEqual(['12A']);

  // The saved tool is the one that was built.
  const { mode, exposes } = await saved();
  expect({ mode, exposes }).toEqual({
    mode: 'tools',
    exposes: [
      {
        name: 'book_flight',
        description: 'Books a flight ticket for a user.',
        parameters: {
          type: 'object',
          properties: {
            trip: {
              type: 'object',
              properties: {
                destination: { type: 'string', description: 'City and country' },
                date: { type: 'string', minLength: 10 },
              },
              required: ['destination'],
            },
            passengers: {
              type: 'array',
              items: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } },
            },
          },
          required: ['trip'],
        },
        prompt: 'Book {trip.destination} on {trip.date} for {passengers.0.name}: {{name}} is {name}',
      },
    ],
  });

  // An MCP client gets the same schema and answer, without tools that need approval.
  const asked = desk.model.requests.length;
  const client = new Client({ name: 'journey', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(desk.address())));
  try {
    const [listed] = (await client.listTools()).tools;
    expect(listed?.inputSchema).toMatchObject({ properties: exposes[0]?.parameters.properties });
    const result = await client.callTool({ name: 'book_flight', arguments: parameters });
    expect(result.content).toEqual([{ type: 'text', text: `Done: ${prompt}` }]);
    expect(toolsOffered(desk.model.requests[asked] ?? { body: { model: '', messages: [] } })).toEqual(['check_seats']);
    expect(held).toEqual(['12A']);
  } finally {
    await client.close();
  }

  // The test is in the history of the tool, with its values.
  await page.goto(`${desk.server.url}/a/flights?tab=offered-tools`);
  await button('Test book_flight').click();
  const history = page.getByRole('region', { name: 'Earlier tests' });
  await history.getByText('Finished').waitFor();
  await history.getByText(JSON.stringify(parameters)).waitFor();
  await sheet.getByRole('button', { name: 'Reset' }).click();
  await history.getByRole('button', { name: /^Reuse values/ }).click();
  await expect.poll(() => filled.innerText()).toBe(prompt);
  await sheet.getByRole('button', { name: 'Test', exact: true }).click();
  await page.waitForURL(/\/chat\/.+/);
  await page.getByRole('article', { name: 'Call to hold_seat' }).getByRole('button', { name: /^Deny/ }).click();
  await answered.getByText(`Done: ${prompt}`).waitFor();
  expect(held).toEqual(['12A']);
});
