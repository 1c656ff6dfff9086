import { expect, it } from 'vitest';
import { suggestionsFor } from './suggestions.ts';

const skill = (name: string, enabled = true) => ({ id: name, name, description: '', categoryId: null, enabled });

it('suggests questions about what the agent can do, without skills that are off', () => {
  expect(suggestionsFor({ skills: [skill('Invoices'), skill('Old', false)] })).toEqual([
    'What can you do for me?',
    'Help me with “Invoices”. What do you need?',
  ]);
  expect(suggestionsFor({ skills: ['a', 'b', 'c', 'd'].map((name) => skill(name)) })).toHaveLength(4);
});
