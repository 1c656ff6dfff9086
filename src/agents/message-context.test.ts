import { describe, expect, it } from 'vitest';
import { Agent } from './agent.ts';
import { systemText } from './compile-prompt.ts';
import { itemsForMessage, unknownMentions } from './message-context.ts';

function agent(changes: object = {}): Agent {
  const rules = [
    { name: 'tone', text: 'Be kind.' },
    { name: 'tone-formal', text: 'Say "you" to nobody.', priority: 10 },
    { name: 'house rules', text: 'Wipe your feet.' },
    { name: 'first', text: 'Greet.', include: 'always' },
  ];
  const references = [{ name: 'about-bob', text: 'Bob lifts 300 pounds.' }];
  return Agent.parse({ id: 'a', name: 'A', source: 'code', rules, references, ...changes });
}
const uris = (message: string, changes?: object) =>
  itemsForMessage(agent(changes), { text: message }).map(({ uri }) => uri);

describe('a mention in a message', () => {
  it.each<[string, string, string[]]>([
    ['brings a rule', 'Please @rule:tone answer', ['rule:tone']],
    [
      'brings a reference, before the rules',
      '@rule:tone What does @ref:about-bob lift?',
      ['ref:about-bob', 'rule:tone'],
    ],
    ['ends where the name ends', 'See @ref:about-bob.', ['ref:about-bob']],
    ['takes the longest name', '@rule:tone-formal', ['rule:tone-formal']],
    ['may contain a name with spaces', '@rule:house rules, please', ['rule:house rules']],
    ['counts once', '@rule:tone @rule:tone', ['rule:tone']],
    ['puts the lowest priority first', '@rule:tone @rule:tone-formal', ['rule:tone-formal', 'rule:tone']],
    ['repeats nothing that the system prompt has', '@rule:first', []],
    ['is only one with the right word', '@rules:tone @refs:about-bob rule:tone', []],
  ])('%s', (_name, message, expected) => {
    expect(uris(message)).toEqual(expected);
  });

  it('of something unknown becomes a note, so that the model can say so', () => {
    expect(itemsForMessage(agent(), { text: 'Use @rule:tune' })).toEqual([
      { uri: 'rule:tune', text: 'This agent has no rule "tune". Available: tone-formal, first, house rules, tone.' },
    ]);
    expect(unknownMentions(agent(), '@ref:bob')).toEqual([
      { uri: 'ref:bob', text: 'This agent has no reference "bob". Available: about-bob.' },
    ]);
  });

  it('is ordinary text for an agent without rules and references', () => {
    expect(uris('Check out @ref:main', { rules: [], references: [] })).toEqual([]);
  });

  it('counts only in the template if there is one', () => {
    const message = { text: 'Ask @ref:about-bob about @rule:tone', mentionsIn: 'Ask {who} about @rule:tone' };
    expect(itemsForMessage(agent(), message).map(({ uri }) => uri)).toEqual(['rule:tone']);
  });
});

describe('items with include: agent', () => {
  const topics = ['refunds', 'hotels', 'trains', 'visas', 'luggage', 'insurance', 'pets'];
  const references = topics.map((name) => ({ name, text: `All about ${name} and the weather.`, include: 'agent' }));

  it('are in the system prompt while there are so few that every message would get all of them', () => {
    const few = agent({ references: references.slice(0, 5), rules: [] });
    expect(itemsForMessage(few, { text: 'Hello @ref:hotels' })).toEqual([]);
    expect(systemText(few, { isConversation: true })).toContain('### hotels\nAll about hotels');
    const many = agent({ references, rules: [] });
    expect(systemText(many, { isConversation: true })).toBe('');
    expect(systemText(many)).toContain('### pets');
  });

  it('go with a message if they share its rare words, in any form of the word', () => {
    const settings = { references, rules: [], modelSettings: { contextTopN: 2 } };
    expect(uris('Is there a refund for my train in this weather?', settings)).toEqual(['ref:refunds', 'ref:trains']);
    expect(uris('May my pet travel with luggage?', settings)).toEqual(['ref:luggage', 'ref:pets']);
  });

  it('are as many as the agent says, five by default, besides those that the message names', () => {
    const message = 'How is the weather?';
    expect(uris(message, { references, rules: [] })).toHaveLength(5);
    expect(uris(message, { references, rules: [], modelSettings: { contextTopN: 0 } })).toEqual([]);
    const named = uris(`@ref:pets ${message}`, { references, rules: [], modelSettings: { contextTopN: 1 } });
    expect(named).toHaveLength(2);
    expect(named).toContain('ref:pets');
  });

  it('stay away from a message without a common word, and the words of a mention do not count', () => {
    expect(uris('Hello', { references, rules: [] })).toEqual([]);
    expect(uris('@ref:pets @ref:trains', { references, rules: [] })).toEqual(['ref:pets', 'ref:trains']);
  });
});
