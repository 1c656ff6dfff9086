import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { teamListener } from './team-events.ts';

let client: QueryClient;
let listener: ReturnType<typeof teamListener>;
let refreshed: string[];

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  refreshed = [];
  vi.spyOn(client, 'invalidateQueries').mockImplementation(async (filters) => {
    refreshed.push(String(filters?.queryKey?.[0]));
  });
  listener = teamListener(client);
});

afterEach(() => {
  listener.close();
  vi.useRealTimers();
});

it('the first news are fetched at once, a flood of them in turns', () => {
  for (let index = 0; index < 50; index += 1) listener.apply({ type: 'team', concerns: ['mail'] });
  expect(refreshed).toEqual(['mail', 'team-deliveries']);
  vi.advanceTimersByTime(400);
  expect(refreshed).toEqual(['mail', 'team-deliveries', 'mail', 'team-deliveries']);
  vi.advanceTimersByTime(5_000);
  expect(refreshed).toHaveLength(4);
});

it('a task that moved changes tasks, epics, members and health', () => {
  listener.apply({ type: 'team', concerns: ['work'] });
  expect(new Set(refreshed)).toEqual(new Set(['tasks', 'epics', 'members', 'team-health']));
});

it('a call is news for the timeline, and more seldom for who made it', () => {
  for (let index = 0; index < 3; index += 1) {
    listener.apply({ type: 'decisions' });
    vi.advanceTimersByTime(500);
  }
  expect(refreshed.filter((key) => key === 'decisions')).toHaveLength(3);
  expect(refreshed.filter((key) => key === 'members')).toHaveLength(1);
  vi.advanceTimersByTime(3_000);
  expect(refreshed.filter((key) => key === 'members')).toHaveLength(2);
});

it('nothing is fetched after it was closed', () => {
  listener.apply({ type: 'decisions' });
  listener.apply({ type: 'decisions' });
  listener.close();
  refreshed = [];
  vi.advanceTimersByTime(10_000);
  expect(refreshed).toEqual([]);
});
