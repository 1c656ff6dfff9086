import { expect, it } from 'vitest';
import { type Change, ChangeChannel, type Topic } from './changes.ts';

function source(...topics: Topic[]) {
  const tells = new Set<(change: Change) => void>();
  return {
    topics,
    watch: (tell: (change: Change) => void) => {
      tells.add(tell);
      return () => void tells.delete(tell);
    },
    get listeners() {
      return tells.size;
    },
    tell: (topic: Topic, ...ids: string[]) => {
      for (const tell of tells) tell({ topic, ids });
    },
  };
}

it('a listener gets only the topics it asked for', () => {
  const team = source('mail', 'members');
  const agents = source('agents');
  const channel = new ChangeChannel([team, agents], () => {});
  const heard: Change[] = [];
  channel.on(['mail', 'agents'], (change) => heard.push(change));
  team.tell('mail');
  team.tell('members');
  agents.tell('agents', 'wizard');
  expect(heard).toEqual([
    { topic: 'mail', ids: [] },
    { topic: 'agents', ids: ['wizard'] },
  ]);
});

it('a source is watched once, and only while someone listens to one of its topics', () => {
  const team = source('mail', 'members');
  const log = source('decisions');
  const channel = new ChangeChannel([team, log], () => {});
  const stops = [channel.on(['mail'], () => {}), channel.on(['members'], () => {})];
  expect([team.listeners, log.listeners]).toEqual([1, 0]);
  stops[0]?.();
  expect(team.listeners).toBe(1);
  stops[1]?.();
  expect(team.listeners).toBe(0);
  channel.on(['decisions'], () => {});
  channel.close();
  expect(log.listeners).toBe(0);
});

it('a listener that throws does not stop the others', () => {
  const errors: unknown[] = [];
  const agents = source('agents');
  const channel = new ChangeChannel([agents], (error) => errors.push(error));
  const heard: Change[] = [];
  channel.on(['agents'], () => {
    throw new Error('deaf');
  });
  channel.on(['agents'], (change) => heard.push(change));
  agents.tell('agents');
  expect(heard).toHaveLength(1);
  expect(errors).toHaveLength(1);
});
