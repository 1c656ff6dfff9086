import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Topic } from '../../src/base/changes.ts';
import { chatKeys } from './chat-queries.ts';
import { keys } from './queries.ts';
import { createRefetcher } from './refetch.ts';

let client: QueryClient;
let refetch: ReturnType<typeof createRefetcher>;
let refetched: string[];

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  refetched = [];
  vi.spyOn(client, 'invalidateQueries').mockImplementation(async (filters) => {
    refetched.push(filters?.queryKey?.join(' ') ?? '');
  });
  refetch = createRefetcher(client);
});

afterEach(() => {
  refetch.close();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const hear = (topic: Topic, ...ids: string[]) => refetch.apply({ topic, ids });

it.each<[Topic, string[], string[]]>([
  [
    'agents',
    ['wizard'],
    [
      'agent wizard compiled',
      'agent wizard detail',
      'agent wizard versions',
      'agents',
      'inbox first-steps',
      'tools',
      'workspaces',
    ],
  ],
  ['brain', ['wizard'], ['agent wizard brain']],
  ['chats', [], ['chats list', 'chats one', 'inbox first-steps', 'inbox items']],
  ['clients', [], ['inbox first-steps']],
  ['decisions', [], ['decisions', 'members', 'servers one']],
  ['inbox', [], ['inbox first-steps', 'inbox items', 'settings folders']],
  ['knowledge', [], ['knowledge']],
  ['mail', [], ['inbox items', 'mail', 'team-deliveries']],
  ['members', [], ['inbox items', 'members', 'team-health']],
  [
    'problems',
    [],
    ['inbox items', 'providers default', 'providers embeddings', 'providers list', 'settings', 'status'],
  ],
  ['resources', [], []],
  ['server-logs', ['files'], ['servers log files']],
  ['servers', ['files'], ['inbox items', 'servers list', 'servers log files', 'servers one files']],
  ['servers', [], ['inbox items', 'servers list', 'servers one']],
  [
    'settings',
    ['engine.model'],
    [
      'inbox first-steps',
      'inbox items',
      'providers default',
      'providers embeddings',
      'providers list',
      'settings',
      'team-permissions',
    ],
  ],
  ['settings', ['seen.providers.openai'], ['inbox first-steps', 'providers embeddings', 'providers list']],
  ['sources', [], ['inbox first-steps', 'inbox items', 'knowledge', 'knowledge overview']],
  ['tools', [], ['status', 'tools']],
  ['work', [], ['epics', 'inbox items', 'members', 'tasks', 'team-health']],
])('a change of %s %j fetches %j again', (topic, ids, expected) => {
  hear(topic, ...ids);
  expect(refetched.toSorted()).toEqual(expected);
});

it.each<[Topic, number]>([
  ['keys', 400],
  ['knowledge', 700],
  ['chats', 500],
])('the first change of %s is fetched at once, a flood of them every %i ms', (topic, everyMs) => {
  hear(topic);
  const once = refetched.length;
  for (let index = 0; index < 50; index += 1) hear(topic);
  expect(refetched).toHaveLength(once);
  vi.advanceTimersByTime(everyMs);
  expect(refetched).toHaveLength(2 * once);
  vi.advanceTimersByTime(10_000);
  expect(refetched).toHaveLength(2 * once);
});

it('a call refetches the timeline, and its member less often', () => {
  for (let index = 0; index < 3; index += 1) {
    hear('decisions');
    vi.advanceTimersByTime(500);
  }
  const count = (key: string) => refetched.filter((each) => each === key).length;
  expect([count('decisions'), count('members')]).toEqual([3, 1]);
  vi.advanceTimersByTime(3_000);
  expect([count('decisions'), count('members')]).toEqual([3, 2]);
});

it('the inbox is fetched twice a second at most, whatever changes it', () => {
  for (const topic of ['mail', 'work', 'chats', 'servers', 'inbox'] as const) hear(topic);
  const count = () => refetched.filter((each) => each === 'inbox items').length;
  expect(count()).toBe(1);
  vi.advanceTimersByTime(500);
  expect(count()).toBe(2);
});

it('a busy server does not delay the others', () => {
  for (let index = 0; index < 500; index += 1) hear('server-logs', 'files');
  hear('server-logs', 'mail');
  expect(refetched).toEqual(['servers log files', 'servers log mail']);
});

it('an unknown topic is ignored', () => {
  refetch.apply(JSON.parse('{"topic":"tomorrow","ids":[]}'));
  expect(refetched).toEqual([]);
});

it('nothing is refetched after closing', () => {
  for (let index = 0; index < 2; index += 1) hear('servers', 'files');
  refetch.close();
  refetched = [];
  vi.advanceTimersByTime(10_000);
  expect(refetched).toEqual([]);
});

it('without ids, every brain is refetched, but no chat context', () => {
  vi.restoreAllMocks();
  const known = [keys.brain('wizard'), keys.agentDetail('wizard'), chatKeys.one('a'), chatKeys.context('a')];
  for (const key of known) client.setQueryData(key, {});
  hear('brain');
  hear('chats');
  expect(known.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, false, true, false]);
});
