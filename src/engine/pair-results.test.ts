import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message, MessageBlock, ToolResultBlock } from './message.ts';
import { pairResults } from './pair-results.ts';

const text = (words: string) => ({ type: 'text' as const, text: words });
const use = (id: string) => ({ type: 'tool_use' as const, id, name: 'look', input: {} });
const result = (id: string, words = `result ${id}`): ToolResultBlock => ({
  type: 'tool_result',
  toolUseId: id,
  name: 'look',
  content: [text(words)],
  isError: false,
});
const user = (...content: MessageBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: MessageBlock[]): Message => ({ role: 'assistant', content });
const tool = (...content: MessageBlock[]): Message => ({ role: 'tool', content });

/** Summarizes each message; results by their text. */
function outline(messages: readonly Message[]): string[] {
  return messages.map(({ role, content }) => {
    const blocks = content.map((block) => {
      if (block.type === 'tool_use') return `call ${block.id}`;
      if (block.type === 'tool_result') return `${block.toolUseId}: ${outlineText(block.content)}`;
      return block.type === 'text' ? block.text : block.type;
    });
    return `${role}: ${blocks.join(', ')}`;
  });
}

function outlineText(content: ToolResultBlock['content']): string {
  return content
    .map((block) => (block.type === 'text' ? block.text.replace(/^The run ended.*/, 'interrupted') : block.type))
    .join(' ');
}

describe('results in a conversation', () => {
  const cases: [name: string, messages: Message[], expected: string[]][] = [
    [
      'inside a user message become one tool message',
      [user(text('Look')), assistant(use('1')), user(result('1'), text('And?'))],
      ['user: Look', 'assistant: call 1', 'tool: 1: result 1', 'user: And?'],
    ],
    [
      'alone in a user message leave no empty message behind',
      [assistant(use('1')), user(result('1')), user(text('And?'))],
      ['assistant: call 1', 'tool: 1: result 1', 'user: And?'],
    ],
    [
      'in several messages are gathered in the order of the calls',
      [assistant(use('1'), use('2'), use('3')), tool(result('3')), user(result('1')), user(text('And?'), result('2'))],
      ['assistant: call 1, call 2, call 3', 'tool: 1: result 1, 2: result 2, 3: result 3', 'user: And?'],
    ],
    [
      'that come late replace what was said in their place',
      [assistant(use('1')), tool(result('1', 'interrupted')), assistant(text('Hm')), user(result('1', 'real'))],
      ['assistant: call 1', 'tool: 1: real', 'assistant: Hm'],
    ],
    [
      'are made up only for calls that have none',
      [assistant(use('1'), use('2')), user(result('2')), user(text('Well?'))],
      ['assistant: call 1, call 2', 'tool: 1: interrupted, 2: result 2', 'user: Well?'],
    ],
    [
      'belong to the newest call when an id is used again',
      [assistant(use('1')), tool(result('1', 'first')), assistant(use('1')), user(result('1', 'second'))],
      ['assistant: call 1', 'tool: 1: first', 'assistant: call 1', 'tool: 1: second'],
    ],
    [
      'of two calls with one id in an answer are both kept',
      [assistant(use('1'), use('1')), user(result('1', 'first'), result('1', 'second'))],
      ['assistant: call 1, call 1', 'tool: 1: first, 1: second'],
    ],
    [
      'inside the answer itself stand behind it',
      [assistant(use('1'), result('1'), text('There it is.'))],
      ['assistant: call 1, There it is.', 'tool: 1: result 1'],
    ],
    [
      'without a call become text',
      [user(text('Hi'), result('9')), tool(result('8'))],
      ['user: Hi, [result of a call to look], result 9', 'user: [result of a call to look], result 8'],
    ],
  ];
  it.each(cases)('%s', (_name, messages, expected) => {
    const before = structuredClone(messages);
    const paired = pairResults(messages);
    expect(outline(paired)).toEqual(expected);
    expect(messages).toEqual(before);
  });

  it('that are in order stay as they are', () => {
    const messages = [
      user(text('Look')),
      assistant(use('1'), use('2')),
      tool(result('1'), result('2')),
      user(text('!')),
    ];
    expect(pairResults(messages)).toBe(messages);
  });

  it('are one per call, right after it, whatever the input', () => {
    const id = fc.constantFrom('1', '2', '3');
    const block = fc.oneof(
      id.map((each): MessageBlock => use(each)),
      id.map((each): MessageBlock => result(each)),
      fc.constantFrom('a', 'b').map((words): MessageBlock => text(words)),
    );
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'tool' as const),
      content: fc.array(block, { maxLength: 4 }),
    }) as fc.Arbitrary<Message>;
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const paired = pairResults(messages);
        paired.forEach(({ role, content }, index) => {
          const calls = role === 'assistant' ? content.filter((each) => each.type === 'tool_use') : [];
          const results = content.filter((each) => each.type === 'tool_result');
          if (role !== 'tool') expect(results).toEqual([]);
          if (calls.length === 0) return;
          const next = paired[index + 1];
          expect(next?.role).toBe('tool');
          expect(next?.content.map((each) => each.type === 'tool_result' && each.toolUseId)).toEqual(
            calls.map((each) => each.id),
          );
        });
        const words = (list: readonly Message[]) =>
          list.flatMap(({ content }) => content.flatMap((each) => (each.type === 'text' ? [each.text] : [])));
        for (const each of words(messages)) expect(words(paired)).toContain(each);
        expect(outline(pairResults(paired))).toEqual(outline(paired));
      }),
      { seed: 20_260, numRuns: 500 },
    );
  });
});
