import { expect, it } from 'vitest';
import { silentToolClient } from '../tools/tool-client.ts';
import { answerServerRequests } from './answer-server-requests.ts';
import type { JsonMessage } from './message-tap.ts';
import { type PendingRequest, RawLane } from './raw-lane.ts';

function answering(send: (message: JsonMessage) => Promise<void>) {
  const lane = new RawLane({
    server: 'asking',
    timeoutMs: 1_000,
    maxOutputBytes: 1_000,
    maxConcurrentCalls: 1,
    send: async () => {},
    explain: (error) => {
      throw error;
    },
    onOther: () => false,
  });
  return answerServerRequests({ lane, send: (message) => send(message as JsonMessage) });
}

it('keeps no more than some answers for a server that does not take them', async () => {
  let sent = 0;
  const answer = answering(() => {
    sent += 1;
    return new Promise(() => {});
  });
  for (let id = 0; id < 1_000; id += 1) answer({ jsonrpc: '2.0', id, method: 'ping' }, undefined);
  await new Promise(setImmediate);
  expect(sent).toBe(100);
});

it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'knows no method "%s", whoever calls',
  async (method) => {
    const client = { ...silentToolClient };
    const { promise, resolve } = Promise.withResolvers<JsonMessage>();
    const answer = answering(async (message) => resolve(message));
    answer({ jsonrpc: '2.0', id: 1, method }, { client } as PendingRequest);
    expect(await promise).toMatchObject({ id: 1, error: { code: -32601 } });
  },
);
