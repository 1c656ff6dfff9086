import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { owner, ownerCaller } from '../../src/callers/callers.ts';
import { defineTool } from '../../src/tools/tool.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';
import { type FlightDesk, openFlightDesk, questionOf, toolsOffered } from '../support/tools/book-flight.ts';

/** Model scripts by agent. The system prompt contains the agent's name. */
let answers: Record<string, (request: RecordedModelRequest) => ModelStep | Promise<ModelStep>>;
let desk: FlightDesk;
const search = defineTool({
  name: 'look',
  description: '',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: { jsonSchema: { type: 'object' } },
  run: () => ({ found: 1 }),
});
beforeEach(async () => {
  answers = {};
  const script = (request: RecordedModelRequest): ModelStep | Promise<ModelStep> =>
    answers[whoAsks(request)]?.(request) ?? { text: `${whoAsks(request)}: ${questionOf(request)}` };
  const toml = '[providers.openai-compatible.prices.priced]\ninput = 1\noutput = 1\n';
  desk = await openFlightDesk(script, { tools: [search], toml });
});
afterEach(async () => {
  expect(await desk.hub.sessions.count()).toBe(0);
  expect(desk.logged).toEqual([]);
  await desk.end();
});

function whoAsks({ body }: RecordedModelRequest): string {
  return /I am (\w+)\./.exec(JSON.stringify(body.messages[0]))?.[1] ?? '';
}

async function put(id: string, tools: string[], changes: object = {}): Promise<void> {
  const agent = { id, name: id.toUpperCase(), mode: 'autonomous', systemPrompt: `I am ${id}.`, exposes: [] };
  await desk.store({ ...agent, description: '', tools, toolPermission: 'tool', ...changes });
  await desk.hub.agents.refresh();
}

/** A script that calls this tool and answers with its result. */
function calling(tool: string, input: object, uses = { input: 10, output: 5 }) {
  return ({ body }: RecordedModelRequest): ModelStep => {
    const result = body.messages.findLast(({ role }) => role === 'tool');
    if (result) return { text: `It said: ${String(result.content)}`, usage: uses };
    return { toolCalls: [{ name: tool, arguments: input }], usage: uses };
  };
}

async function run(agentId: string, budget: object = {}) {
  return (await desk.hub.runAgent({ agentId, input: 'Go.', budget })).result;
}

const names = () => desk.hub.tools.list().flatMap(({ name }) => (name.startsWith('agent__') ? [name] : []));

describe('the tools that call agents', () => {
  it('exist only for autonomous agents, and follow their changes', async () => {
    await put('a', []);
    await put('b', [], { mode: 'interactive' });
    await put('c', [], { mode: 'tools' });
    expect(names()).toEqual(['agent__a']);
    await put('b', []);
    await put('a', [], { mode: 'interactive' });
    expect(names()).toEqual(['agent__b']);
    const { headers } = await desk.call('GET', '/api/agents/b');
    await desk.call('DELETE', '/api/agents/b', { headers: { 'if-match': headers.get('etag') ?? '' } });
    await desk.hub.agents.refresh();
    expect(names()).toEqual([]);
  });

  it("have the agent's description and arguments", async () => {
    await put('b', [], {
      name: 'Bookkeeper',
      description: 'Knows every invoice.',
      version: '3.1.0',
      arguments: [
        { name: 'year', description: 'Which year.', required: true },
        { name: 'mood', description: '', required: false },
      ],
    });
    expect(desk.hub.tools.find('agent__b')).toMatchObject({
      title: 'Bookkeeper',
      description:
        'Gives a task to the agent "Bookkeeper", which works on it independently and returns a text. Knows every invoice.',
      version: '3.1.0',
      requiresApproval: false,
      inputSchema: {
        properties: { message: { type: 'string' }, arguments: { required: ['year'] } },
        required: ['message', 'arguments'],
      },
    });
  });

  it('stay the same when only the prompt of an agent changes, so that no list changes', async () => {
    await put('a', []);
    const tool = desk.hub.tools.find('agent__a');
    await put('a', [], { systemPrompt: 'I am another.' });
    expect(desk.hub.tools.find('agent__a')).toBe(tool);
    await put('a', [], { description: 'New.' });
    expect(desk.hub.tools.find('agent__a')).not.toBe(tool);
  });

  it('have unique names that clients accept, even for the longest ids', async () => {
    const long = 'x'.repeat(63);
    await put(`${long}1`, []);
    await put(`${long}2`, []);
    const [one = '', two = ''] = names();
    expect(one).toMatch(/^agent__x{48}_[0-9a-f]{8}$/);
    expect(two).not.toBe(one);
    const outcome = await desk.hub.execute({ caller: ownerCaller('cli'), tool: two, input: { message: 'Hi.' } });
    expect(outcome).toMatchObject({ ok: true, tool: { agentId: `${long}2` } });
  });

  it('do not replace a tool of the same name, and report a problem', async () => {
    const taken = defineTool({ ...search, name: 'agent__a', input: { jsonSchema: { type: 'object' } } });
    const remove = desk.hub.tools.register(taken);
    await put('a', []);
    expect(desk.hub.problems()).toMatchObject([
      { agentId: 'a', message: expect.stringMatching(/code already has a tool named "agent__a"/) },
    ]);
    remove();
    expect(desk.hub.problems()).toEqual([]);
    expect(names()).toEqual(['agent__a']);
  });

  it('are in the list of a client, which is notified of a new one', async () => {
    const client = new Client({ name: 'journey', version: '1' });
    const { promise: told, resolve } = Promise.withResolvers<void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
    await client.connect(new StreamableHTTPClientTransport(new URL(`${desk.server.url}/mcp`)));
    await put('b', []);
    await told;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('agent__b');
    const heard: (string | undefined)[] = [];
    const call = { name: 'agent__b', arguments: { message: 'Hello.' } };
    const result = await client.callTool(call, undefined, { onprogress: ({ message }) => heard.push(message) });
    expect(result.content).toEqual([{ type: 'text', text: 'b: Hello.' }]);
    expect(heard).toEqual(['Thinking.']);
    await client.close();
  });

  it.each([
    [{}, /message: is required/],
    [{ message: '' }, /message/],
    [{ message: 'Hi', to: 1 }, /to/],
  ])('reject %j before anything runs', async (input, rule) => {
    await put('b', []);
    const outcome = await desk.hub.execute({ caller: ownerCaller('cli'), tool: 'agent__b', input });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
    expect(outcome.ok || outcome.error.message).toMatch(rule);
    expect(desk.model.requests).toEqual([]);
  });
});

/** Returns the entries of calls, newest first, without those about saved agents. */
async function loggedCalls() {
  const { entries } = await desk.hub.decisions.page({ limit: 50 });
  return entries.filter(({ kind }) => kind !== 'act');
}

describe('an agent that calls another', () => {
  it('gets its text, and both calls are in the log', async () => {
    await put('b', ['look']);
    await put('a', ['agent__*']);
    answers = { a: calling('agent__b', { message: 'Find it.' }), b: calling('look', {}) };
    expect(await run('a')).toMatchObject({ status: 'completed', text: 'It said: It said: {"found":1}' });
    const calls = await loggedCalls();
    expect(calls.map(({ kind, tool, persona }) => `${kind} ${tool} by ${persona}`).toReversed()).toEqual([
      'invocation agent__b by a',
      'invocation look by b',
      'result look by b',
      'result agent__b by a',
    ]);
    expect((await desk.hub.store.runs.list({ limit: 5 })).runs).toHaveLength(1);
  });

  it('never sees itself, whatever its scope or address', async () => {
    await put('a', ['*']);
    await put('b', []);
    await run('a');
    expect(desk.model.requests.map(toolsOffered)[0]).toContain('agent__b');
    expect(desk.model.requests.map(toolsOffered)[0]).not.toContain('agent__a');
    const caller = await desk.hub.resolveCaller({ surface: 'mcp', from: owner, agent: 'a' });
    const outcome = await desk.hub.execute({ caller, tool: 'agent__a', input: { message: 'Hi.' } });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'PERMISSION_DENIED', message: 'Agent "a" cannot call itself as a tool.' },
    });
  });

  it('is told why the other agent could not answer', async () => {
    await put('b', []);
    await put('a', ['agent__b']);
    answers = {
      a: calling('agent__b', { message: 'Hi.' }),
      b: () => ({ status: 400, body: { error: { message: 'no luck' } } }),
    };
    expect((await run('a')).text).toMatch(/MODEL_ERROR: .*no luck/);
  });

  it('in a cycle is stopped', async () => {
    await put('a', ['agent__b']);
    await put('b', ['agent__a']);
    answers = {
      a: calling('agent__b', { message: 'You.' }),
      b: calling('agent__a', { message: 'No, you.' }),
    };
    const result = await run('a');
    expect(result.status).toBe('completed');
    expect(result.text).toMatch(
      /^(It said: )+Error: AGENT_ERROR: The call to agent "a" was rejected because agents already called each other 5/,
    );
    // Six agents, each asked twice.
    expect(desk.model.requests).toHaveLength(12);
  });

  it('that is cancelled also cancels the innermost model request', async () => {
    await put('a', ['agent__b']);
    await put('b', ['agent__c']);
    await put('c', []);
    const ending = new AbortController();
    answers = {
      a: calling('agent__b', { message: 'Go.' }),
      b: calling('agent__c', { message: 'Go.' }),
      c: () => {
        ending.abort();
        return 'hang';
      },
    };
    const asked = await desk.hub.runAgent({ agentId: 'a', input: 'Go.', signal: ending.signal });
    expect((await asked.result).status).toBe('aborted');
    expect(await desk.model.requests[2]?.outcome).toBe('gone');
    // The calls unwind after the reply to their caller.
    await expect.poll(async () => await desk.hub.sessions.count()).toBe(0);
    await expect.poll(async () => (await loggedCalls()).length).toBe(4);
    const { entries } = await desk.hub.decisions.page({ kind: 'error' });
    expect(entries.map(({ tool }) => tool).toSorted()).toEqual(['agent__b', 'agent__c']);
  });
});

describe('the budget of a calling run', () => {
  it('pays for the agents it calls at every level, and the report shows both', async () => {
    await put('a', ['agent__b']);
    await put('b', ['agent__c']);
    await put('c', []);
    answers = {
      a: calling('agent__b', { message: 'Go.' }),
      b: calling('agent__c', { message: 'Go.' }),
      c: () => ({ text: 'Here.', usage: { input: 40, output: 10 } }),
    };
    expect(await run('a')).toMatchObject({
      status: 'completed',
      usage: { inputTokens: 20, outputTokens: 10 },
      together: { usage: { inputTokens: 80, outputTokens: 30 } },
    });
  });

  it('stops running calls and then the run itself when it is used up', async () => {
    await put('a', ['agent__b']);
    await put('b', ['look']);
    answers = {
      a: calling('agent__b', { message: 'Go.' }),
      b: () => ({ toolCalls: [{ name: 'look', arguments: {} }], usage: { input: 20, output: 5 } }),
    };
    const result = await run('a', { maxTokens: 80 });
    expect(result).toMatchObject({ status: 'budget', reason: 'The run used 90 of 80 tokens.' });
    // One answer by a and three by b, the last one without its call.
    expect(desk.model.requests).toHaveLength(4);
    const { entries } = await desk.hub.decisions.page({ tool: 'look', kind: 'result' });
    expect(entries).toHaveLength(2);
  });

  it('holds for concurrent calls', async () => {
    await put('a', ['agent__b']);
    await put('b', ['look']);
    answers = {
      a: () => ({
        toolCalls: [1, 2, 3].map(() => ({ name: 'agent__b', arguments: { message: 'Go.' } })),
        usage: { input: 5, output: 5 },
      }),
      b: () => ({ toolCalls: [{ name: 'look', arguments: {} }], usage: { input: 20, output: 5 } }),
    };
    const { status, together } = await run('a', { maxTokens: 120 });
    expect(status).toBe('budget');
    const used = together.usage.inputTokens + together.usage.outputTokens;
    expect(used).toBeGreaterThanOrEqual(120);
    expect(used).toBeLessThan(120 + 3 * 25);
  });

  it('in dollars rejects an agent whose model has no price', async () => {
    await put('a', ['agent__b'], { model: 'openai-compatible/priced' });
    await put('b', []);
    answers = { a: calling('agent__b', { message: 'Go.' }) };
    expect((await run('a', { maxCost: 1 })).text).toMatch(/NOT_CONFIGURED: The price of .*scripted is unknown/);
    expect(desk.model.requests).toHaveLength(2);
  });
});
