import { once } from 'node:events';
import { expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { type Identity, owner } from '../callers/callers.ts';
import { chatStreams } from './chat-stream.routes.ts';
import type { Chats } from './chats.ts';

it('a caller with all streams gives one up to each caller with fewer, and gets no more', async () => {
  const openStream = chatStreams();
  const closing = new AbortController();
  async function* nothing(_id: string, { signal }: { signal: AbortSignal }): AsyncGenerator<never> {
    if (!signal.aborted) await once(signal, 'abort');
    yield* [];
  }
  const chats: Pick<Chats, 'events'> = { events: nothing };
  const follow = (caller: Identity) =>
    openStream({
      chats: chats as Chats,
      chatId: 'chat_1',
      caller,
      after: 0,
      lastSeq: 0,
      clock: systemClock,
      closing: closing.signal,
    });
  const streams = Array.from({ length: 500 }, () => follow(owner));
  expect(() => follow(owner)).toThrow('At most 500 chats');
  follow({ kind: 'client', right: 'work', id: 'key_1', name: 'Modest', agentId: null });
  // The oldest one ends; it would otherwise go on.
  for await (const _event of streams[0] ?? []);
  expect(() => follow(owner)).toThrow('At most 500 chats');
  closing.abort();
});
