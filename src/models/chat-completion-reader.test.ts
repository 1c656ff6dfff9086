import { describe, expect, it } from 'vitest';
import { ChatCompletionReader } from './chat-completion-reader.ts';

interface CallDelta {
  index?: number | string;
  id?: string | null;
  function?: { name?: string | null; arguments?: unknown };
  extra_content?: object;
}

function callsOf(...deltas: CallDelta[]) {
  const reader = new ChatCompletionReader('own');
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
      'in pieces identified by their index',
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
    [
      'whose places are numbers in quotes',
      [
        { index: '0', id: 'a', function: { name: 'look', arguments: '{"at"' } },
        { index: '1', id: 'b', function: { name: 'look', arguments: '{"at"' } },
        { index: '0', function: { arguments: ':1}' } },
        { index: '1', function: { arguments: ':2}' } },
      ],
    ],
    [
      'that have another id with each piece',
      [
        { index: 0, id: 'a', function: { name: 'look', arguments: '{"at"' } },
        { index: 0, id: 'a2', function: { name: 'look', arguments: ':1}' } },
        { index: 1, id: 'b', function: { name: 'look', arguments: '{"at":' } },
        { index: 1, id: 'b2', function: { name: 'look', arguments: '2}' } },
      ],
    ],
    [
      'that are repeated as a whole',
      [
        { index: 0, id: 'a', function: { name: 'look', arguments: '{"at"' } },
        { index: 0, id: 'a', function: { arguments: ':1}' } },
        { index: 1, id: 'b', function: { name: 'look', arguments: '{"at":2}' } },
        { index: 0, id: 'a', function: { name: 'look', arguments: '{"at":1}' } },
        { index: 1, id: 'b', function: { arguments: '{"at":2}' } },
      ],
    ],
    [
      'beside one without anything',
      [
        { index: 0, id: 'a', function: { name: 'look', arguments: '{"at":1}' } },
        { index: 1, id: 'b', function: { name: 'look', arguments: '{"at":2}' } },
        { index: 2, id: '', function: { name: '', arguments: '' } },
      ],
    ],
  ])('%s', (_, deltas) => {
    expect(callsOf(...deltas)).toEqual([first, second]);
  });

  it('without ids, or with the same id, get unique ids', () => {
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

  it('of different tools at the same index are different calls', () => {
    const calls = callsOf(
      { index: 0, function: { name: 'look', arguments: '' } },
      { index: 0, function: { name: 'listen', arguments: '' } },
    );
    expect(calls).toMatchObject([{ name: 'look' }, { name: 'listen' }]);
  });

  it('without a name are an error', () => {
    expect(() => callsOf({ index: 0, id: 'a', function: { arguments: '{}' } })).toThrow('without naming it');
  });

  it('keep their Gemini signature', () => {
    const reader = new ChatCompletionReader('own');
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
      providerOptions: { own: { thoughtSignature: 's' } },
    });
  });
});

describe('an answer', () => {
  it('may come in parts with reasoning, or complete', () => {
    const reader = new ChatCompletionReader('own');
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

  it('that is a refusal is marked as one', () => {
    const reader = new ChatCompletionReader('own');
    const delta = { refusal: 'No.', content: null };
    expect(reader.add({ choices: [{ delta, finish_reason: 'stop' }] })).toEqual([{ type: 'text', delta: 'No.' }]);
    expect(reader.end()).toMatchObject([{ reason: 'content-filter' }]);
  });

  it.each([null, 5, 'x', [], {}, { choices: 5 }, { choices: [null] }, { choices: [{ delta: 7 }] }, { usage: 3 }])(
    'ignores a piece that says nothing (%j)',
    (piece) => {
      const reader = new ChatCompletionReader('own');
      expect(reader.add(piece)).toEqual([]);
      expect(() => reader.end()).toThrow('ended without a finish');
    },
  );

  it.each<[string, object, object]>([
    ['of OpenAI', { error: { message: 'Overloaded', code: 503 }, choices: [] }, { statusCode: 503 }],
    ['of vLLM', { object: 'error', message: 'Overloaded', code: 400 }, { statusCode: 400 }],
    ['of OpenRouter', { choices: [{ error: { message: 'Overloaded', code: 502 } }] }, { statusCode: 502 }],
    ['with a code in words', { error: { message: 'Overloaded', code: 'busy' } }, { code: 'busy' }],
  ])('that turns into an error %s throws it', (_, piece, more) => {
    const expected = expect.objectContaining({ message: 'Overloaded', ...more });
    expect(() => new ChatCompletionReader('own').add(piece)).toThrow(expected);
  });

  it('continues if its error field is empty', () => {
    const reader = new ChatCompletionReader('own');
    for (const error of [null, '', false]) {
      expect(reader.add({ error, choices: [{ delta: { content: 'a' } }] })).toHaveLength(1);
    }
  });

  it('is finished by the last valid reason', () => {
    const reader = new ChatCompletionReader('own');
    for (const finish_reason of ['', null, 'length', '', null]) reader.add({ choices: [{ delta: {}, finish_reason }] });
    expect(reader.end()).toMatchObject([{ reason: 'length' }]);
    const failed = new ChatCompletionReader('own');
    failed.add({ choices: [{ delta: {}, finish_reason: 'error' }] });
    expect(failed.end()).toMatchObject([{ reason: 'error' }]);
    const open = new ChatCompletionReader('own');
    open.add({ choices: [{ delta: {}, finish_reason: '' }] });
    expect(() => open.end()).toThrow('ended without a finish');
  });

  it('has its reasoning in the field that is not empty', () => {
    const reader = new ChatCompletionReader('own');
    const thoughts = [
      { reasoning_content: '', reasoning: 'b' },
      { reasoning_content: 'c', reasoning: 'c' },
      { reasoning: 'd' },
    ];
    const events = thoughts.flatMap((delta) => reader.add({ choices: [{ delta }] }));
    expect(events.map((event) => event.type === 'reasoning' && event.delta)).toEqual(['b', 'c', 'd']);
  });
});
