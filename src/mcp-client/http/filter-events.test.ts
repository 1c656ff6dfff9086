import { expect, it } from 'vitest';
import type { JsonMessage } from '../connection/message-tap.ts';
import { filterEvents } from './filter-events.ts';

async function filter(
  text: string,
  parts: { call?: number; keepsIds?: boolean; maxBytes?: number; size?: number } = {},
) {
  const taken: JsonMessage[] = [];
  const heads: string[] = [];
  const received: string[] = [];
  const bytes = Buffer.from(text);
  const size = parts.size ?? bytes.length;
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  let out = '';
  for await (const chunk of filterEvents({
    chunks: chunks(),
    maxBytes: parts.maxBytes ?? 1_000,
    call: parts.call,
    keepsIds: parts.keepsIds ?? true,
    tap: {
      maxOutputBytes: 500,
      refuseLarge: () => true,
      take(message) {
        if (message.id !== 7) return false;
        taken.push(message);
        return true;
      },
    },
    onTooLarge: (head) => heads.push(head),
    onReceived: ({ received: what, unasked }) => received.push(unasked > 1 ? `${what} ×${unasked}` : what),
  })) {
    out += Buffer.from(chunk).toString();
  }
  return { out, taken, heads, received };
}

const answer = '{"jsonrpc":"2.0","id":7,"result":{"zebra":1,"_meta":{}}}';
const other = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}';

it('messages that the tap takes are removed, and the rest stays unchanged, wherever the bytes are split', async () => {
  const text = `: comment\r\n\r\nid: 1\r\nretry: 5\r\ndata:\r\n\r\nevent: message\nid: 2\ndata: ${answer}\n\ndata: ${other}\n\n`;
  for (const size of [1, 2, 3, 17, 1_000]) {
    const { out, taken } = await filter(text, { call: 7, size });
    expect(taken).toEqual([JSON.parse(answer)]);
    expect(out).toBe(
      `id: 1\nretry: 5\ndata: \n\nid: 2\ndata: {"jsonrpc":"2.0","id":7,"result":{}}\n\ndata: ${other}\n\n`,
    );
  }
});

it('a stream that cannot be resumed drops the ids of taken events, and keeps all other events', async () => {
  const { out } = await filter(`event: endpoint\ndata: /messages\n\nid: 2\ndata: ${answer}\n\n`, { keepsIds: false });
  expect(out).toBe('event: endpoint\ndata: /messages\n\n');
});

it('data of several lines is one message', async () => {
  const { taken } = await filter('data: {"jsonrpc":"2.0",\ndata: "id":7,"result":{}}\n\n');
  expect(taken).toHaveLength(1);
});

it('lines end in any of three ways, and an event of another kind keeps all of its lines', async () => {
  const { out, taken } = await filter(`data: ${answer}\r\revent: note\rdata: one\rdata: two\r\r`, { keepsIds: false });
  expect(taken).toHaveLength(1);
  expect(out).toBe('event: note\ndata: one\ndata: two\n\n');
});

it('garbage is reported and does not reach the SDK', async () => {
  const { out, received } = await filter('data: no message\n\n');
  expect({ out, received }).toEqual({ out: '', received: ['garbage'] });
});

it('an event over the limit ends the stream, in one line or in many', async () => {
  const long = await filter(`data: ${'x'.repeat(2_000)}`, { size: 100 });
  expect(long.heads).toHaveLength(1);
  const many = await filter(`${'data: x\n'.repeat(500)}`, { size: 100 });
  expect(many.heads).toHaveLength(1);
});
