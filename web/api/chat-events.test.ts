import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { chatsListener } from './chat-events.ts';
import { chatKeys } from './chat-queries.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('news of chats refresh lists and tabs, a flood only now and then, and no context', async () => {
  const client = new QueryClient();
  const isOld = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
  const filter = { text: '', agentId: undefined, origin: undefined };
  const all = [chatKeys.list(filter), chatKeys.one('a'), chatKeys.context('a')];
  const load = () => {
    for (const key of all) client.setQueryData(key, {});
  };
  load();
  const listener = chatsListener(client);
  listener.hear();
  expect(all.map(isOld)).toEqual([true, true, false]);
  load();
  for (let times = 0; times < 100; times += 1) listener.hear();
  expect(all.map(isOld)).toEqual([false, false, false]);
  await vi.advanceTimersByTimeAsync(500);
  expect(all.map(isOld)).toEqual([true, true, false]);
  load();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(all.map(isOld)).toEqual([false, false, false]);
  listener.close();
});
