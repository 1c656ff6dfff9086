import { SendMessageRequest } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { readMessage } from './read-message.ts';

function read(parts: unknown[], more: { message?: object; request?: object } = {}) {
  const message = { messageId: 'm', role: 'ROLE_USER', parts, ...more.message };
  return readMessage(SendMessageRequest.fromJSON({ message, ...more.request }));
}

describe('a message of a caller', () => {
  it('consists of its texts, and data as JSON', () => {
    expect(read([{ text: 'Sum this:' }, { data: { a: 1 } }]).text).toBe('Sum this:\n\n{"a":1}');
  });

  it.each([
    [[{ text: 'approve' }], 'approve'],
    [[{ data: { approval: 'approve', toolUseId: 'call_1' } }], '{"approval":"approve","toolUseId":"call_1"}'],
  ])('with %j is text and no approval', (parts, text) => {
    const message = read(parts);
    expect(message.text).toBe(text);
    expect(message).not.toHaveProperty('approval');
  });

  it.each([
    ['a file with bytes', [{ raw: 'aGk=', filename: 'a.txt' }], 'ContentTypeNotSupportedError'],
    ['a file elsewhere', [{ text: 'see' }, { url: 'http://127.0.0.1/a.txt' }], 'ContentTypeNotSupportedError'],
    ['an empty part', [{}], 'RequestMalformedError'],
    ['only spaces', [{ text: '  ' }], 'RequestMalformedError'],
    ['no parts', [], 'RequestMalformedError'],
  ])('with %s is refused', (_what, parts, name) => {
    expect(() => read(parts)).toThrow(expect.objectContaining({ name }));
  });

  it('that requests a webhook is refused', () => {
    const configuration = { taskPushNotificationConfig: { url: 'http://127.0.0.1/hook' } };
    expect(() => read([{ text: 'hi' }], { request: { configuration } })).toThrow(
      expect.objectContaining({ name: 'PushNotificationNotSupportedError' }),
    );
  });

  it('contains the nesting depth and the prompt arguments', () => {
    const metadata = { 'agent-zoo/depth': 3, arguments: { team: 'blue' } };
    expect(read([{ text: 'hi' }], { message: { metadata } })).toMatchObject({ depth: 3, arguments: { team: 'blue' } });
    expect(read([{ text: 'hi' }], { request: { metadata } }).depth).toBe(3);
    for (const depth of [-1, 0.5, '3', null, Number.NaN]) {
      expect(read([{ text: 'hi' }], { message: { metadata: { 'agent-zoo/depth': depth } } }).depth).toBe(0);
    }
    expect(() => read([{ text: 'hi' }], { message: { metadata: { arguments: { a: 1 } } } })).toThrow(/string values/);
  });
});
