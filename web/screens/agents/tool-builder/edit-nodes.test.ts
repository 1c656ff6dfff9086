import { expect, it } from 'vitest';
import type { ToolInputSchema } from '../../../../src/agents/exposes/tool-parameters.ts';
import { UnreadText } from '../../../parts/schema-form/form-value.ts';
import * as nodes from './edit-nodes.ts';
import { findProblems, problemKey } from './find-problems.ts';
import { type SchemaNode, toNode, toParameters } from './schema-node.ts';

const trip: ToolInputSchema = {
  type: 'object',
  properties: {
    trip: {
      type: 'object',
      properties: { from: { type: 'string' }, to: { type: 'string', minLength: 2 } },
      required: ['to'],
    },
    bags: { type: 'array', items: { type: 'object', properties: { kilos: { type: 'number' } } } },
  },
  required: ['trip', 'bags'],
};

function idOf(root: SchemaNode, ...names: string[]): string {
  let node = root;
  for (const name of names) {
    const { properties, items } = node.keywords;
    const next = name === '*' ? [items].flat()[0] : properties?.find((property) => property.name === name)?.node;
    if (!next) throw new Error(`No ${name}`);
    node = next;
  }
  return node.id;
}

it('a renamed property keeps its position and stays required', () => {
  const root = toNode(trip);
  const { properties, required } = toParameters(nodes.renameProperty(root, idOf(root, 'trip'), 'journey'));
  expect(Object.keys(properties ?? {})).toEqual(['journey', 'bags']);
  expect(required).toEqual(['journey', 'bags']);
});

it('a property deep inside a list is renamed, moved, copied and removed', () => {
  let root = toNode(trip);
  root = nodes.changeNode(root, idOf(root, 'bags', '*'), (node) => nodes.addProperty(node, undefined, 'colour'));
  root = nodes.renameProperty(root, idOf(root, 'bags', '*', 'kilos'), 'weight');
  root = nodes.setRequired(root, idOf(root, 'bags', '*', 'weight'), true);
  root = nodes.moveProperty(root, idOf(root, 'bags', '*', 'colour'), idOf(root, 'bags', '*', 'weight'));
  expect(JSON.stringify(toParameters(root).properties?.bags)).toBe(
    '{"type":"array","items":{"type":"object","properties":{"colour":{"type":"string"},"weight":{"type":"number"}},"required":["weight"]}}',
  );
  root = nodes.duplicateProperty(root, idOf(root, 'trip'));
  expect(toParameters(root).properties?.trip_2).toEqual(trip.properties?.trip);
  root = nodes.removeProperty(root, idOf(root, 'trip'));
  expect(toParameters(root)).toMatchObject({ required: ['bags'] });
  expect(Object.keys(toParameters(root).properties ?? {})).toEqual(['trip_2', 'bags']);
});

it('unchanged parts stay the same objects', () => {
  const root = toNode(trip);
  const next = nodes.renameProperty(root, idOf(root, 'trip', 'from'), 'origin');
  expect(next.keywords.properties?.[1]).toBe(root.keywords.properties?.[1]);
  expect(nodes.changeNode(root, 'nobody', (node) => ({ ...node }))).toBe(root);
});

it('removing the last required property removes the keyword', () => {
  const root = toNode(trip);
  const next = nodes.setRequired(root, idOf(root, 'trip', 'to'), false);
  expect(toParameters(next).properties?.trip).not.toHaveProperty('required');
});

it('changing the type keeps title and description, and between number and integer everything', () => {
  const root = toNode({
    type: 'object',
    properties: { n: { type: 'number', description: 'How many', minimum: 1 } },
  });
  const id = idOf(root, 'n');
  const as = (type: Parameters<typeof nodes.changeType>[1]) =>
    toParameters(nodes.changeNode(root, id, (node) => nodes.changeType(node, type))).properties?.n;
  expect(as('integer')).toEqual({ type: 'integer', description: 'How many', minimum: 1 });
  expect(as('array')).toEqual({ type: 'array', description: 'How many', items: { type: 'string' } });
});

it.each<[what: string, change: (root: SchemaNode) => SchemaNode, place: (root: SchemaNode) => string, message: RegExp]>(
  [
    [
      'two properties of one name',
      (root) => nodes.renameProperty(root, idOf(root, 'trip', 'from'), 'to'),
      (root) => problemKey(root.keywords.properties?.[0]?.node.keywords.properties?.[1]?.node.id ?? '', 'name'),
      /“to” is already used/,
    ],
    [
      'no name',
      (root) => nodes.renameProperty(root, idOf(root, 'bags'), ''),
      (root) => problemKey(idOf(root, ''), 'name'),
      /Enter a name/,
    ],
    [
      'a name with a brace',
      (root) => nodes.renameProperty(root, idOf(root, 'bags'), 'a{b'),
      (root) => problemKey(idOf(root, 'a{b'), 'name'),
      /must not contain/i,
    ],
    [
      'a name that a prototype has',
      (root) => nodes.renameProperty(root, idOf(root, 'bags'), '__proto__'),
      (root) => problemKey(idOf(root, '__proto__'), 'name'),
      /JavaScript/,
    ],
    [
      'a limit that is no number, inside a list',
      (root) =>
        nodes.changeNode(root, idOf(root, 'bags', '*', 'kilos'), (node) =>
          nodes.setKeyword(node, 'minimum', new UnreadText('1x')),
        ),
      (root) => problemKey(idOf(root, 'bags', '*', 'kilos'), 'minimum'),
      /not a number/,
    ],
    [
      'limits that contradict each other',
      (root) => nodes.changeNode(root, idOf(root, 'trip', 'to'), (node) => nodes.setKeyword(node, 'maxLength', 1)),
      (root) => problemKey(idOf(root, 'trip', 'to'), 'minLength'),
      /must not be more than/i,
    ],
    [
      'an empty list of allowed values',
      (root) => nodes.changeNode(root, idOf(root, 'trip', 'to'), (node) => nodes.setKeyword(node, 'enum', [])),
      (root) => problemKey(idOf(root, 'trip', 'to'), 'enum'),
      /Add at least one value/,
    ],
  ],
)('%s is reported at its field', (_what, change, place, message) => {
  const changed = change(toNode(trip));
  const problems = findProblems(changed);
  expect([...problems.keys()]).toEqual([place(changed)]);
  expect(problems.get(place(changed))).toMatch(message);
});

it('a schema that is too deep is reported for the whole', () => {
  let schema: ToolInputSchema = { type: 'object' };
  for (let depth = 0; depth < 20; depth += 1) schema = { type: 'object', properties: { deeper: schema } };
  const root = toNode(schema);
  expect(findProblems(root).get(problemKey(root.id, ''))).toMatch(/nested deeper than 16/);
});

it('changing the type drops its rules, and a copy keeps them', () => {
  const root = toNode({
    type: 'object',
    properties: { a: { type: 'string', description: 'A', pattern: '^a', not: { const: 'b' }, 'x-y': 1 } },
  });
  const id = idOf(root, 'a');
  const copied = nodes.duplicateProperty(root, id);
  expect(toParameters(copied).properties?.a_2).toEqual(toParameters(root).properties?.a);
  const changed = nodes.changeNode(root, id, (node) => nodes.changeType(node, 'integer'));
  expect(toParameters(changed).properties?.a).toEqual({ type: 'integer', description: 'A' });
  const any = nodes.changeNode(root, id, (node) => nodes.changeType(node, 'other'));
  expect(toParameters(any).properties?.a).toEqual({ description: 'A' });
});

it('a boolean schema stays boolean until it gets keywords', () => {
  const root = toNode({ type: 'object', properties: { a: true, b: false } });
  expect(toParameters(root).properties).toEqual({ a: true, b: false });
  const described = ['a', 'b'].reduce(
    (tree, name) => nodes.changeNode(tree, idOf(tree, name), (node) => nodes.setKeyword(node, 'description', 'D')),
    root,
  );
  expect(toParameters(described).properties).toEqual({ a: { description: 'D' }, b: { not: {}, description: 'D' } });
});

it('rules without a field are parsed from JSON, and invalid JSON is reported', () => {
  const root = toNode({ type: 'object', properties: { a: { type: 'string', not: { const: 'b' } } } });
  const id = idOf(root, 'a');
  const typed = (text: string) => nodes.changeNode(root, id, (node) => nodes.setOther(node, text));
  expect(findProblems(typed('{"not": ')).get(problemKey(id, 'other'))).toMatch(/^This is not valid JSON/);
  expect(toParameters(typed('{"not": ')).properties?.a).toEqual({ type: 'string', not: { const: 'b' } });
  expect(findProblems(typed('[]')).get(problemKey(id, 'other'))).toMatch(/^Write an object/);
  expect(findProblems(typed('{"type": "null"}')).get(problemKey(id, 'other'))).toMatch(/^“type” has its own field/);
  expect(findProblems(typed('{"$ref": "#/nowhere"}')).get(problemKey(id, 'other'))).toMatch(
    /^\$ref: this schema has nothing/,
  );
  expect(findProblems(typed('{"anyOf": [{"type": "x"}]}')).get(problemKey(id, 'other'))).toMatch(
    /^anyOf\.0\.type: must/,
  );
  expect(toParameters(typed('')).properties?.a).toEqual({ type: 'string' });
  expect(findProblems(typed('{"anyOf": [{"minLength": 1}], "default": null}')).get(problemKey(id, 'other'))).toMatch(
    /^default: must be a string/,
  );
});
