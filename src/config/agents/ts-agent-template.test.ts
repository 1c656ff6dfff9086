import { describe, expect, it } from 'vitest';
import { fillTemplate } from '../../agents/exposes/fill-template.ts';
import { ToolInputSchema } from '../../agents/exposes/tool-parameters.ts';
import { textInBraces, toTemplate } from './ts-agent-template.ts';

const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    trip: { type: 'object', properties: { day: { type: 'string' } } },
    'first name': { type: 'string' },
  },
};
const tool = { name: 'book', parameters };
const values = { city: 'Rome', trip: { day: 'Monday' }, 'first name': 'Ann' };
const fill = (prompt: string) =>
  fillTemplate(toTemplate(prompt, tool), {
    tool: { name: 'book', parameters: ToolInputSchema.parse(parameters) },
    parameters: values,
  });

describe('braces in a template of TsAgent', () => {
  it.each([
    ['of a parameter are filled', 'To {city}', 'To Rome'],
    ['of the tool name are filled', '{name}: {city}', 'book: Rome'],
    ['of a part of a parameter are filled', 'On {trip.day}', 'On Monday'],
    ['of a name with a space are filled', 'For {first name}', 'For Ann'],
    ['around JSON are text', 'Reply {"city": "…", "ok": true}', 'Reply {"city": "…", "ok": true}'],
    ['of nested JSON are text, and the parameter in it is filled', '{"a":{"b":"{city}"}}', '{"a":{"b":"Rome"}}'],
    ['that are doubled stay doubled', 'Use {{ handlebars }} and {{{x y}}}', 'Use {{ handlebars }} and {{{x y}}}'],
    ['around a doubled parameter stay single', '{{city}}', '{Rome}'],
    ['that stand alone are text', 'if (x) { return } else {', 'if (x) { return } else {'],
    ['that are empty are text', 'fn() {}', 'fn() {}'],
    ['of a word that is far from any parameter are text', 'Format: {temperature}', 'Format: {temperature}'],
    ['of a word with spaces around it are text', '{ city }', '{ city }'],
  ])('%s', (_name, prompt, expected) => {
    expect(fill(prompt)).toBe(expected);
  });

  it('of a misspelt parameter stay a reference, which is refused with a suggestion', () => {
    expect(toTemplate('To {citty} on {trip.dy}', tool)).toBe('To {citty} on {trip.dy}');
  });

  it('are reported if they look like a reference and stay text', () => {
    expect(textInBraces('{city} {temperature} {"a": 1} {}', tool)).toEqual(['{temperature}']);
  });
});
