import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { templateProblems } from '../../../../src/agents/exposes/fill-template.ts';
import type { ToolInputSchema } from '../../../../src/agents/exposes/tool-parameters.ts';
import { compileParameters } from '../../../../src/agents/exposes/tool-schema.ts';
import { anyParameters } from '../../../../test/support/tools/arbitrary-parameters.ts';
import { pathTo, renameReferences } from './rename-references.ts';
import { sampleValues } from './sample-values.ts';
import { toNode } from './schema-node.ts';
import { matchingWords, templateWords } from './template-words.ts';

const parameters: ToolInputSchema = {
  type: 'object',
  properties: {
    trip: { type: 'object', properties: { to: { type: 'string' } } },
    bags: { type: 'array', items: { type: 'object', properties: { kilos: { type: 'number' } } } },
  },
};
const tool = { name: 'book', description: 'Books', parameters };

describe('template words', () => {
  it('are the parameters, their parts and the tool fields', () => {
    expect(templateWords(tool).map((word) => word.path)).toEqual([
      'trip',
      'trip.to',
      'bags',
      'bags.0',
      'bags.0.kilos',
      'name',
      'description',
    ]);
  });

  it('are all accepted by the template check', () => {
    fc.assert(
      fc.property(anyParameters, (any) => {
        const each = { ...tool, parameters: any };
        const limited = templateWords(each).filter(({ path }) => !/\.\d/.test(path));
        expect(limited.flatMap(({ path }) => templateProblems(`{${path}}`, each))).toEqual([]);
      }),
    );
  });

  it('that start with the text come before those that contain it', () => {
    expect(matchingWords(templateWords(tool), 'k').map((word) => word.path)).toEqual(['bags.0.kilos']);
    expect(matchingWords(templateWords(tool), 'b').map((word) => word.path)[0]).toBe('bags');
  });
});

describe('a renamed parameter', () => {
  const root = toNode(parameters);
  const kilos = root.keywords.properties?.[1]?.node.keywords.items;
  const idOfKilos = [kilos].flat()[0]?.keywords.properties?.[0]?.node.id ?? '';

  it('is renamed wherever the template uses it or a part of it', () => {
    const path = pathTo(root, root.keywords.properties?.[0]?.node.id ?? '') ?? [];
    expect(renameReferences('{trip} {trip.to} {{trip}} {bags} {name}', tool, { path, name: 'way' })).toEqual({
      template: '{way} {way.to} {{trip}} {bags} {name}',
      count: 2,
    });
  });

  it('is renamed in every list item', () => {
    const path = pathTo(root, idOfKilos) ?? [];
    expect(path).toEqual(['bags', null, 'kilos']);
    expect(renameReferences('{bags.0.kilos}, {bags.12.kilos}, {bags.0}', tool, { path, name: 'weight' })).toEqual({
      template: '{bags.0.weight}, {bags.12.weight}, {bags.0}',
      count: 2,
    });
  });
});

describe('sample values', () => {
  it('are the example, the default, or else a value of the type', () => {
    expect(
      sampleValues({
        type: 'object',
        properties: {
          a: { type: 'string', examples: ['Paris'], default: 'Rome' },
          b: { type: 'string', default: 'Rome' },
          c: { type: 'string', enum: ['x', 'y'] },
          departure_date: { type: 'string', maxLength: 9 },
          e: { type: 'integer', minimum: 1.5 },
          f: { type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true },
          g: { type: 'boolean' },
        },
      }),
    ).toEqual({ a: 'Paris', b: 'Rome', c: 'x', departure_date: 'departure', e: 2, f: ['f', 'f 2'], g: true });
  });

  it('of a typical schema are valid', () => {
    const accepted = fc.sample(anyParameters, { numRuns: 300, seed: 7 }).filter((any) => {
      try {
        compileParameters(any)(sampleValues(any));
        return true;
      } catch {
        return false;
      }
    });
    // Some of these schemas accept nothing at all, and nobody can make up a text for every pattern.
    expect(accepted.length).toBeGreaterThan(220);
  });

  it('follow references, use the first alternative and respect all limits', () => {
    const made = sampleValues({
      type: 'object',
      $defs: { point: { type: 'object', properties: { x: { type: 'number', exclusiveMinimum: 0, maximum: 1 } } } },
      properties: {
        kind: { const: 'trip' },
        at: { oneOf: [{ type: 'null' }, { $ref: '#/$defs/point' }] },
        when: { type: 'string', format: 'date' },
        size: { type: 'integer', multipleOf: 5, minimum: 3 },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { const: 2 }], items: false },
        choice: { enum: [3, 4] },
        maybe: { type: ['string', 'null'] },
        any: true,
        next: { $ref: '#' },
      },
    });
    expect(made).toMatchObject({
      kind: 'trip',
      at: { x: 1 },
      when: '2026-11-17',
      size: 5,
      pair: ['pair 1', 2],
      choice: 3,
      maybe: 'maybe',
      any: 'any',
    });
  });
});
