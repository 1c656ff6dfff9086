import { expect, it } from 'vitest';
import { Agent } from './agent.ts';
import { resolveStatically } from './agent-prompt.ts';

const agent = Agent.parse({
  id: 'tiger',
  name: 'Tiger',
  source: 'toml',
  systemPrompt: '{who} and {other} and {__proto__}',
  skills: [{ id: 's', name: '{who}', description: 'Ask {who}.' }],
  arguments: [{ name: 'who' }, { name: '__proto__' }],
});

it('fills only declared arguments in the prompt and skills, in one pass', () => {
  const { system } = resolveStatically(agent, { who: '{other} $&', other: 'never' });
  expect(system).toContain('\n\n{other} $& and {other} and {__proto__}\n');
  expect(system).toContain('### {who}\nAsk {other} $&.');
});

it('leaves the placeholder of a missing argument unchanged', () => {
  expect(resolveStatically(agent, {}).system).toContain('{who} and {other} and {__proto__}');
});
