import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { systemClock } from '../base/clock.ts';
import type { ChatEvent } from './chat.ts';
import { ChatFeed } from './chat-feed.ts';
import { followChat } from './follow-chat.ts';

let stores: TestStores;
const feed = new ChatFeed();
const left = new AbortController();
beforeEach(async () => {
  stores = await openTestStores('sqlite');
  const { chats } = stores.store;
  const origin = { kind: 'chat' as const };
  await chats.create({ id: 'c', agentId: 'a', title: '', model: null, origin, arguments: {} });
  await chats.begin('c', {
    lastSeq: 0,
    messageId: 'm',
    text: 'x',
    runId: 'r',
    agentId: 'a',
    model: 'm',
    title: '',
  });
});
afterEach(() => stores.remove());

function follow() {
  const { chats } = stores.store;
  const look = (id: string) => chats.get(id);
  // As if this process were answering: only published events wake the reader.
  const parts = { store: chats, feed, clock: systemClock, look, isAnsweredHere: () => true };
  return followChat(parts, 'c', { after: 0, signal: left.signal });
}

const say = (delta: string) =>
  stores.other.chats.append('c', { runId: 'r', events: [{ type: 'text', runId: 'r', delta }], messages: [] });

async function next(reader: AsyncGenerator<ChatEvent>, count: number): Promise<number[]> {
  const seen: number[] = [];
  for (let index = 0; index < count; index += 1) seen.push((await reader.next()).value?.seq ?? -1);
  return seen;
}

describe('a reader of a chat', () => {
  it('reads the events that another process wrote in between from the store', async () => {
    const reader = follow();
    expect(await next(reader, 2)).toEqual([1, 2]);
    const following = next(reader, 3);
    await say('a');
    await say('b');
    feed.publish('c', await say('c'));
    expect(await following).toEqual([3, 4, 5]);
    await reader.return();
  });

  it('that falls behind gets all events in order', async () => {
    const reader = follow();
    expect(await next(reader, 1)).toEqual([1]);
    for (let index = 0; index < 1_100; index += 1) feed.publish('c', await say('x'));
    const rest = await next(reader, 1_101);
    expect(rest).toEqual(rest.map((_, index) => index + 2));
    await reader.return();
  });
});
