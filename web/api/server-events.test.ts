import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serversListener } from './server-events.ts';

let client: QueryClient;
let listener: ReturnType<typeof serversListener>;
let refreshed: string[];

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  refreshed = [];
  vi.spyOn(client, 'invalidateQueries').mockImplementation(async (filters) => {
    refreshed.push(filters?.queryKey?.join(' ') ?? '');
  });
  listener = serversListener(client);
});

afterEach(() => {
  listener.close();
  vi.useRealTimers();
});

it('a line of a log refreshes that log alone, a flood of lines in turns', () => {
  for (let index = 0; index < 500; index += 1) listener.apply({ type: 'servers', server: 'files', isLogOnly: true });
  expect(refreshed).toEqual(['servers log files']);
  vi.advanceTimersByTime(10_000);
  expect(refreshed).toEqual(['servers log files', 'servers log files']);
});

it('a change of state refreshes the list and the server, and not its neighbours', () => {
  listener.apply({ type: 'servers', server: 'files', isLogOnly: false });
  expect(refreshed.toSorted()).toEqual(['servers list', 'servers log files', 'servers one files']);
  listener.apply({ type: 'servers', server: 'mail', isLogOnly: false });
  expect(refreshed).toContain('servers one mail');
});

it('another set of servers refreshes all that is known of any', () => {
  listener.apply({ type: 'servers', server: null, isLogOnly: false });
  expect(refreshed.toSorted()).toEqual(['servers list', 'servers one']);
});

it('calls refresh the counts of the server that is looked at, seldom', () => {
  for (let index = 0; index < 100; index += 1) listener.hearCall();
  expect(refreshed).toEqual(['servers one']);
  vi.advanceTimersByTime(3_000);
  expect(refreshed).toEqual(['servers one', 'servers one']);
});

it('nothing is fetched after it was closed', () => {
  for (let index = 0; index < 2; index += 1) listener.apply({ type: 'servers', server: 'files', isLogOnly: false });
  listener.close();
  refreshed = [];
  vi.advanceTimersByTime(10_000);
  expect(refreshed).toEqual([]);
});
