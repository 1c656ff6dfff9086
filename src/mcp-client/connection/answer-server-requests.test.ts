import { expect, it } from 'vitest';
import { type AskOptions, silentToolClient, type ToolClient } from '../../tools/tool-client.ts';
import { answerServerRequests } from './answer-server-requests.ts';
import type { JsonMessage } from './message-tap.ts';
import { type PendingRequest, RawLane } from './raw-lane.ts';

function openLane(): RawLane {
  return new RawLane({
    server: 'asking',
    timeoutMs: 1_000,
    maxOutputBytes: 1_000,
    maxConcurrentCalls: 4,
    send: async () => {},
    explain: (error) => {
      throw error;
    },
    onOther: () => false,
  });
}

function answering(send: (message: JsonMessage) => Promise<void>, lane = openLane(), onRoots?: () => void) {
  return answerServerRequests({ lane, onRoots, send: (message) => send(message as JsonMessage) });
}

it('limits the replies for a server that does not read them', async () => {
  let sent = 0;
  const { answer } = answering(() => {
    sent += 1;
    return new Promise(() => {});
  });
  for (let id = 0; id < 1_000; id += 1) answer({ jsonrpc: '2.0', id, method: 'ping' }, undefined);
  await new Promise(setImmediate);
  expect(sent).toBe(100);
});

it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'has no method "%s", regardless of the call',
  async (method) => {
    const client = { ...silentToolClient };
    const { promise, resolve } = Promise.withResolvers<JsonMessage>();
    const { answer } = answering(async (message) => resolve(message));
    answer({ jsonrpc: '2.0', id: 1, method }, { client } as PendingRequest);
    expect(await promise).toMatchObject({ id: 1, error: { code: -32601 } });
  },
);

/** A client that takes long to answer. */
function slowClient() {
  const { promise, resolve } = Promise.withResolvers<{ roots: [] }>();
  const asked: (AskOptions | undefined)[] = [];
  const answer = (options?: AskOptions) => {
    asked.push(options);
    return promise;
  };
  const client: ToolClient = {
    ...silentToolClient,
    connection: { signal: new AbortController().signal },
    roots: answer,
    sample: (_params, options) => answer(options),
    elicit: (_params, options) => answer(options),
  };
  return { client, asked, reply: () => resolve({ roots: [] }) };
}

function call(lane: RawLane, client: ToolClient) {
  const request = { method: 'tools/call', params: {}, tool: 'ask', client };
  const done = lane.request(request);
  const { id } = request as unknown as PendingRequest;
  const end = async () => {
    lane.take({ jsonrpc: '2.0', id, result: {} }, undefined);
    await done;
  };
  return { pending: request as unknown as PendingRequest, end };
}

const asking = ['roots/list', 'sampling/createMessage', 'elicitation/create'].flatMap((method) =>
  [false, true].map((isNamed): [string, boolean] => [method, isNamed]),
);

it.each(asking)('sends no answer to %s after the call has ended (call known: %s)', async (method, isNamed) => {
  const lane = openLane();
  const sent: JsonMessage[] = [];
  let told = 0;
  const { answer } = answering(
    async (message) => void sent.push(message),
    lane,
    () => {
      told += 1;
    },
  );
  const alice = slowClient();
  const first = call(lane, alice.client);
  answer({ jsonrpc: '2.0', id: 1, method }, isNamed ? first.pending : undefined);
  expect(alice.asked).toHaveLength(1);
  await first.end();
  const next = call(lane, slowClient().client);
  await new Promise(setImmediate);
  // The client's answer is no longer needed, so the server is notified at once.
  expect(alice.asked[0]?.signal?.aborted).toBe(true);
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32000, message: expect.stringContaining('has ended') } },
  ]);
  alice.reply();
  await new Promise(setImmediate);
  expect([sent.length, told]).toEqual([1, 0]);
  await next.end();
  lane.close('done');
});

it('sends an answer while another call of the same client runs, which may be the one that asked', async () => {
  const lane = openLane();
  const sent: JsonMessage[] = [];
  const { answer } = answering(async (message) => void sent.push(message), lane);
  const alice = slowClient();
  const first = call(lane, alice.client);
  const second = call(lane, alice.client);
  answer({ jsonrpc: '2.0', id: 1, method: 'roots/list' }, undefined);
  await second.end();
  alice.reply();
  await new Promise(setImmediate);
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: { roots: [] } }]);
  await first.end();
  lane.close('done');
});

it('stops asking and sends no reply once the server has withdrawn its question', async () => {
  const lane = openLane();
  const sent: JsonMessage[] = [];
  const { answer, withdraw } = answering(async (message) => void sent.push(message), lane);
  const alice = slowClient();
  const first = call(lane, alice.client);
  answer({ jsonrpc: '2.0', id: 1, method: 'elicitation/create' }, first.pending);
  answer({ jsonrpc: '2.0', id: '1', method: 'sampling/createMessage' }, first.pending);
  withdraw({ method: 'notifications/cancelled', params: { requestId: 1 } });
  withdraw({ method: 'notifications/cancelled', params: { requestId: 99 } });
  withdraw({ method: 'notifications/cancelled' });
  expect(alice.asked.map((options) => options?.signal?.aborted)).toEqual([true, false]);
  alice.reply();
  await new Promise(setImmediate);
  expect(sent).toEqual([{ jsonrpc: '2.0', id: '1', result: { roots: [] } }]);
  await first.end();
  lane.close('done');
});
