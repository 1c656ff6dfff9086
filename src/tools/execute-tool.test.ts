import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LazyAbort } from '../base/abort.ts';
import { Deadlines } from '../base/deadlines.ts';
import { HubError, isRetryable } from '../base/hub-error.ts';
import { silentLogger } from '../base/logger.ts';
import { ownerCaller } from '../callers/callers.ts';
import type { Caller } from './caller.ts';
import { ToolContent } from './content.ts';
import type { DecisionEntry, DecisionLog } from './decision-log.ts';
import { executeTool, type ToolOutcome } from './execute-tool.ts';
import type { AnswerMemory } from './run-tool.ts';
import { defineReadingTool, defineTool, type ToolContext } from './tool.ts';
import { ToolRegistry } from './tool-registry.ts';

const person: Caller = ownerCaller('cli');
let rows: DecisionEntry[];
let slept: number[];
let tools: ToolRegistry;
let events: string[];

const decisions: DecisionLog = {
  async append(entry) {
    await Promise.resolve();
    rows.push(entry);
    events.push(entry.kind);
  },
};

const clock = {
  now: () => 1_000,
  sleep: async (milliseconds: number) => {
    slept.push(milliseconds);
  },
};

function call(
  tool: string,
  input: unknown,
  options: { caller?: Caller; log?: DecisionLog } = {},
): Promise<ToolOutcome> {
  return executeTool(
    { tools, decisions: options.log ?? decisions, clock, logger: silentLogger, redact: (text) => text },
    { caller: options.caller ?? person, tool, input },
  );
}

function register(name: string, run: () => object | Promise<object>): void {
  tools.register(
    defineTool({
      name,
      description: name,
      input: z.strictObject({ word: z.string().optional() }),
      run: () => {
        events.push('run');
        return run();
      },
    }),
  );
}

beforeEach(() => {
  rows = [];
  slept = [];
  events = [];
  tools = new ToolRegistry();
});

describe('a call that succeeds', () => {
  it('is logged before and after the run, in the specified words', async () => {
    register('greet', () => ({ hello: 'world' }));
    const outcome = await call('greet', { word: 'x' });
    expect(outcome).toMatchObject({ ok: true, data: { hello: 'world' } });
    expect(events).toEqual(['invocation', 'run', 'result']);
    expect(rows.map(({ decision, reasoning, context }) => [decision, reasoning, context])).toEqual([
      ['Invoked tool: greet', 'Automatic tool invocation log', '{"word":"x"}'],
      ['Tool result: greet', 'Automatic tool result log', '{"hello":"world"}'],
    ]);
    expect(new Set(rows.map((row) => row.callId)).size).toBe(1);
  });

  it('leaves no secrets or huge texts in the log', async () => {
    register('leak', () => ({ apiKey: 'sk-123', authorization: 'Bearer "x', big: 'y'.repeat(50_000) }));
    await call('leak', {});
    const logged = rows[1]?.context ?? '';
    expect(logged).not.toContain('sk-123');
    expect(logged).not.toContain('Bearer');
    expect(logged.length).toBeLessThan(40_000);
    expect(JSON.parse(logged)).toMatchObject({ truncated: true });
  });
});

describe('a call that fails', () => {
  it.each([
    ['an unknown tool', 'nothing', {}, person, 'UNKNOWN_TOOL', 'Available: greet'],
    ['input that breaks a rule', 'greet', { word: 7 }, person, 'INVALID_ARGUMENTS', 'word'],
    ['a field too many', 'greet', { other: 1 }, person, 'INVALID_ARGUMENTS', 'other'],
    [
      'a tool outside the scope',
      'greet',
      {},
      { ...ownerCaller('mcp'), scope: { agentId: 'a', tools: ['other_*'] } },
      'PERMISSION_DENIED',
      'other_*',
    ],
  ] as const)('answers %s, runs nothing and logs the error', async (_name, tool, input, caller, code, text) => {
    register('greet', () => ({}));
    const outcome = await call(tool, input, { caller });
    expect(outcome).toMatchObject({ ok: false, error: { code } });
    expect(!outcome.ok && outcome.error.message).toContain(text);
    expect(events).toEqual(['error']);
    expect(rows[0]).toMatchObject({
      kind: 'error',
      decision: `Tool error: ${tool}`,
      reasoning: 'Automatic tool error log',
    });
  });

  const worker: Caller = {
    surface: 'http',
    kind: 'member',
    right: 'use',
    member: {
      id: 'worker-1',
      type: 'WORKER',
      rules: { allow: ['mail__*'], deny: ['lead__*'] },
      agent: 'a',
      scope: ['search'],
      taskId: null,
    },
  };
  it.each([
    ['denied by name', 'lead__stop'],
    ['allowed by no rule', 'task__add'],
  ])('a member gets the same error for a tool that is %s, whether or not it exists', async (_name, tool) => {
    const absent = await call(tool, {}, { caller: worker });
    register(tool, () => ({}));
    const present = await call(tool, {}, { caller: worker });
    if (absent.ok || present.ok) throw new Error('a call that must be refused was not');
    expect(absent.error.code).toBe('PERMISSION_DENIED');
    expect([absent.error.code, absent.error.message]).toEqual([present.error.code, present.error.message]);
    expect(events).toEqual(['error', 'error']);
  });

  it.each(['mail__burn', 'search'])('a member that may call %s is told that it does not exist', async (tool) => {
    const outcome = await call(tool, {}, { caller: worker });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });
  });

  it('says why a tool is absent only to members whose rules allow the name', async () => {
    void tools.add({
      snapshot: () => ({ entries: [], problems: [] }),
      whyAbsent: (name) => new HubError('UNAVAILABLE', `The server of ${name} is off.`),
    });
    expect(await call('lead__stop', {}, { caller: worker })).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
    expect(await call('mail__burn', {}, { caller: worker })).toMatchObject({ error: { code: 'UNAVAILABLE' } });
  });

  it('rejects a name of any length and quotes only its beginning', async () => {
    const outcome = await call('x'.repeat(1_000_000), {}, { caller: worker });
    if (outcome.ok) throw new Error('a call that must be refused was not');
    expect(outcome.error.code).toBe('PERMISSION_DENIED');
    expect(outcome.error.message.length).toBeLessThan(300);
  });

  it('writes an unexpected error to the log and hides it from the caller', async () => {
    register('broken', () => {
      throw new TypeError('secret detail at /home/x');
    });
    const outcome = await call('broken', {});
    expect(outcome).toMatchObject({ ok: false, error: { code: 'INTERNAL_ERROR', message: 'Internal error' } });
    expect(JSON.parse(rows.at(-1)?.context ?? '')).toMatchObject({
      message: 'secret detail at /home/x',
      stack: expect.any(String),
    });
  });

  it.each(['Connection lost', 'connect ECONNREFUSED 10.0.0.1:80'])(
    'is retried three times, one second apart, if the failure may be temporary: %s',
    async (message) => {
      let tries = 0;
      register('flaky', () => {
        tries += 1;
        if (tries < 4) throw new Error(message);
        return { tries };
      });
      expect(await call('flaky', {})).toMatchObject({ ok: true, data: { tries: 4 } });
      expect(slept).toEqual([1000, 1000, 1000]);
    },
  );

  it('is not retried if the tool reports what is wrong', async () => {
    let tries = 0;
    register('strict', () => {
      tries += 1;
      throw new HubError('NOT_FOUND', 'no network named x');
    });
    await call('strict', {});
    expect(tries).toBe(1);
  });

  it('is not retried after it has waited for a lock until its deadline', async () => {
    let tries = 0;
    register('locked', () => {
      tries += 1;
      throw new HubError('TRANSIENT_ERROR', 'still locked', { details: { hasWaited: true } });
    });
    expect(await call('locked', {})).toMatchObject({ ok: false, error: { code: 'TRANSIENT_ERROR' } });
    expect(tries).toBe(1);
  });

  it('logs a result that is marked as an error as an error', async () => {
    register('sad', () => new ToolContent([{ type: 'text', text: 'no' }], { isError: true }));
    await call('sad', {});
    expect(rows.map((row) => row.kind)).toEqual(['invocation', 'error']);
  });
});

it("recognizes a secret in a tool's name before the name is shortened", async () => {
  const secret = 'S3cr3t'.repeat(40);
  const redact = (text: string) => text.replaceAll(secret, '[removed]');
  const parts = { tools, decisions, clock, logger: silentLogger, redact };
  const outcome = await executeTool(parts, { caller: person, tool: `x ${secret}`, input: {} });
  expect(JSON.stringify([outcome, rows])).not.toContain('S3cr3t');
  expect(rows).toMatchObject([{ tool: 'x [removed]…' }]);
});

it('does not run a tool if the call cannot be logged', async () => {
  register('greet', () => ({}));
  const broken: DecisionLog = {
    append: () => Promise.reject(new HubError('UNAVAILABLE', 'The decision log cannot be written.')),
  };
  const outcome = await call('greet', {}, { log: broken });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  expect(events).toEqual([]);
});

it('if a result cannot be logged, says that the tool has run, and that a read may be repeated', async () => {
  const brokenAfter: DecisionLog = {
    append: async ({ kind }) => {
      if (kind !== 'invocation') throw new HubError('UNAVAILABLE', 'The decision log cannot be written.');
    },
  };
  register('send', () => ({}));
  const outcome = await call('send', {}, { log: brokenAfter });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE', details: { mayHaveRun: true } } });
  expect(!outcome.ok && [isRetryable(outcome.error), outcome.error.message]).toEqual([
    false,
    'The tool "send" has run, but its result could not be saved. Check its effects before you call it again.',
  ]);
});

it.each([
  ['STORAGE_FULL', 'full', 'the disk is full'],
  ['STORAGE_FAILED', 'io_error', 'the database of the hub cannot be used'],
] as const)('%s after the run keeps its code and says that the tool has run', async (code, fault, reason) => {
  const brokenAfter: DecisionLog = {
    append: async ({ kind }) => {
      if (kind !== 'invocation') throw new HubError(code, 'Nothing was saved.', { details: { fault } });
    },
  };
  register('send', () => ({}));
  const outcome = await call('send', {}, { log: brokenAfter });
  expect(outcome).toMatchObject({ ok: false, error: { code, details: { fault, mayHaveRun: true } } });
  expect(!outcome.ok && outcome.error.message).toBe(
    `The tool "send" has run, but its result could not be saved because ${reason}. Check its effects before you call it again.`,
  );
});

it('says that a tool may have run even if this cannot be logged', async () => {
  register('commit', () => {
    throw new HubError('UNAVAILABLE', 'Lost during the commit.', { details: { mayHaveRun: true } });
  });
  const brokenAfter: DecisionLog = {
    append: async ({ kind }) => {
      if (kind !== 'invocation') throw new HubError('STORAGE_FULL', 'Nothing was saved.');
    },
  };
  const outcome = await call('commit', {}, { log: brokenAfter });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE', details: { mayHaveRun: true } } });
});

describe('a call with an idempotency key', () => {
  const locked = new HubError('TRANSIENT_ERROR', 'The database stayed locked. Try again.');
  const memory: AnswerMemory = { begin: async () => undefined, keep: async () => {}, release: async () => {} };

  it.each([locked, new Error('connection lost')])(
    'must not be repeated if its reply cannot be stored: %s',
    async (failure) => {
      register('send', () => ({}));
      const outcome = await callKeyed('send', { ...memory, keep: () => Promise.reject(failure) });
      expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE', details: { mayHaveRun: true } } });
      expect(!outcome.ok && isRetryable(outcome.error)).toBe(false);
    },
  );

  it('may be repeated if the key could not be claimed', async () => {
    register('send', () => ({}));
    const outcome = await callKeyed('send', { ...memory, begin: () => Promise.reject(locked) });
    expect(!outcome.ok && isRetryable(outcome.error)).toBe(true);
  });

  it("reports the tool's failure even if the key cannot be released", async () => {
    const lost = new HubError('UNAVAILABLE', 'Lost during the commit.', { details: { mayHaveRun: true } });
    register('commit', () => {
      throw lost;
    });
    const outcome = await callKeyed('commit', { ...memory, release: () => Promise.reject(locked) });
    expect(outcome).toMatchObject({ ok: false, error: lost });
  });

  function callKeyed(tool: string, answers: AnswerMemory) {
    const parts = { tools, decisions, clock, logger: silentLogger, redact: (text: string) => text, answers };
    return executeTool(parts, { caller: person, tool, input: {}, idempotencyKey: 'key-1' });
  }
});

it('does not retry a call that may already have had an effect', async () => {
  let runs = 0;
  register('commit', () => {
    runs += 1;
    throw new HubError('TRANSIENT_ERROR', 'Lost during the commit.', { details: { mayHaveRun: true } });
  });
  expect(await call('commit', {})).toMatchObject({ ok: false, error: { code: 'TRANSIENT_ERROR' } });
  expect(runs).toBe(1);
});

it('rejects two tools with the same name and names both origins', () => {
  register('greet', () => ({}));
  expect(() => register('greet', () => ({}))).toThrow(/Two tools are called "greet"/);
});

describe('a call whose client left', () => {
  it.each([
    ['while the tool runs', 'This operation was aborted'],
    ['while the tool waits for a network that is gone', 'network connection timeout'],
  ])('%s was cancelled, which is not an error of the tool', async (_, message) => {
    const leaving = new AbortController();
    register('leave', () => {
      leaving.abort();
      throw new Error(message);
    });
    const outcome = await executeTool(
      { tools, decisions, clock, logger: silentLogger, redact: (text) => text },
      { caller: person, tool: 'leave', input: {}, signal: leaving.signal },
    );
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    expect(rows.at(-1)).toMatchObject({ kind: 'error', context: expect.stringContaining('CANCELLED') });
  });
});

describe('a call whose signal is created on first use', () => {
  const parts = () => ({ tools, decisions, clock, logger: silentLogger, redact: (text: string) => text });

  it('does not run if it was cancelled before', async () => {
    register('late', () => ({}));
    const abort = new LazyAbort();
    abort.abort();
    const outcome = await executeTool(parts(), { caller: person, tool: 'late', input: {}, abort });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    expect(events).toEqual(['invocation', 'error']);
  });

  it.each([
    ['a tool of others', defineTool],
    ['a tool of ours that only reads', defineReadingTool],
  ])('tells %s that it was cancelled while it ran', async (_, define) => {
    const abort = new LazyAbort();
    tools.register(
      define({
        name: 'long',
        description: 'Waits for its signal.',
        input: z.strictObject({}),
        run: async (_input, { signal }) => {
          abort.abort();
          signal.throwIfAborted();
          return {};
        },
      }),
    );
    const outcome = await executeTool(parts(), { caller: person, tool: 'long', input: {}, abort });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
  });
});

it('a result that is nested too deeply to serialize is a clear error, and the tool runs once', async () => {
  let runs = 0;
  tools.register(
    defineTool({
      name: 'deep',
      title: 'Deep',
      description: 'Goes deep.',
      origin: 'test',
      input: z.object({}),
      run: async () => {
        runs += 1;
        return JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
      },
    }),
  );
  const outcome = await call('deep', {});
  expect(outcome).toMatchObject({
    ok: false,
    error: { code: 'TOO_LARGE', message: expect.stringContaining('"deep"') },
  });
  expect([runs, rows.map(({ kind }) => kind)]).toEqual([1, ['invocation', 'error']]);
});

describe('one of our own tools that only reads', () => {
  /** A log whose entries wait for the test. */
  function slowLog() {
    const waiting: { kind: string; written: PromiseWithResolvers<void> }[] = [];
    const log: DecisionLog = {
      append(entry) {
        rows.push(entry);
        const written = Promise.withResolvers<void>();
        waiting.push({ kind: entry.kind, written });
        return written.promise;
      },
    };
    return { log, waiting };
  }

  const unavailable = () => new HubError('UNAVAILABLE', 'The decision log cannot be written.');
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  function registerReading(name: string, run: (whenLogged: () => Promise<void>) => object | Promise<object>): void {
    tools.register(
      defineReadingTool({
        name,
        description: name,
        input: z.strictObject({}),
        run: (_, context) => {
          events.push('run');
          return run(() => context.whenLogged());
        },
      }),
    );
  }

  async function begin(name: string) {
    const { log, waiting } = slowLog();
    let outcome: ToolOutcome | undefined;
    const ended = call(name, {}, { log }).then((value) => {
      outcome = value;
      return value;
    });
    await turn();
    return { waiting, ended, current: () => outcome };
  }

  it('runs while its entry is being written, and replies when both entries are durable', async () => {
    registerReading('look', () => ({ seen: true }));
    const { waiting, ended, current } = await begin('look');
    expect([events, waiting.map(({ kind }) => kind)]).toEqual([['run'], ['invocation', 'result']]);
    waiting[1]?.written.resolve();
    await turn();
    expect(current()).toBeUndefined();
    waiting[0]?.written.resolve();
    expect(await ended).toMatchObject({ ok: true, data: { seen: true } });
  });

  it('also waits for the entry of its result', async () => {
    registerReading('look', () => ({}));
    const { waiting, ended, current } = await begin('look');
    waiting[0]?.written.resolve();
    await turn();
    expect(current()).toBeUndefined();
    waiting[1]?.written.resolve();
    expect(await ended).toMatchObject({ ok: true });
  });

  it('fails if its first entry cannot be written, whatever its result', async () => {
    registerReading('look', () => ({ seen: true }));
    const { waiting, ended } = await begin('look');
    waiting[0]?.written.reject(unavailable());
    waiting[1]?.written.resolve();
    await turn();
    for (const { written } of waiting) written.resolve();
    expect(await ended).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  });

  it('fails because of the log even if the tool failed too', async () => {
    registerReading('look', () => {
      throw new HubError('NOT_FOUND', 'There is none.');
    });
    const { waiting, ended } = await begin('look');
    waiting[0]?.written.reject(unavailable());
    await turn();
    for (const { written } of waiting) written.resolve();
    expect(await ended).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  });

  it('can wait for its entry before it runs foreign code, and fails there', async () => {
    registerReading('look', async (whenLogged) => {
      await whenLogged();
      events.push('code');
      return {};
    });
    const good = await begin('look');
    expect(events).toEqual(['run']);
    good.waiting[0]?.written.resolve();
    await turn();
    expect(events).toEqual(['run', 'code']);
    good.waiting[1]?.written.resolve();
    expect(await good.ended).toMatchObject({ ok: true });
    events = [];
    const bad = await begin('look');
    bad.waiting[0]?.written.reject(unavailable());
    await turn();
    bad.waiting[1]?.written.resolve();
    expect(await bad.ended).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    expect(events).toEqual(['run']);
  });

  it('is the only kind that does so: a foreign tool always waits, even if it claims to only read', async () => {
    tools.register(
      defineTool({
        name: 'claims',
        description: 'Claims to be ours.',
        origin: 'built-in',
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        input: z.strictObject({}),
        run: () => {
          events.push('run');
          return {};
        },
      }),
    );
    const { waiting, ended } = await begin('claims');
    expect(events).toEqual([]);
    waiting[0]?.written.resolve();
    await turn();
    expect(events).toEqual(['run']);
    waiting[1]?.written.resolve();
    expect(await ended).toMatchObject({ ok: true });
  });
});

describe('a call that does not end in time', () => {
  const never = () => new Promise<never>(() => {});
  const shortly = (tool: string, log = decisions) =>
    executeTool(
      { tools, decisions: log, clock, logger: silentLogger, redact: (text) => text, deadlines: new Deadlines(30) },
      { caller: person, tool, input: {}, abort: new LazyAbort() },
    );
  function registerOwn(
    name: string,
    options: { reads: boolean; run(context: ToolContext): Promise<Record<string, unknown>> },
  ): void {
    const shape = { name, description: '', input: z.strictObject({}), output: z.looseObject({}) };
    const run = (_: object, context: ToolContext) => options.run(context);
    tools.register(
      ...[options.reads ? defineReadingTool({ ...shape, run }) : defineTool({ ...shape, hasDeadline: true, run })],
    );
  }

  it.each([
    [true, true, 'Try again later.'],
    [false, false, 'It may still take effect: check before you try again.'],
  ])('says whether it may be repeated (it only reads: %s)', async (reads, retryable, advice) => {
    let signal: AbortSignal | undefined;
    registerOwn('stuck', {
      reads,
      run: (context) => {
        ({ signal } = context);
        return never();
      },
    });
    const outcome = await shortly('stuck');
    if (outcome.ok) throw new Error('It must fail.');
    const message = `The call to "stuck" did not finish within 0.03 s. ${advice}`;
    expect(outcome.error).toMatchObject({ code: 'UNAVAILABLE', message });
    expect([isRetryable(outcome.error), signal?.aborted]).toEqual([retryable, true]);
    expect(rows.map(({ kind, callId }) => [kind, callId])).toEqual([
      ['invocation', outcome.callId],
      ['error', outcome.callId],
    ]);
  });

  it.each(['result', 'failure'])('has one record, even after a late %s', async (late) => {
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    registerOwn('slow', { reads: false, run: () => promise });
    expect(await shortly('slow')).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    if (late === 'result') resolve({});
    else reject(new Error('connection lost'));
    await new Promise(setImmediate);
    expect([rows.map(({ kind }) => kind), slept]).toEqual([['invocation', 'error'], []]);
  });

  it('gets a reply when the log hangs, and its tool does not start later', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    registerOwn('write', {
      reads: false,
      run: async () => {
        runs += 1;
        return {};
      },
    });
    const outcome = await shortly('write', { append: () => promise });
    expect(!outcome.ok && [outcome.error.code, isRetryable(outcome.error)]).toEqual(['UNAVAILABLE', true]);
    resolve();
    await new Promise(setImmediate);
    expect(runs).toBe(0);
  });

  it('is not late while something with its own limits runs', async () => {
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    tools.register(
      ...[defineTool({ name: 'foreign', description: '', input: z.strictObject({}), run: () => promise })],
    );
    registerOwn('lifted', {
      reads: true,
      run: (context) => {
        context.liftDeadline?.();
        return promise;
      },
    });
    registerOwn('stuck', { reads: true, run: never });
    const foreign = shortly('foreign');
    const lifted = shortly('lifted');
    expect((await shortly('stuck')).ok).toBe(false);
    resolve({ done: true });
    expect([(await foreign).ok, (await lifted).ok]).toEqual([true, true]);
  });

  it('reports a denied call whose record hangs', async () => {
    const outcome = await shortly('nothing', { append: never });
    expect(!outcome.ok && outcome.error.code).toBe('UNAVAILABLE');
  });
});
