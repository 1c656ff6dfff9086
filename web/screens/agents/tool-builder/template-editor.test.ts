import fc from 'fast-check';
import { expect, it } from 'vitest';
import { templateProblems } from '../../../../src/agents/exposes/fill-template.ts';
import { markTemplate } from './template-editor.tsx';

const tool = {
  name: 'book',
  parameters: { type: 'object' as const, properties: { to: { type: 'string' as const, description: 'City' } } },
};

it('known and unknown references, stray and literal braces are distinguished', () => {
  const template = 'Go {to} {{now}} {form} by {name} }';
  expect(markTemplate(template, tool).map(({ from, to, kind }) => [template.slice(from, to), kind])).toEqual([
    ['{to}', 'known'],
    ['{{', 'escaped'],
    ['}}', 'escaped'],
    ['{form}', 'unknown'],
    ['{name}', 'known'],
    ['}', 'unknown'],
  ]);
  expect(markTemplate(template, tool)[0]?.title).toBe('string: City');
});

it('a template has an unknown mark exactly when the hub rejects it, and marks lie on braces', () => {
  const piece = fc.constantFrom('{', '}', '{{', '}}', '{to}', '{x}', 'a', '\n', '👍', '{to.', 'name}');
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join('')),
      (template) => {
        const marks = markTemplate(template, tool);
        expect(marks.some(({ kind }) => kind === 'unknown')).toBe(templateProblems(template, tool).length > 0);
        expect(marks.every(({ from }) => /[{}]/.test(template[from] ?? ''))).toBe(true);
        const covered = marks.map(({ from, to }) => template.slice(from, to)).join('');
        expect(covered.replaceAll(/[^{}]/g, '')).toBe(template.replaceAll(/[^{}]/g, ''));
      },
    ),
  );
});
