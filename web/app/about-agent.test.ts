import { expect, it } from 'vitest';
import { aboutAgent } from './about-agent.ts';

it.each([
  ['a new chat in an editor', { to: '/chat' }, '/a/otter', { to: '/chat', search: { with: 'otter' } }],
  [
    'a run in an editor',
    { to: '/runs', search: { start: true } },
    '/a/ot%C3%BCr',
    { to: '/runs', search: { start: true, agent: 'otür' } },
  ],
  ['the list of runs', { to: '/runs' }, '/a/otter', { to: '/runs' }],
  [
    'a chat with another agent',
    { to: '/chat', search: { with: 'seal' } },
    '/a/otter',
    { to: '/chat', search: { with: 'seal' } },
  ],
  ['a new chat elsewhere', { to: '/chat' }, '/tools/otter', { to: '/chat' }],
] as const)('%s has the agent whose editor is open, if it needs one', (_, target, pathname, expected) => {
  expect(aboutAgent(target, pathname)).toEqual(expected);
});
