import { describe, expect, it } from 'vitest';
import { parseWith } from '../../base/validate.ts';
import { AgentInput } from '../agent.ts';

const flight = {
  name: 'book_flight',
  description: 'Books a flight ticket for a user.',
  parameters: {
    type: 'object',
    properties: { destination: { type: 'string' }, departure_date: { type: 'string' } },
    required: ['destination'],
  },
  prompt: 'Book a flight to {destination} on {departure_date}',
};
const agentWith = (tool: object) =>
  parseWith(AgentInput, { name: 'X', mode: 'tools', exposes: [{ ...flight, ...tool }] });

describe('an exposed tool', () => {
  it('keeps all its optional fields unchanged', () => {
    const full = {
      ...flight,
      outputSchema: { type: 'object', properties: { price: { type: 'number' } } },
      cache: { seconds: 60, key: ['destination'] },
      version: '2.0.0',
    };
    expect(agentWith(full).exposes).toEqual([full]);
    expect(agentWith({ description: undefined }).exposes[0]?.description).toBe('');
  });

  it.each<[string, object, string]>([
    [
      'a template that names nothing',
      { prompt: 'To {destnation}' },
      'exposes[0].prompt: {destnation} is not a parameter of the tool; did you mean {destination}?',
    ],
    ['a brace alone', { prompt: 'To {destination' }, 'exposes[0].prompt: A "{" in line 1'],
    [
      'parameters of no known kind',
      { parameters: { type: 'object', properties: { x: { type: 'date' } } }, prompt: '' },
      'exposes[0].parameters.properties.x.type: must be string',
    ],
    ['no parameters', { parameters: undefined }, 'exposes[0].parameters: is required'],
    ['an answer that is no object', { outputSchema: { type: 'string' } }, 'exposes[0].outputSchema'],
    ['a cache of no time', { cache: { seconds: 0 } }, 'exposes[0].cache.seconds'],
    [
      'a cache key with an unknown parameter',
      { cache: { seconds: 1, key: ['toString'] } },
      'exposes[0].cache.key[0]: there is no parameter "toString"',
    ],
    ['a name no client accepts', { name: 'book flight' }, 'exposes[0].name: must be 1–64'],
    ['an unknown key', { promt: 'x' }, 'promt'],
  ])('%s is rejected when the agent is saved', (_name, tool, message) => {
    expect(() => agentWith(tool)).toThrowError(message);
  });
});
