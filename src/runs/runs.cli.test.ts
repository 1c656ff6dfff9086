import { describe, expect, test } from 'vitest';
import type { CliContext } from '../cli/terminal/context.ts';
import { textWidth } from '../cli/terminal/text-width.ts';
import type { StoredRunDetail } from '../engine/run-store.ts';
import { printRun } from './runs.cli.ts';

const startedAt = new Date(2026, 0, 31, 8, 15).getTime();

const run: StoredRunDetail = {
  id: 'run_1',
  agentId: 'scout',
  model: 'openai/gpt-5',
  status: 'completed',
  reason: 'The model finished its answer.',
  error: null,
  startedAt,
  heartbeatAt: startedAt + 2_000,
  finishedAt: startedAt + 2_340,
  ticks: 2,
  usage: { inputTokens: 1_000, outputTokens: 234, cachedInputTokens: 0, reasoningTokens: 0 },
  cost: 0.0123,
  title: 'What is there?',
  arguments: {},
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'What is there?\n\nTell me all.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Two looks will do.' },
        { type: 'tool_use', id: 'a', name: 'look', input: { where: 'x'.repeat(300) } },
        { type: 'tool_use', id: 'b', name: 'fail', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool_result',
          toolUseId: 'b',
          name: 'fail',
          content: [{ type: 'text', text: 'No \u001b[31mway.' }],
          isError: true,
        },
        {
          type: 'tool_result',
          toolUseId: 'a',
          name: 'look',
          content: [
            { type: 'text', text: '1\n2\n3\n漢字'.padEnd(200, '字') },
            { type: 'image', data: 'aaaa', mimeType: 'image/png' },
            { type: 'resource_link', uri: 'file:///x', name: 'x' },
          ],
          isError: false,
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'This.' }] },
  ],
  outside: [],
  calls: [],
  steps: [],
  chatId: null,
  calledBy: null,
  calledRuns: 0,
  called: [],
  caller: null,
};

/** Returns the printed text, on a terminal of this width or in a file. */
function shown(detail: StoredRunDetail, columns?: number, env: CliContext['env'] = {}): string {
  let text = '';
  const stdout = { isTTY: columns !== undefined, columns, write: (piece: string) => (text += piece) };
  // Printing needs only this part of the context.
  const context = { env, stdout } as unknown as CliContext;
  printRun(context, detail, startedAt + 61_000);
  return text;
}

describe('a run', () => {
  test('is printed with each call and its result, the other messages in full, and its usage', () => {
    const text = shown(run);
    expect(text.replace(/x{9,}…/, 'xxx…').replace(/字{9,}…/, '字…')).toBe(`run_1  completed
scout, openai/gpt-5, started 2026-01-31 08:15

You
  What is there?

  Tell me all.

Agent
  Two looks will do.
  → look {"where":"xxx…
  ✓ 1
    2
    3
    漢字…
    … 2 more lines
  → fail {}
  ✗ No �[31mway.
  This.

Took 2.3 s, 2 ticks, 1234 tokens (1000 in, 234 out), $0.0123
`);
  });

  test('fits a terminal of 40 columns, in colours unless NO_COLOR is set', () => {
    const plain = shown(run, 40, { NO_COLOR: '1' });
    const calls = plain.split('\n').filter((line) => /^ {2}[→✓✗ ] /.test(line));
    expect(Math.max(...calls.map(textWidth))).toBeLessThan(40);
    expect(plain).not.toContain('\u001b');
    const coloured = shown(run, 40);
    expect(coloured).toContain('\u001b[31m✗');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(plain);
  });

  test('shows which run called it, and the runs that it called', () => {
    const {
      messages: _messages,
      calls: _calls,
      steps: _steps,
      outside: _outside,
      called: _,
      caller: __,
      ...listed
    } = run;
    const child = { ...listed, id: 'run_2', agentId: 'clerk', calledBy: { runId: 'run_1', callId: 'a', tick: 1 } };
    expect(shown({ ...run, calledRuns: 2, called: [child] })).toContain('Called runs (the last 1 of 2)\n');
    expect(shown({ ...run, calledRuns: 1, called: [child] })).toContain(
      '$0.0123\n\nCalled runs\n  run_2  clerk, completed, 1234 tokens, $0.0123\n',
    );
    const caller = { agentId: 'chief', title: 'All', step: 2, arguments: {} };
    const calledBy = { runId: 'run_0', callId: 'x', tick: 1 };
    expect(shown({ ...run, calledBy, caller })).toContain('\ncalled by run_0, chief, step 2\n');
    expect(shown({ ...run, calledBy })).toContain('\ncalled by run_0, which was deleted\n');
  });

  test('that failed ends with its error', () => {
    const error = { code: 'MODEL_ERROR', message: 'The model answered 401.' } as const;
    const text = shown({ ...run, status: 'failed', reason: error.message, error, cost: null });
    expect(text).toMatch(/^run_1 {2}failed\n/);
    expect(text).toMatch(
      /\n\nMODEL_ERROR: The model answered 401\.\nTook 2\.3 s, 2 ticks, 1234 tokens \(1000 in, 234 out\)\n$/,
    );
  });

  test('whose process is gone names the call that may have had an effect', () => {
    const [question, ...others] = run.messages;
    const messages = question && others[0] ? [question, others[0]] : [];
    const calls: StoredRunDetail['calls'] = [{ id: 'a', tool: 'look', state: 'running' }];
    const text = shown({
      ...run,
      status: 'interrupted',
      reason: null,
      finishedAt: null,
      ticks: 1,
      messages,
      calls,
    });
    expect(text).toContain('…\n  … was running; it may have taken effect\n  → fail {}\n  … was not started\n');
    expect(text).toContain('The process ended before the run was complete.\nTook 2.0 s, 1 tick, ');
  });

  test('that is still running shows its time so far', () => {
    const text = shown({ ...run, status: 'running', reason: null, finishedAt: null });
    expect(text).toMatch(/\n\nSo far 1 min 1 s, 2 ticks, /);
  });
});
