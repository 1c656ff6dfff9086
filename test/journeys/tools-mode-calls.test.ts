import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServerDefinition } from '../../src/servers/server-definition.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { zooScript } from '../support/command/run-zoo.ts';
import { serveTestHub } from '../support/hubs/serve-test-hub.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';
import {
  bookFlight,
  type FlightDesk,
  flightAgent,
  openFlightDesk,
  paris,
  questionOf,
} from '../support/tools/book-flight.ts';

let answer: (request: RecordedModelRequest) => ModelStep | Promise<ModelStep>;
let wait: (signal: AbortSignal) => Promise<object>;
const waiting = defineTool({
  name: 'wait',
  description: 'Waits.',
  // A tool that changes something would not be offered where nobody can be asked.
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: { jsonSchema: { type: 'object' } },
  run: (_input, { signal }) => wait(signal),
});

let desk: FlightDesk;
/** Cancelled calls are cleaned up after the reply to their client. */
const patient = { timeout: 30_000 };
const opened: Client[] = [];
beforeAll(async () => {
  desk = await openFlightDesk((request) => answer(request), { tools: [waiting] });
});
afterAll(() => desk.end());
beforeEach(() => {
  answer = (request) => ({ text: questionOf(request) });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
  expect(await desk.hub.sessions.count()).toBe(0);
});

async function connect(agentId = flightAgent.id): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(desk.address(agentId))));
  opened.push(client);
  return client;
}

interface Result {
  content: { type: string; text: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

async function call(client: Client, args: Record<string, unknown>, name = 'book_flight'): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as unknown as Result;
}

/** Returns the error in a failed result. */
function errorOf({ content, isError }: Result): { code: string; message: string } {
  expect(isError).toBe(true);
  return JSON.parse(content[0]?.text ?? '');
}

/** Stores an agent with this one tool and calls it. The model answers with its question. */
async function ask(tool: object, args: Record<string, unknown>, agent: object = {}): Promise<Result> {
  await desk.store({ ...agent, exposes: [{ ...bookFlight, ...tool }] });
  return call(await connect(), args);
}

const text = (type = 'string') => ({ type });
const withParameters = (properties: object, prompt: string) => ({
  parameters: { type: 'object', properties },
  prompt,
});

describe('known faults of other systems', () => {
  it.each<[fault: string, tool: object, args: Record<string, unknown>, prompt: string]>([
    [
      'a parameter "name" is not shadowed by the tool',
      withParameters({ name: text() }, 'For {name}'),
      { name: 'Ada' },
      'For Ada',
    ],
    ['{name} is the tool where no parameter has the name', withParameters({}, 'By {name}'), {}, 'By book_flight'],
    [
      'a value that looks like a reference is not filled in again',
      withParameters({ a: text(), b: text() }, '{a} and {b}'),
      { a: '{b}', b: '{a}' },
      '{b} and {a}',
    ],
    ['$& and its kin are text', withParameters({ a: text() }, '<{a}>'), { a: "$& $1 $$ $` $'" }, "<$& $1 $$ $` $'>"],
    [
      'an object is JSON, not [object Object]',
      withParameters({ a: text('object'), list: { type: 'array', items: text() } }, '{a} {list}'),
      { a: { deep: [1, { x: null }] }, list: ['p', 'q'] },
      '{"deep":[1,{"x":null}]} ["p","q"]',
    ],
  ])('%s', async (_fault, tool, args, prompt) => {
    const result = await ask(tool, args);
    expect(result.content).toEqual([{ type: 'text', text: prompt }]);
  });

  it.each<[args: Record<string, unknown>, rule: RegExp]>([
    [{ destination: 'Paris' }, /departure_date: is required/],
    [{ ...paris, destination: 7 }, /^destination: must be a string, not a whole number$/],
    [{}, /destination: is required; departure_date: is required/],
  ])('invalid arguments, %j, run nothing', async (args, rule) => {
    const asked = desk.model.requests.length;
    expect(errorOf(await ask({}, args))).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringMatching(rule),
    });
    expect(desk.model.requests).toHaveLength(asked);
  });

  it('a second message continues the conversation, even after a failed one', async () => {
    await desk.store({ shareContext: true, exposes: [bookFlight] });
    const client = await connect();
    answer = () => ({ status: 400, body: { error: { message: 'no such luck' } } });
    expect(errorOf(await call(client, paris)).message).toContain('no such luck');
    answer = ({ body }) => ({ text: `${body.messages.filter(({ role }) => role === 'user').length} questions` });
    expect((await call(client, paris)).content[0]?.text).toBe('2 questions');
    expect((await call(client, paris)).content[0]?.text).toBe('3 questions');
    expect(await desk.hub.sessions.count()).toBe(1);
    // Each client has its own conversation, which ends with the client.
    expect((await call(await connect(), paris)).content[0]?.text).toBe('1 questions');
    await endSessions();
  });
});

/** Ends the MCP sessions of all clients, and waits until their shared conversations are gone. */
async function endSessions(): Promise<void> {
  for (const { transport } of opened) {
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
  }
  await expect.poll(async () => await desk.hub.sessions.count(), patient).toBe(0);
}

describe('calls of one client that share a conversation', () => {
  it('run one after another if they arrive at once', async () => {
    await desk.store({ shareContext: true, exposes: [bookFlight] });
    const client = await connect();
    answer = ({ body }) => ({ text: String(body.messages.filter(({ role }) => role === 'user').length) });
    const results = await Promise.all([1, 2, 3, 4].map(() => call(client, paris)));
    expect(results.map(({ content }) => content[0]?.text)).toEqual(['1', '2', '3', '4']);
    await endSessions();
  });

  it('start a new conversation when the agent is saved', async () => {
    await desk.store({ shareContext: true, exposes: [bookFlight] });
    const client = await connect();
    answer = ({ body }) => ({ text: String(body.messages.filter(({ role }) => role === 'user').length) });
    await call(client, paris);
    expect((await call(client, paris)).content[0]?.text).toBe('2');
    await desk.store({ shareContext: true, systemPrompt: 'Other words.', exposes: [bookFlight] });
    expect((await call(client, paris)).content[0]?.text).toBe('1');
    await endSessions();
  });

  it('are independent by default', async () => {
    await desk.store({ exposes: [bookFlight] });
    const client = await connect();
    answer = ({ body }) => ({ text: String(body.messages.filter(({ role }) => role === 'user').length) });
    await call(client, paris);
    expect((await call(client, paris)).content[0]?.text).toBe('1');
  });
});

describe('a failed call returns a result with the reason', () => {
  it.each<[why: string, agent: object, step: ModelStep, code: string, message: RegExp]>([
    [
      'no provider',
      { model: 'nowhere/x' },
      { text: '' },
      'AGENT_ERROR',
      /cannot answer: There is no provider "nowhere"/,
    ],
    [
      'a model that refuses',
      {},
      { status: 401, body: { error: { message: 'bad key' } } },
      'MODEL_ERROR',
      /rejected the key/,
    ],
    ['an answer without text', {}, { text: '' }, 'AGENT_ERROR', /answer has no text/],
    [
      'a limit of turns',
      { tools: ['agent_zoo_list_agents'] },
      { toolCalls: [{ name: 'agent_zoo_list_agents', arguments: {} }] },
      'AGENT_ERROR',
      /limit of 10 ticks/,
    ],
  ])('%s', async (_why, agent, step, code, message) => {
    answer = () => step;
    expect(errorOf(await ask({}, paris, agent))).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('no model', async () => {
    const bare = await serveTestHub({ anonymous: 'work' });
    await bare.call('POST', '/api/agents', { body: flightAgent });
    const client = new Client({ name: 'journey', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${bare.server.url}/agents/flights/mcp`)));
    const { code, message } = errorOf(await call(client, paris));
    expect([code, message]).toEqual([
      'NOT_CONFIGURED',
      expect.stringMatching(/"flights" names no model\. Set its model/),
    ]);
    await client.close();
    await bare.end();
  });

  it('a budget', async () => {
    const poor = await openFlightDesk(() => ({ toolCalls: [{ name: 'wait', arguments: {} }] }), {
      toml: 'max_tokens = 5\n',
      tools: [waiting],
    });
    await poor.store({ tools: ['wait'] });
    const client = new Client({ name: 'journey', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(poor.address())));
    expect(errorOf(await call(client, paris)).message).toMatch(/used \d+ of 5 tokens/);
    await client.close();
    await poor.end();
  });
});

describe('a result with an output schema', () => {
  const outputSchema = {
    type: 'object',
    properties: { seat: { type: 'string' }, price: { type: 'number' } },
    required: ['seat'],
  };

  it.each([
    ['JSON', '{"seat":"12A","price":99.5}'],
    ['JSON in a fence', '```json\n{"seat":"12A","price":99.5}\n```'],
  ])('is structured when the agent answers with %s', async (_form, said) => {
    answer = () => ({ text: said });
    const result = await ask({ outputSchema }, paris);
    expect(result.structuredContent).toEqual({ seat: '12A', price: 99.5 });
    const asked = desk.model.requests.at(-1)?.body.messages.at(-1)?.content;
    expect(JSON.stringify(asked)).toContain('please book accordingly');
    expect(JSON.stringify(asked)).toContain('JSON Schema');
  });

  it.each([
    ['Seat 12A it is.', /does not match the tool's output schema.*not valid JSON/s],
    ['{"seat":12}', /does not match the tool's output schema.*seat: .*string/s],
    ['[]', /does not match the tool's output schema/],
  ])('is an error when the agent answers %s', async (said, message) => {
    answer = () => ({ text: said });
    expect(errorOf(await ask({ outputSchema }, paris)).message).toMatch(message);
  });
});

describe('a cached result', () => {
  it('is reused for equal arguments until the agent is saved, but an error is not', async () => {
    let asked = 0;
    answer = () => ({ text: `answer ${++asked}` });
    await desk.store({ exposes: [{ ...bookFlight, cache: { seconds: 600 } }] });
    const client = await connect();
    const say = async (args: Record<string, unknown>) => (await call(client, args)).content[0]?.text;
    expect(await say(paris)).toBe('answer 1');
    expect(await say({ departure_date: paris.departure_date, destination: paris.destination })).toBe('answer 1');
    expect(await say({ ...paris, destination: 'Rome' })).toBe('answer 2');
    await desk.store({ description: 'Changed.', exposes: [{ ...bookFlight, cache: { seconds: 600 } }] });
    answer = () => ({ status: 400, body: { error: { message: 'no' } } });
    expect((await call(client, paris)).isError).toBe(true);
    answer = () => ({ text: `answer ${++asked}` });
    expect(await say(paris)).toBe('answer 3');
  });

  it('can depend on some of the parameters only', async () => {
    let asked = 0;
    answer = () => ({ text: `answer ${++asked}` });
    await desk.store({ exposes: [{ ...bookFlight, cache: { seconds: 600, key: ['destination'] } }] });
    const client = await connect();
    await call(client, paris);
    expect((await call(client, { ...paris, departure_date: '2027-01-01' })).content[0]?.text).toBe('answer 1');
    expect((await call(client, { ...paris, destination: 'Rome' })).content[0]?.text).toBe('answer 2');
  });
});

describe('while an agent works', () => {
  it('the client gets progress notifications', async () => {
    await desk.store({ tools: ['agent_zoo_list_agents'], exposes: [bookFlight] });
    answer = ({ body }) =>
      body.messages.at(-1)?.role === 'tool'
        ? { text: 'Done.' }
        : { toolCalls: [{ name: 'agent_zoo_list_agents', arguments: {} }] };
    const heard: [number, string | undefined][] = [];
    const client = await connect();
    await client.callTool({ name: 'book_flight', arguments: paris }, undefined, {
      onprogress: ({ progress, message }) => heard.push([progress, message]),
    });
    expect(heard).toEqual([
      [1, 'Thinking.'],
      [2, 'Calling agent_zoo_list_agents.'],
      [3, 'agent_zoo_list_agents answered.'],
      [4, 'Thinking, turn 2.'],
    ]);
  });

  it('a cancelled call stops the model', async () => {
    await desk.store({ exposes: [bookFlight] });
    const client = await connect();
    answer = () => 'hang';
    const control = new AbortController();
    const asked = desk.model.requests.length;
    const calling = client.callTool({ name: 'book_flight', arguments: paris }, undefined, { signal: control.signal });
    await desk.model.requested(asked + 1);
    control.abort();
    await expect(calling).rejects.toThrow();
    expect(await desk.model.requests.at(-1)?.outcome).toBe('gone');
    await expect.poll(async () => await desk.hub.sessions.count(), patient).toBe(0);
    const last = async () => (await desk.hub.decisions.page({ limit: 1 })).entries[0];
    await expect.poll(last, patient).toMatchObject({ kind: 'error', context: expect.stringContaining('CANCELLED') });
  });

  it('a cancelled call stops the tools of the agent', async () => {
    await desk.store({ tools: ['wait'], exposes: [bookFlight] });
    const client = await connect();
    answer = () => ({ toolCalls: [{ name: 'wait', arguments: {} }] });
    const control = new AbortController();
    const stopped = Promise.withResolvers<void>();
    wait = (signal) => {
      signal.addEventListener('abort', () => stopped.resolve());
      control.abort();
      return new Promise(() => {});
    };
    const calling = client.callTool({ name: 'book_flight', arguments: paris }, undefined, { signal: control.signal });
    await expect(calling).rejects.toThrow();
    await stopped.promise;
    await expect.poll(async () => await desk.hub.sessions.count(), patient).toBe(0);
  });
});

describe('a saved definition', () => {
  const other = { ...bookFlight, name: 'cancel_flight', version: '1.1.0' };

  it.each(['http', 'stdio'])(
    'is announced to a client on %s, even from another process, and applies at once',
    async (how) => {
      await desk.store({ exposes: [bookFlight] });
      const client = how === 'http' ? await connect() : await connectOnStdio();
      const changed = new Promise<void>((resolve) =>
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
      );
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['book_flight']);
      await desk.store({ exposes: [bookFlight, other] });
      await changed;
      const { tools } = await client.listTools();
      expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
        ['book_flight', undefined],
        ['cancel_flight', { 'agent-zoo/version': '1.1.0' }],
      ]);
      expect((await call(client, paris, 'cancel_flight')).isError ?? false).toBe(false);
      await desk.store({ mode: 'interactive', exposes: [] });
      await expect(client.listTools()).rejects.toThrow(/interactive mode/);
      await desk.store({ exposes: [bookFlight] });
    },
  );
});

async function connectOnStdio(): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' });
  const env = { PATH: process.env.PATH ?? '', HOME: desk.folder, ...desk.env };
  const args = [zooScript, 'agent', 'serve', flightAgent.id];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'inherit' }));
  opened.push(client);
  return client;
}

describe('an agent that calls itself through the hub', () => {
  it('is stopped at five levels', async () => {
    await desk.store({ tools: ['mcp__self__book_flight'], toolPermission: 'never', exposes: [bookFlight] });
    const servers = await desk.hub.servers.open();
    await servers.add('self', ServerDefinition.parse({ transport: 'streamable-http', url: desk.address() }));
    await servers.connect('self');
    answer = ({ body }) => {
      const last = body.messages.at(-1);
      if (last?.role === 'tool') return { text: String(last.content) };
      return { toolCalls: [{ name: 'mcp__self__book_flight', arguments: paris }] };
    };
    const asked = desk.model.requests.length;
    const result = await call(await connect(), paris);
    expect(result.content[0]?.text).toContain('called each other 5 levels deep');
    // Five agents, each asked twice: once for the call and once for the answer.
    expect(desk.model.requests.length - asked).toBe(10);
    await servers.remove('self');
  });
});
