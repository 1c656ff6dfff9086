import { expect, it } from 'vitest';
import { readAgentZoo } from './read-agent-zoo.ts';

it('skills with the same id get ids of their own', () => {
  const skills = ['x', 'x', 'x-2', 'x'].map((id) => ({ id }));
  const { agent } = readAgentZoo({ name: 'A', skills });
  expect(Object(agent).skills.map(({ id }: { id: string }) => id)).toEqual(['x', 'x-2', 'x-2-2', 'x-3']);
});

it('a file with very many skills of the same id is read in a moment', () => {
  const skills = Array.from({ length: 200_000 }, () => ({ id: 'x' }));
  const { agent } = readAgentZoo({ name: 'A', skills });
  expect(Object(agent).skills.at(-1).id).toBe('x-200000');
}, 10_000);
