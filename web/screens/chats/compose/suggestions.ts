import type { Agent } from '../../../../src/agents/agent.ts';

const maxSuggestions = 4;

/** Returns first questions for an agent, made from what it says about itself. No model is asked. */
export function suggestionsFor({ skills }: Pick<Agent, 'skills'>): string[] {
  const abilities = skills
    .filter(({ enabled }) => enabled)
    .map(({ name }) => `Help me with “${name}”. What do you need?`);
  return ['What can you do for me?', ...abilities].slice(0, maxSuggestions);
}
