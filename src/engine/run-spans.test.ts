import { describe, expect, it } from 'vitest';
import { runWith } from '../../test/support/command/run-with.ts';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import { notingTracer } from '../../test/support/models/noting-tracer.ts';
import { call, finish, say, tokens } from '../../test/support/models/scripted-model.ts';

describe('the trace of a run', () => {
  it('has a span for the run, for each question to the model, and for each call', async () => {
    const { tracer, spans } = notingTracer();
    const { tool } = countedTools();
    const traceparents: unknown[] = [];
    const { model } = await runWith({
      answers: [
        [
          say('hi'),
          call('1', 'look', { secret: 'planted' }),
          call('2', 'planted_name'),
          finish('tool-calls', tokens(3, 2)),
        ],
        [say('planted'), finish('stop', tokens(4, 1))],
      ],
      input: 'planted',
      agent: { id: 'scout', name: 'Scout' },
      traceparent: '00-outer-0-01',
      tools: [
        tool('look', (_, context) => {
          traceparents.push(context.traceparent);
          return 'planted';
        }),
      ],
      tracer,
    });
    const models = { 'gen_ai.provider.name': 'scripted', 'gen_ai.request.model': 'model' };
    expect(spans).toMatchObject([
      {
        name: 'invoke_agent Scout',
        parent: '00-outer-0-01',
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.id': 'scout',
          'gen_ai.agent.name': 'Scout',
          ...models,
          'gen_ai.usage.input_tokens': 7,
          'gen_ai.usage.output_tokens': 3,
        },
        failure: undefined,
      },
      {
        name: 'chat model',
        kind: 'client',
        parent: '00-trace-1-01',
        attributes: {
          'gen_ai.operation.name': 'chat',
          ...models,
          'gen_ai.usage.input_tokens': 3,
          'gen_ai.usage.output_tokens': 2,
          'gen_ai.response.finish_reasons': ['tool-calls'],
        },
      },
      {
        name: 'execute_tool look',
        kind: 'internal',
        parent: '00-trace-1-01',
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'look',
          'gen_ai.tool.call.id': '1',
          'gen_ai.tool.type': 'function',
        },
        failure: undefined,
      },
      { name: 'execute_tool', attributes: { 'gen_ai.tool.name': undefined }, failure: 'UNKNOWN_TOOL' },
      { name: 'chat model', attributes: { 'gen_ai.response.finish_reasons': ['stop'] } },
    ]);
    expect(spans.every(({ ends }) => ends === 1)).toBe(true);
    expect(traceparents).toEqual(['00-trace-3-01']);
    expect(model.requests.map(({ headers }) => headers)).toEqual([
      { traceparent: '00-trace-2-01' },
      { traceparent: '00-trace-5-01' },
    ]);
    expect(JSON.stringify(spans)).not.toContain('planted');
  });

  it('shows what failed and ends every span, even if the run is aborted', async () => {
    const { tracer, spans } = notingTracer();
    const control = new AbortController();
    const { tool } = countedTools();
    await runWith({
      answers: [[say('cut')], [call('1', 'hang'), finish('tool-calls')]],
      tools: [
        tool('hang', () => {
          control.abort();
          return new Promise(() => {});
        }),
      ],
      signal: control.signal,
      tracer,
    });
    expect(spans.map(({ name, failure, ends }) => [name, failure, ends])).toEqual([
      ['invoke_agent', 'CANCELLED', 1],
      ['chat model', 'MODEL_ERROR', 1],
      ['chat model', undefined, 1],
      ['execute_tool hang', 'CANCELLED', 1],
    ]);
  });

  it('does not exist without a tracer, and the model gets no header', async () => {
    const { model } = await runWith({ answers: [[finish()]] });
    expect(model.requests[0]).not.toHaveProperty('headers');
  });
});
