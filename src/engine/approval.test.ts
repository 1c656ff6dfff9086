import { describe, expect, it } from 'vitest';
import { resultsOf, runWith, textOf } from '../../test/support/command/run-with.ts';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import { call, finish } from '../../test/support/models/scripted-model.ts';
import type { ApprovalAnswer, ApprovalRequest } from './run-events.ts';

const once = [[call('1', 'send', { to: 'bob' }), finish('tool-calls')], [finish()]];

describe('a tool that needs approval', () => {
  it('runs when the user approves, and needs approval each time', async () => {
    const { tool, effects } = countedTools();
    const asked: ApprovalRequest[] = [];
    const { result, events } = await runWith({
      answers: [...once.slice(0, 1), [call('2', 'send'), finish('tool-calls')], [finish()]],
      tools: [tool('send', undefined, { requiresConfirmation: true })],
      approve: (request) => {
        asked.push(request);
        return 'approve';
      },
    });
    expect(asked).toEqual([
      { toolUseId: '1', tool: 'send', input: { to: 'bob' }, message: 'Allow send to execute?' },
      { toolUseId: '2', tool: 'send', input: {}, message: 'Allow send to execute?' },
    ]);
    expect(effects).toEqual(['1', '2']);
    expect(resultsOf(result.messages).map(({ isError }) => isError)).toEqual([false, false]);
    const types = events.map(({ type }) => type).filter((type) => /^(tool|approval)/.test(type));
    const one = ['tool.called', 'approval.needed', 'approval.given', 'tool.finished'];
    expect(types).toEqual([...one, ...one]);
  });

  it('does not run if the user denies it, and the model is told why', async () => {
    const { tool, effects } = countedTools();
    const { result, events, model } = await runWith({
      answers: once,
      tools: [tool('send', undefined, { requiresConfirmation: true })],
      approve: () => 'deny',
    });
    expect(effects).toEqual([]);
    const [block] = resultsOf(model.requests[1]?.messages ?? []);
    expect(block?.isError).toBe(true);
    expect(textOf(block)).toBe('This call to "send" was not approved. It was not run.');
    expect(events).toContainEqual({ type: 'approval.given', id: '1', answer: 'deny' });
    expect(result.status).toBe('completed');
  });

  it('needs no further approval after "always", even within one answer', async () => {
    const { tool, effects } = countedTools();
    const asked: string[] = [];
    await runWith({
      answers: [
        [call('1', 'send'), call('2', 'send'), call('3', 'drop'), finish('tool-calls')],
        [call('4', 'send'), call('5', 'drop'), finish('tool-calls')],
        [finish()],
      ],
      tools: [
        tool('send', undefined, { requiresConfirmation: true }),
        tool('drop', undefined, { requiresConfirmation: true }),
      ],
      approve: async ({ toolUseId, tool: name }) => {
        asked.push(toolUseId);
        return name === 'send' ? 'always' : 'deny';
      },
    });
    expect(asked).toEqual(['1', '3', '5']);
    expect(effects.toSorted()).toEqual(['1', '2', '4']);
  });

  it('is denied if nobody can approve', async () => {
    const { tool, effects } = countedTools();
    const { result } = await runWith({
      answers: once,
      tools: [tool('send', undefined, { requiresConfirmation: true })],
    });
    expect(effects).toEqual([]);
    expect(textOf(resultsOf(result.messages)[0])).toContain('nobody can approve it in this run');
  });

  it('may decide by its input', async () => {
    const { tool, effects } = countedTools();
    const asked: string[] = [];
    const requiresConfirmation = async (input: unknown) => (input as { to?: string }).to === 'bob';
    await runWith({
      answers: [[call('1', 'send', { to: 'bob' }), call('2', 'send', { to: 'eve' }), finish('tool-calls')], [finish()]],
      tools: [tool('send', undefined, { requiresConfirmation })],
      approve: ({ toolUseId }) => {
        asked.push(toolUseId);
        return 'deny';
      },
    });
    expect(asked).toEqual(['1']);
    expect(effects).toEqual(['2']);
  });

  it.each<[string, () => Promise<ApprovalAnswer>]>([
    ['throws', () => Promise.reject(new Error('the terminal is gone'))],
    ['answers with something else', async () => 'yes' as ApprovalAnswer],
  ])('does not run when the question %s', async (_, approve) => {
    const { tool, effects } = countedTools();
    const { result } = await runWith({
      answers: once,
      tools: [tool('send', undefined, { requiresConfirmation: true })],
      approve,
    });
    expect(effects).toEqual([]);
    expect(resultsOf(result.messages)[0]?.isError).toBe(true);
    expect(result.status).toBe('completed');
  });

  it('does not run if checking whether it needs approval fails', async () => {
    const { tool, effects } = countedTools();
    const requiresConfirmation = () => {
      throw new Error('no idea');
    };
    const { result } = await runWith({ answers: once, tools: [tool('send', undefined, { requiresConfirmation })] });
    expect(effects).toEqual([]);
    expect(textOf(resultsOf(result.messages)[0])).toBe('Internal error');
  });

  it('does not delay other tools, and questions come one at a time', async () => {
    const { tool } = countedTools();
    const free = Promise.withResolvers<void>();
    let open = 0;
    let maxOpen = 0;
    const { result } = await runWith({
      answers: [[call('1', 'send'), call('2', 'send'), call('3', 'look'), finish('tool-calls')], [finish()]],
      tools: [
        tool('send', undefined, { requiresConfirmation: true }),
        tool('look', () => {
          free.resolve();
          return 'seen';
        }),
      ],
      approve: async () => {
        open += 1;
        maxOpen = Math.max(maxOpen, open);
        await free.promise;
        open -= 1;
        return 'approve' as const;
      },
    });
    expect(maxOpen).toBe(1);
    expect(resultsOf(result.messages).map(textOf)).toEqual(['send done', 'send done', 'seen']);
  });
});
