import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startModelServer } from '../../test/support/models/model-server.ts';
import { call, finish, type ScriptedModel, say, scriptedModel } from '../../test/support/models/scripted-model.ts';
import { npmServer } from '../../test/support/servers/npm-servers.ts';
import { steppedClock } from '../../test/support/time/stepped-clock.ts';
import { Component } from '../engine/component.ts';
import { ContextObjectModel } from '../engine/context-object-model.ts';
import type { ExecutableTool } from '../engine/executable-tool.ts';
import type { RunEvent } from '../engine/run-events.ts';
import { Engine } from './engine.ts';
import type { EngineConfig } from './engine-config.ts';

const changing = resolve(import.meta.dirname, '../../test/support/servers/changing-server.ts');
const command = process.execPath;
let folder: string;
const engines: Engine[] = [];
let warnings: string[];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-zoo-engine-')));
  warnings = [];
});

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await rm(folder, { recursive: true, force: true });
});

function engineWith(config: EngineConfig): Engine {
  const engine = new Engine({ onWarning: (message) => warnings.push(message), ...config });
  engines.push(engine);
  return engine;
}

const done = [say('done'), finish()];
const answers = (count: number) => scriptedModel(Array.from({ length: count }, () => done));
const toolsOf = (model: ScriptedModel, request = 0) => model.requests[request]?.tools.map(({ name }) => name);
const own: ExecutableTool = {
  metadata: { name: 'own', description: 'mine', inputSchema: { type: 'object' } },
  run: () => 'from code',
};

async function starts(): Promise<number[]> {
  const text = await readFile(join(folder, 'starts'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}

describe('an engine', () => {
  it('runs a model with its system text, its tools and the tools of its servers', async () => {
    await writeFile(join(folder, 'a.txt'), 'text of a');
    const model = scriptedModel([
      [
        call('1', 'read_text_file', { path: join(folder, 'a.txt') }),
        call('2', 'read_text_file', { path: '/etc/passwd' }),
        call('3', 'own'),
        finish('tool-calls'),
      ],
      done,
    ]);
    const engine = engineWith({
      model,
      system: 'Be brief.',
      tools: [own],
      mcpServers: { files: { command, args: [npmServer('filesystem'), folder] } },
    });
    const result = await engine.execute('Read it.');
    expect(result).toMatchObject({ status: 'completed', text: 'done', ticks: 2 });
    expect(model.requests[0]?.system).toBe('Be brief.');
    expect(result.messages.at(1)?.content).toMatchObject([
      { toolUseId: '1', isError: false, content: [{ type: 'text', text: 'text of a' }] },
      { toolUseId: '2', isError: true, content: [{ type: 'text', text: expect.stringContaining('Access denied') }] },
      { toolUseId: '3', isError: false, content: [{ type: 'text', text: 'from code' }] },
    ]);
    expect(warnings).toEqual([]);
  });

  it('connects its servers with the first run, lists them once, and shares them', async () => {
    const model = answers(3);
    const engine = engineWith({
      model,
      mcpServers: { one: { command, args: [changing, folder], include: ['count'] } },
    });
    expect(await starts()).toEqual([]);
    await Promise.all([engine.execute('a'), engine.execute('b')]);
    await engine.execute('c');
    expect([0, 1, 2].map((index) => toolsOf(model, index))).toEqual([['count'], ['count'], ['count']]);
    expect(await starts()).toHaveLength(1);
  });

  it('offers the tools in the order of its servers, with their prefixes, filters and transformers', async () => {
    const model = answers(1);
    const engine = engineWith({
      model,
      tools: [own],
      mcp: {
        exclude: ['append*'],
        transformers: [{ transform: (tool) => ({ ...tool, name: tool.name.toUpperCase() }) }],
      },
      mcpServers: {
        slow: { command, args: [npmServer('everything')], prefix: 'e_', include: ['echo'] },
        quick: { transport: 'stdio', connection: { command, args: [changing, folder] }, include: ['append', 'count'] },
        off: { command: 'no-such-program', disabled: true },
      },
    });
    await engine.execute('a');
    expect(toolsOf(model)).toEqual(['own', 'E_ECHO', 'COUNT']);
    expect(warnings).toEqual([]);
  });

  it('continues without a failing server, and warns', async () => {
    const model = answers(3);
    const clock = steppedClock();
    const engine = engineWith({
      model,
      clock,
      mcpServers: {
        broken: { command: join(folder, 'no-such-program') },
        fine: { command, args: [changing, folder], include: ['count'] },
      },
    });
    expect(await engine.execute('a')).toMatchObject({ status: 'completed' });
    expect(toolsOf(model)).toEqual(['count']);
    expect(warnings).toEqual([
      expect.stringMatching(/^The tools of MCP server "broken" are missing: .*no-such-program/),
    ]);
    await writeFile(join(folder, 'no-such-program'), `#!/bin/sh\nexec "${command}" "${changing}" "${folder}"\n`, {
      mode: 0o755,
    });
    await engine.execute('too early to be tried again');
    expect(warnings).toHaveLength(2);
    clock.advance(60_000);
    await engine.execute('c');
    expect(warnings).toHaveLength(3);
    expect(warnings[2]).toContain('Two tools are called "count"');
  });

  it('keeps the first of two tools with the same name', async () => {
    const model = answers(1);
    const server = { command, args: [changing, folder] };
    const engine = engineWith({ model, mcpServers: { one: server, two: server } });
    await engine.execute('a');
    expect(toolsOf(model)).toHaveLength(6);
    expect(warnings).toEqual([expect.stringContaining('"append": one from server one, one from server two')]);
  });

  it('refuses invalid settings when it is created', () => {
    expect(() => new Engine({ model: answers(0), mcpServers: { x: { url: 'ftp://x' } } })).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('MCP server "x": url') }),
    );
  });

  it('emits a process warning if nobody listens', async () => {
    const heard = new Promise<Error>((found) => process.once('warning', found));
    const engine = new Engine({ model: answers(1), mcpServers: { broken: { command: join(folder, 'nothing') } } });
    engines.push(engine);
    await engine.execute('a');
    expect(await heard).toMatchObject({ name: 'AgentZooWarning', message: expect.stringContaining('"broken"') });
  });

  it('adds components to a run: of the engine or the run, as an instance or a class', async () => {
    const seen: string[] = [];
    class Note extends Component {
      readonly #name: string;
      constructor(name = 'class') {
        super();
        this.#name = name;
      }
      override onStart(com: ContextObjectModel) {
        seen.push(this.#name);
        com.addTool({ ...own, metadata: { ...own.metadata, name: this.#name } });
      }
    }
    const model = answers(2);
    const engine = engineWith({ model, components: [new Note('engine')] });
    await engine.execute('a', Note);
    await engine.execute('b', new Note('run'), { components: [new Note('options')] });
    expect(seen).toEqual(['engine', 'class', 'engine', 'options', 'run']);
    expect([toolsOf(model), toolsOf(model, 1)]).toEqual([
      ['engine', 'class'],
      ['engine', 'options', 'run'],
    ]);
  });

  it('continues a conversation', async () => {
    const model = answers(2);
    const engine = engineWith({
      model,
      system: 'Be brief.',
      tools: [own],
      mcpServers: { one: { command, args: [changing, folder] } },
    });
    const com = new ContextObjectModel();
    await engine.execute('first', { com });
    await engine.execute('second', { com });
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(model.requests[1]).toMatchObject({ system: 'Be brief.' });
    expect(toolsOf(model, 1)).toEqual(toolsOf(model, 0));
  });

  it.each([
    ['messages', { messages: [{ role: 'user' as const, content: 'hello' }] }],
    [
      'a timeline',
      {
        timeline: [
          {
            kind: 'message' as const,
            message: { role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] },
          },
        ],
      },
    ],
  ])('accepts %s', async (_what, input) => {
    const model = answers(1);
    await engineWith({ model }).execute(input);
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hello' }] }]);
  });

  it('has settings that a run can override', async () => {
    const loop = () =>
      scriptedModel(Array.from({ length: 5 }, (_, index) => [call(String(index), 'own'), finish('tool-calls')]));
    const engine = engineWith({ model: loop(), tools: [own], maxTicks: 2 });
    expect(await engine.execute('a')).toMatchObject({ status: 'max-ticks', ticks: 2 });
    expect(await engine.execute('a', { maxTicks: 1 })).toMatchObject({ status: 'max-ticks', ticks: 1 });
    expect(await engine.execute('a', { stopWhen: () => true })).toMatchObject({ status: 'completed', ticks: 1 });
  });

  it("asks for approval before a server's tool runs if its config says so", async () => {
    const model = scriptedModel([[call('1', 'append'), call('2', 'count'), finish('tool-calls')], done]);
    const asked: string[] = [];
    const engine = engineWith({
      model,
      mcpServers: { one: { command, args: [changing, folder], requiresConfirmation: ['append*'] } },
      approve: async ({ tool }) => {
        asked.push(tool);
        return 'deny' as const;
      },
    });
    await engine.execute('a');
    expect(asked).toEqual(['append']);
    await expect(readFile(join(folder, 'calls'))).rejects.toThrow('ENOENT');
  });
});

describe('a stream', () => {
  it('emits the events, and ends with the result', async () => {
    const engine = engineWith({ model: scriptedModel([[call('1', 'own'), finish('tool-calls')], done]), tools: [own] });
    const stream = engine.stream('a');
    const types: RunEvent['type'][] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual([
      'run.started',
      'tick.started',
      'tool.called',
      'tool.finished',
      'tick.finished',
      'tick.started',
      'text',
      'tick.finished',
      'run.finished',
    ]);
    expect(await stream.result).toMatchObject({ status: 'completed', text: 'done' });
  });

  it('aborts its run when the reader stops', async () => {
    const engine = engineWith({
      model: scriptedModel([[say('a'), say('b'), { type: 'wait', until: new Promise(() => {}) }]]),
    });
    const stream = engine.stream('a');
    for await (const { type } of stream) if (type === 'text') break;
    expect(await stream.result).toMatchObject({ status: 'aborted', text: expect.stringMatching(/^ab?$/) });
  });

  it('with invalid arguments rejects its events and its result', async () => {
    const stream = engineWith({ model: answers(0) }).stream('');
    await expect(stream.next()).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(stream.result).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});

describe('the model of an engine', () => {
  it('can be an object of the AI SDK', async () => {
    const server = await startModelServer({ script: [{ text: 'from afar' }] });
    const model = createOpenAICompatible({ name: 'house', baseURL: server.url })('scripted');
    expect(await engineWith({ model }).execute('a')).toMatchObject({ status: 'completed', text: 'from afar' });
    await server.close();
  });

  it('can be a name', async () => {
    const server = await startModelServer({ script: [{ text: 'by name' }] });
    const providers = { house: { type: 'openai-compatible' as const, baseUrl: server.url } };
    const engine = engineWith({ model: 'house/scripted', providers });
    expect(await engine.execute('a')).toMatchObject({ status: 'completed', text: 'by name' });
    await server.close();
  });

  it.each([
    ['a name without provider', 'gpt', 'INVALID_ARGUMENTS'],
    ['a provider that nobody knows', 'nobody/x', 'INVALID_ARGUMENTS'],
    ['nothing', undefined, 'INVALID_ARGUMENTS'],
    ['an object that is none', {}, 'INVALID_ARGUMENTS'],
  ])('cannot be %s', async (_what, model, code) => {
    await expect(engineWith({ model: model as never }).execute('a')).rejects.toMatchObject({ code });
  });
});

describe('closing an engine', () => {
  it('ends its servers and runs, and refuses later runs', async () => {
    const model = scriptedModel([[say('a'), { type: 'wait', until: new Promise(() => {}) }]]);
    const engine = engineWith({ model, mcpServers: { one: { command, args: [changing, folder] } } });
    const stream = engine.stream('a');
    for (let event = await stream.next(); !event.done && event.value.type !== 'text'; ) event = await stream.next();
    const [pid = 0] = await starts();
    await engine.close();
    expect(await stream.result).toMatchObject({ status: 'aborted', text: 'a', reason: 'The engine was closed.' });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(engine.execute('b')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('while servers are being connected leaves nothing behind', async () => {
    const engine = engineWith({ model: answers(1), mcpServers: { one: { command, args: [changing, folder] } } });
    const running = engine.execute('a');
    await engine.close();
    expect(await running).toMatchObject({ status: 'aborted' });
    for (const pid of await starts()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
