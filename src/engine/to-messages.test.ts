import { describe, expect, it } from 'vitest';
import { type RunInput, toMessages } from './to-messages.ts';

const hello = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };

describe('the input of a run', () => {
  it.each<[string, RunInput]>([
    ['a text', 'Hello'],
    ['messages with text', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['messages with a list of texts', { messages: [{ role: 'user', content: ['Hello'] }] }],
    ['messages with blocks', { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] }],
    ['a timeline', { timeline: [{ kind: 'message', message: { role: 'user', content: 'Hello' } }] }],
  ])('may be %s', (_, input) => {
    expect(toMessages(input)).toEqual([hello]);
  });

  it('accepts every kind of block', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image', data: 'aQ==', mimeType: 'image/png' },
      { type: 'audio', data: 'aQ==', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'a:b', text: 'c' } },
      { type: 'resource_link', uri: 'a:b', name: 'b' },
      { type: 'reasoning', text: 'hm' },
      { type: 'tool_use', id: '1', name: 'a', input: {} },
      { type: 'tool_result', toolUseId: '1', name: 'a', content: [], isError: true },
    ] as const;
    expect(toMessages({ messages: [{ role: 'assistant', content }] })).toEqual([{ role: 'assistant', content }]);
  });

  it('treats a result without isError as successful', () => {
    const block = { type: 'tool_result', toolUseId: '1', name: 'a', content: [] } as never;
    const [message] = toMessages({ messages: [{ role: 'tool', content: [block] }] });
    expect(message?.content[0]).toMatchObject({ isError: false });
  });

  it.each<[unknown, string]>([
    ['  ', 'The input is empty.'],
    [undefined, 'The input has an unknown form. Pass a text, {messages:'],
    [[], 'The input has an unknown form.'],
    [{ messages: 'x' }, 'The input has an unknown form.'],
    [{ messages: ['x'] }, 'messages[0]: must be an object with role and content.'],
    [
      { messages: [{ role: 'bot', content: 'x' }] },
      'messages[0].role: must be one of system, user, assistant, tool, event.',
    ],
    [{ messages: [hello, { role: 'user' }] }, 'messages[1].content: must be text or a list of blocks.'],
    [
      { messages: [{ role: 'user', content: [{ type: 'hologram' }] }] },
      'messages[0].content[0].type: must be one of text,',
    ],
    [{ messages: [{ role: 'user', content: [{ type: 'constructor' }] }] }, 'messages[0].content[0].type: must be'],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0]: text must be text.'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image', data: 'x' }] }] },
      'messages[0].content[0]: mimeType must be text.',
    ],
    [
      { messages: [{ role: 'tool', content: [{ type: 'tool_result', toolUseId: '1', name: 'a' }] }] },
      'messages[0].content[0]: content must be a list.',
    ],
    [{ timeline: [{ kind: 'note' }] }, 'timeline[0]: kind must be "message" or "event".'],
    [{ messages: [{ role: 'user', content: [{ type: 'video' }] }] }, 'source must have a url or data.'],
    [{ timeline: [{ kind: 'message' }] }, 'timeline[0].message: must be an object with role and content.'],
  ])('is refused with the path and the rule: %j', (input, message) => {
    expect(() => toMessages(input as RunInput)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining(message) }),
    );
  });
});
