import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileParameters } from '../../../../src/agents/exposes/tool-schema.ts';
import { HubError } from '../../../../src/base/hub-error.ts';
import { anyParameters, valueFor } from '../../../../test/support/tools/arbitrary-parameters.ts';
import { findProblems } from './find-problems.ts';
import { readSchemaText, schemaText } from './read-schema.ts';
import { childrenOf, type SchemaNode, toNode, toParameters } from './schema-node.ts';

const runs = { numRuns: 400 };

it('any schema survives the builder, keyword for keyword', () => {
  fc.assert(
    fc.property(anyParameters, (parameters) => {
      const node = toNode(parameters);
      expect(findProblems(node)).toEqual(new Map());
      // As text: the order of keywords and properties counts too.
      expect(JSON.stringify(toParameters(node))).toBe(JSON.stringify(parameters));
    }),
    runs,
  );
});

it('any schema survives the raw text', () => {
  fc.assert(
    fc.property(anyParameters, (parameters) => {
      expect(readSchemaText(schemaText(toParameters(toNode(parameters))))).toEqual({ schema: parameters });
    }),
    runs,
  );
});

it('the rebuilt schema accepts exactly the same values', () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      anyParameters.chain((parameters) =>
        fc.tuple(fc.constant(parameters), fc.array(valueFor(parameters), { minLength: 8, maxLength: 8 })),
      ),
      ([parameters, values]) => {
        const before = compileParameters(parameters);
        const read = readSchemaText(schemaText(toParameters(toNode(parameters))));
        if ('problem' in read) throw new Error(read.problem);
        const after = compileParameters(read.schema);
        for (const value of values) {
          const isGood = accepts(before, value);
          if (isGood) accepted += 1;
          else refused += 1;
          expect(accepts(after, value), JSON.stringify({ parameters, value })).toBe(isGood);
        }
      },
    ),
    runs,
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(200);
});

it('a reread schema keeps the ids of its parts', () => {
  fc.assert(
    fc.property(anyParameters, (parameters) => {
      const node = toNode(parameters);
      expect(idsOf(toNode(structuredClone(parameters), node))).toEqual(idsOf(node));
    }),
  );
});

it('properties are matched by name, then by position as renamed', () => {
  const before = toNode({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } });
  const after = toNode({ type: 'object', properties: { b: { type: 'number' }, c: { type: 'string' } } }, before);
  const ids = (node: SchemaNode) => node.keywords.properties?.map((property) => property.node.id);
  const [, idOfB] = ids(before) ?? [];
  expect(ids(after)?.[0]).toBe(idOfB);
  const renamed = toNode({ type: 'object', properties: { x: { type: 'string' }, b: { type: 'number' } } }, before);
  expect(ids(renamed)).toEqual(ids(before));
});

function idsOf(node: SchemaNode): string[] {
  return [node.id, ...childrenOf(node).flatMap(idsOf)];
}

function accepts(check: (value: unknown) => void, value: unknown): boolean {
  try {
    check(value);
    return true;
  } catch (error) {
    if (error instanceof HubError) return false;
    throw error;
  }
}
