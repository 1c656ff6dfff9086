import { describe, expect, it } from 'vitest';
import { ChatCompletionReader } from './chat-completion-reader.ts';

interface CallDelta {
  index?: number;
  id?: string | null;
  function?: { name?: string | null; arguments?: unknown };
  extra_content?: object;
}

function callsOf(...deltas: CallDelta[]) {
  const reader = new ChatCompletionReader();
  for (const call of deltas) reader.add({ choices: [{ delta: { tool_calls: [call] } }] });
  reader.add({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
  return reader
    .end()
    .filter((event) => event.type === 'tool-call')
    .map(({ id, name, input, invalidInput }) => ({ id, name, input: input ?? invalidInput }));
}

describe('calls of a stream', () => {
  const first = { id: 'a', name: 'look', input: { at: 1 } };
  const second = { id: 'b', name: 'look', input: { at: 2 } };

  it.each<[string, CallDelta[]]>([
    [
      'in pieces that are told apart by their place',
      [
        { index: 0, id: 'a', function: { name: 'look', arguments: '' } },
        { index: 1, id: 'b', function: { name: 'look', arguments: '{"at"' } },
        { index: 0, function: { arguments: '{"at":1}' } },
        { index: 1, function: { arguments: ':2}' } },
      ],
    ],
    [
      'that repeat id and name with each piece',
      [
        { index: 0, id: 'a', function: { name: 'look', arguments: '{"at"' } },
        { index: 0, id: 'a', function: { name: 'look', arguments: ':1}' } },
        { index: 1, id: 'b', function: { name: 'look', arguments: '{"at":2}' } },
      ],
    ],
    [
      'that all have the first place',
      [
        { index: 0, id: 'a', function: { name: 'look', arguments: '{"at":1}' } },
        { index: 0, id: 'b', function: { name: 'look', arguments: '{"at":2}' } },
      ],
    ],
    [
      'that have no place',
      [
        { id: 'a', function: { name: 'look', arguments: '{"at"' } },
        { function: { arguments: ':1}' } },
        { id: 'b', function: { name: 'look', arguments: '{"at":2}' } },
      ],
    ],
    [
      'whose places come in another order',
      [
        { index: 1, id: 'b', function: { name: 'look', arguments: '{"at":2}' } },
        { index: 0, id: 'a', function: { name: 'look', arguments: '{"at":1}' } },
      ],
    ],
    [
      'whose name comes after the id',
      [
        { index: 0, id: 'a', function: { name: null, arguments: '{"at"' } },
        { index: 0, function: { name: 'look', arguments: ':1}' } },
        { index: 1, id: 'b', function: { name: 'look', arguments: { at: 2 } } },
      ],
    ],
  ])('%s', (_, deltas) => {
    expect(callsOf(...deltas)).toEqual([first, second]);
  });

  it('without ids, and with one id for all, get ids of their own', () => {
    const anonymous = callsOf(
      { index: 0, function: { name: 'look', arguments: '{"at":1}' } },
      { index: 0, function: { name: 'look', arguments: '{"at":2}' } },
      { index: 1, id: '', function: { name: 'look', arguments: '{"at":3}' } },
    );
    expect(anonymous.map(({ input }) => input)).toEqual([{ at: 1 }, { at: 2 }, { at: 3 }]);
    const same = callsOf(
      { index: 0, id: 'x', function: { name: 'look', arguments: '{"at":1}' } },
      { index: 1, id: 'x', function: { name: 'look', arguments: '{"at":2}' } },
    );
    expect(same.map(({ input }) => input)).toEqual([{ at: 1 }, { at: 2 }]);
    for (const calls of [anonymous, same]) {
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
      expect(calls.every(({ id }) => id.length > 0)).toBe(true);
    }
  });

  it('without a name are an error', () => {
    expect(() => callsOf({ index: 0, id: 'a', function: { arguments: '{}' } })).toThrow('without saying which');
  });

  it('keep what Gemini sealed into them', () => {
    const reader = new ChatCompletionReader();
    const sealed = {
      index: 0,
      id: 'a',
      function: { name: 'x' },
      extra_content: { google: { thought_signature: 's' } },
    };
    reader.add({ choices: [{ delta: { tool_calls: [sealed] }, finish_reason: 'stop' }] });
    expect(reader.end()[0]).toMatchObject({
      id: 'a',
      input: {},
      providerOptions: { google: { thoughtSignature: 's' } },
    });
  });
});

describe('an answer', () => {
  it('may come in parts with thoughts, or whole', () => {
    const reader = new ChatCompletionReader();
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }, 5] },
      { type: 'text', text: 'Yes' },
      { type: 'other' },
      null,
    ];
    expect(reader.add({ choices: [{ message: { content }, finish_reason: 'length' }], usage: null })).toEqual([
      { type: 'reasoning', id: 'reasoning-0', delta: 'hm' },
      { type: 'text', delta: 'Yes' },
    ]);
    expect(reader.end()).toMatchObject([{ type: 'finish', reason: 'length' }]);
  });

  it('that is a refusal says so', () => {
    const reader = new ChatCompletionReader();
    const delta = { refusal: 'No.', content: null };
    expect(reader.add({ choices: [{ delta, finish_reason: 'stop' }] })).toEqual([{ type: 'text', delta: 'No.' }]);
    expect(reader.end()).toMatchObject([{ reason: 'content-filter' }]);
  });

  it.each([null, 5, 'x', [], {}, { choices: 5 }, { choices: [null] }, { choices: [{ delta: 7 }] }, { usage: 3 }])(
    'ignores a piece that says nothing (%j)',
    (piece) => {
      const reader = new ChatCompletionReader();
      expect(reader.add(piece)).toEqual([]);
      expect(() => reader.end()).toThrow('ended without a finish');
    },
  );

  it('that turns into an error throws it', () => {
    const error = { message: 'Overloaded', code: 503 };
    expect(() => new ChatCompletionReader().add({ error, choices: [] })).toThrow(expect.objectContaining(error));
  });
});
