import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import type { ExecutableTool } from '../../src/engine/executable-tool.ts';
import type { RunEvent } from '../../src/engine/run-events.ts';
import type { RunOptions } from '../../src/engine/run-options.ts';
import { runTicks } from '../../src/engine/run-ticks.ts';
import { createLanguageModels } from '../../src/models/create-language-models.ts';
import { openStore } from '../../src/store/open-store.ts';
import { contextWith, resultsOf, textOf } from '../support/command/run-with.ts';
import { newTestDatabase, usualDatabaseKinds } from '../support/databases/test-database.ts';
import { countedTools } from '../support/hubs/counted-tools.ts';
import { type ModelStep, startModelServer, type TestModelServer } from '../support/models/model-server.ts';

const servers: TestModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Journey extends RunOptions {
  script: ModelStep[];
  tools?: ExecutableTool[];
  clock?: Clock;
  onEvent?: (event: RunEvent, server: TestModelServer) => void;
}

/** Runs over real HTTP, through the provider's package. */
async function journey({ script, tools = [], clock, onEvent, ...options }: Journey) {
  const server = await startModelServer({ script });
  servers.push(server);
  const prices = { scripted: { input: 1, output: 10 } };
  const providers = { house: { type: 'openai-compatible' as const, baseUrl: server.url, prices } };
  const model = await createLanguageModels({ providers, lookUp: () => undefined, clock }).resolve('house/scripted');
  const com = contextWith(...tools);
  const run = runTicks({ model, com }, { input: 'Go', ...options });
  const events: RunEvent[] = [];
  for await (const event of run.events) {
    events.push(event);
    onEvent?.(event, server);
  }
  return { server, events, result: await run.result };
}

/** A clock whose sleeps end at once and are recorded. */
function instantClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  return { waits, now: () => Date.now(), sleep: async (milliseconds) => void waits.push(milliseconds) };
}

const send = (id: string): ModelStep => ({
  text: 'Sending.',
  toolCalls: [{ id, name: 'send', arguments: { to: 'bob' } }],
  usage: { input: 100, output: 20 },
});
const done: ModelStep = { text: ['Do', 'ne.'], usage: { input: 150, output: 5 } };

describe('an agent and a model over HTTP', () => {
  it('run the tool loop with parallel calls, and errors go back to the model', async () => {
    const { tool, effects } = countedTools();
    const both: ModelStep = {
      toolCalls: [
        { id: 'a', name: 'send', arguments: { to: 'bob' }, pieces: 4 },
        { id: 'b', name: 'fail', arguments: {} },
        { id: 'c', name: 'send', arguments: '{"to":' },
      ],
      usage: { input: 100, output: 20 },
    };
    const broken = tool('fail', () => Promise.reject(new Error('secret')));
    const { result, server } = await journey({ script: [both, done], tools: [tool('send', (input) => input), broken] });
    expect(result).toMatchObject({
      status: 'completed',
      text: 'Done.',
      ticks: 2,
      cost: (250 * 1 + 25 * 10) / 1_000_000,
    });
    expect(effects).toEqual(['a', 'b']);
    const [, , ...toolResults] = server.requests[1]?.body.messages ?? [];
    expect(toolResults.map(({ role, tool_call_id, content }) => [role, tool_call_id, content])).toEqual([
      ['tool', 'a', '{"to":"bob"}'],
      ['tool', 'b', expect.stringContaining('Internal error')],
      ['tool', 'c', expect.stringContaining('not valid JSON')],
    ]);
    expect(server.requests[0]?.body.tools?.map((each) => each.function.name)).toEqual(['send', 'fail']);
  });

  it.each(['approve', 'deny', 'always'] as const)('ask the user, who answers %s', async (answer) => {
    const { tool, effects } = countedTools();
    const asked: string[] = [];
    const { result } = await journey({
      script: [send('a'), send('b'), done],
      tools: [tool('send', undefined, { requiresConfirmation: true })],
      approve: async ({ toolUseId }) => {
        asked.push(toolUseId);
        return answer;
      },
    });
    expect(result.status).toBe('completed');
    expect(asked).toEqual(answer === 'always' ? ['a'] : ['a', 'b']);
    expect(effects).toEqual(answer === 'deny' ? [] : ['a', 'b']);
  });

  it('can be aborted midway through an answer: the text stays, the request ends', async () => {
    const control = new AbortController();
    const { result, server } = await journey({
      script: [{ text: ['Once', ' upon', ' a time'], hangAfter: 3 }],
      signal: control.signal,
      onEvent: (event) => {
        if (event.type === 'text' && event.delta === ' upon') control.abort();
      },
    });
    expect(result).toMatchObject({ status: 'aborted', text: 'Once upon' });
    expect(await server.requests[0]?.outcome).toBe('gone');
  });

  it('can be aborted before the model has answered', async () => {
    const control = new AbortController();
    const { result, server } = await journey({
      script: ['hang'],
      signal: control.signal,
      onEvent: (event, { requested }) => {
        if (event.type === 'tick.started') void requested(1).then(() => control.abort());
      },
    });
    expect(result).toMatchObject({ status: 'aborted', text: '', messages: [] });
    expect(await server.requests[0]?.outcome).toBe('gone');
  });

  it('wait as long as a 429 requires, and repeat no side effect', async () => {
    const { tool, effects } = countedTools();
    const clock = instantClock();
    const busy: ModelStep = { status: 429, headers: { 'retry-after': '7' }, body: { error: { message: 'Slow down' } } };
    const { result, server } = await journey({ script: [send('a'), busy, done], tools: [tool('send')], clock });
    expect(result).toMatchObject({ status: 'completed', text: 'Done.', ticks: 2 });
    expect(clock.waits).toEqual([7000]);
    expect(effects).toEqual(['a']);
    expect(server.requests).toHaveLength(3);
  });

  it('survive a 500 and a dropped connection, and repeat no side effect', async () => {
    const { tool, effects } = countedTools();
    const fault: ModelStep = { status: 500, body: { error: { message: 'Oops' } } };
    const { result } = await journey({
      script: [fault, send('a'), 'drop', fault, done],
      tools: [tool('send')],
      clock: instantClock(),
    });
    expect(result).toMatchObject({ status: 'completed', text: 'Done.', ticks: 2 });
    expect(effects).toEqual(['a']);
  });

  it('give up on a server that stays broken, and keep what happened before', async () => {
    const { tool, effects } = countedTools();
    const fault: ModelStep = { status: 503, body: { error: { message: 'Down for repair' } } };
    const { result } = await journey({
      script: [send('a'), fault, fault, fault, fault],
      tools: [tool('send')],
      clock: instantClock(),
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'MODEL_ERROR' } });
    expect(result.reason).toContain('HTTP 503');
    expect(effects).toEqual(['a']);
    expect(resultsOf(result.messages).map(textOf)).toEqual(['send done']);
  });

  it('request a cut-off answer again, and run its calls once', async () => {
    const { tool, effects } = countedTools();
    // The text has arrived, and the call has started.
    const cut: ModelStep = { ...(send('a') as object), cutAfter: 3 };
    const { result, events } = await journey({
      script: [cut, cut, send('a'), done],
      tools: [tool('send')],
      clock: instantClock(),
    });
    expect(result).toMatchObject({ status: 'completed', text: 'Done.', ticks: 2 });
    expect(events.filter(({ type }) => type === 'tick.retried')).toHaveLength(2);
    expect(effects).toEqual(['a']);
  });

  it('end with the received text when every answer is cut off', async () => {
    const cut: ModelStep = { text: ['It ', 'was'], cutAfter: 3 };
    const { result, server } = await journey({ script: [cut, cut, cut], clock: instantClock() });
    expect(result).toMatchObject({ status: 'failed', text: 'It was', error: { code: 'MODEL_ERROR' } });
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ['tokens', { maxTokens: 120 }, 'The run used 120 of 120 tokens.'],
    ['dollars', { maxCost: 0.0002 }, 'The run cost $0.0003 of $0.0002.'],
  ])('stop when the budget in %s is reached, before another side effect', async (_, budget, reason) => {
    const { tool, effects } = countedTools();
    const { result, server } = await journey({ script: [send('a'), done], tools: [tool('send')], budget });
    expect(result).toMatchObject({ status: 'budget', reason });
    expect(effects).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(usualDatabaseKinds)('a killed run, stored in %s', (kind) => {
  it('shows its progress, and can be continued', async () => {
    const database = await newTestDatabase(kind);
    const script = new URL('../support/hubs/dying-run.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, JSON.stringify(database.db)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const clock: Clock = { ...systemClock, now: () => Date.now() + 120_000 };
    const store = await openStore({ db: database.db, clock, logger: silentLogger });
    try {
      const interrupted = await store.runs.get('run_dying');
      expect(interrupted).toMatchObject({ status: 'interrupted', ticks: 2, title: 'Go', model: 'scripted/model' });
      expect(interrupted.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(interrupted.calls).toEqual([
        { id: 'b', tool: 'hang', state: 'running' },
        { id: 'c', tool: 'quick', state: 'finished' },
        { id: 'd', tool: 'asked', state: 'waiting' },
      ]);
      const { result, server } = await journey({ script: [done], input: { messages: interrupted.messages } });
      expect(result.status).toBe('completed');
      const toolResults = server.requests[0]?.body.messages
        .slice(-3)
        .map(({ tool_call_id, content }) => [tool_call_id, content]);
      expect(toolResults).toEqual(['b', 'c', 'd'].map((id) => [id, expect.stringContaining('The run ended before')]));
    } finally {
      await store.close();
      await database.remove();
    }
  });
});
