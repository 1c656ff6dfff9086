import { describe, expect, it } from 'vitest';
import type { Message, MessageBlock } from '../engine/message.ts';
import { toMessageText } from './stored-message.ts';

const asItIs = (text: string) => text;

function storedMessage(content: readonly MessageBlock[]): Message {
  return JSON.parse(toMessageText({ role: 'tool', content }, asItIs));
}

function image(length: number) {
  return { type: 'image' as const, data: 'A'.repeat(length), mimeType: 'image/png' };
}

function result(content: Extract<MessageBlock, { type: 'tool_result' }>['content'], more = {}): MessageBlock {
  return { type: 'tool_result', toolUseId: 'c', name: 'n', content, isError: false, ...more };
}

describe('a stored message', () => {
  it('is complete up to a million characters', () => {
    const text = 'x'.repeat(999_000);
    expect(storedMessage([{ type: 'text', text }])).toEqual({ role: 'tool', content: [{ type: 'text', text }] });
  });

  it('keeps the beginning of long texts with a note of what is missing, and the rest unchanged', () => {
    const short = { type: 'tool_use' as const, id: 'c', name: 'n', input: { path: '/a' } };
    const message = storedMessage([
      short,
      result([{ type: 'text', text: 'ä'.repeat(3_000_000) }], { structuredContent: { n: 1 } }),
    ]);
    expect(message).toEqual({
      role: 'tool',
      content: [
        short,
        result([{ type: 'text', text: `${'ä'.repeat(100_000)}\n[… 2900000 more characters were not kept]` }], {
          structuredContent: { n: 1 },
        }),
      ],
    });
  });

  it('does not cut a character in half', () => {
    const text = storedMessage([{ type: 'text', text: `x${'😀'.repeat(600_000)}` }]).content[0];
    expect(text).toMatchObject({ text: expect.stringMatching(/^x(?:😀)+\ufffd\n\[…/u) });
  });

  it('cuts texts shorter if there are many long ones', () => {
    const blocks = Array.from({ length: 400 }, () => ({ type: 'text' as const, text: 'x'.repeat(5_000) }));
    const message = storedMessage(blocks);
    expect(message.content).toHaveLength(400);
    expect(JSON.stringify(message).length).toBeLessThan(1_000_000);
  });

  it('is cut as JSON if cutting its texts is not enough', () => {
    const input = Array.from({ length: 600_000 }, (_, index) => index);
    const message = storedMessage([{ type: 'tool_use', id: 'c', name: 'n', input }]);
    expect(message.content).toHaveLength(1);
    expect(message.content[0]).toMatchObject({
      type: 'text',
      text: expect.stringMatching(
        /^\{"role":"tool","content":\[\{"type":"tool_use".*\n\[… \d+ more characters were not kept\]$/,
      ),
    });
  });

  it('keeps images up to four million characters, eight million per message, and notes the others', () => {
    const blob = { type: 'resource' as const, resource: { uri: 'file:///a', blob: 'A'.repeat(4_000_001) } };
    const { content } = storedMessage([
      image(3_000_000),
      result([image(4_000_000), blob, image(2_000_000), image(900_000)]),
    ]);
    expect(content).toEqual([
      image(3_000_000),
      result([
        image(4_000_000),
        { type: 'text', text: '[resource with 4000001 characters of base64 was not kept]' },
        { type: 'text', text: '[image with 2000000 characters of base64 was not kept]' },
        image(900_000),
      ]),
    ]);
  });

  it('keeps an image complete beside a text that is cut', () => {
    const { content } = storedMessage([image(2_000_000), { type: 'text', text: 'x'.repeat(2_000_000) }]);
    expect(content[0]).toEqual(image(2_000_000));
    expect(JSON.stringify(content[1]).length).toBeLessThan(101_000);
  });

  it('is replaced by a note if JSON cannot represent it', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    const note = { role: 'tool', content: [{ type: 'text', text: 'This message could not be stored.' }] };
    expect(storedMessage([{ type: 'tool_use', id: 'c', name: 'n', input: deep }])).toEqual(note);
    expect(storedMessage([{ type: 'tool_use', id: 'c', name: 'n', input: 1n }])).toEqual(note);
  });
});
