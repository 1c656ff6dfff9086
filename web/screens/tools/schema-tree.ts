import { isRecord } from '../../../src/base/is-record.ts';
import type { JsonSchema } from '../../../src/base/json-schema/json-schema.ts';
import { labelOf } from '../../parts/schema-form/schema-fields.ts';
import { numberOf, openSchema, requiredOf, textOf, typesOf, variantsOf } from '../../parts/schema-form/schema-parts.ts';

/** A readable property of a schema. */
export interface SchemaNode {
  name: string;
  /** For example `string`, `integer[]` or `object | null`. */
  type: string;
  isRequired: boolean;
  description: string | undefined;
  /** Limits, choices and the default, such as "1–200 characters" or "one of: a, b". */
  facts: string[];
  /** Nested properties. Properties of alternatives are named after them. */
  children: SchemaNode[];
}

const maxDepth = 10;
const maxNodes = 2_000;
const maxChoices = 40;

interface Walk {
  root: JsonSchema;
  count: number;
}

/** Returns the properties of an object schema with everything nested in them. */
export function describeSchema(schema: JsonSchema): SchemaNode[] {
  return childrenOf(schema, { root: schema, count: 0 }, { depth: 0, path: [] });
}

interface Position {
  depth: number;
  path: readonly string[];
}

function childrenOf(raw: unknown, walk: Walk, position: Position): SchemaNode[] {
  const { schema, path, isCircular } = openSchema(raw, walk.root, position.path);
  if (isCircular || position.depth > maxDepth) return [];
  const below = { depth: position.depth + 1, path };
  const required = requiredOf(schema);
  const properties = Object.entries(isRecord(schema.properties) ? schema.properties : {}).flatMap(([name, each]) =>
    toNode(name, { raw: each, isRequired: required.has(name) }, walk, below),
  );
  const map = isRecord(schema.additionalProperties)
    ? toNode('any other key', { raw: schema.additionalProperties, isRequired: false }, walk, below)
    : [];
  const items = isRecord(schema.items) ? childrenOf(schema.items, walk, below) : [];
  return [...properties, ...map, ...items, ...alternatives(schema, walk, below)];
}

function toNode(name: string, of: { raw: unknown; isRequired: boolean }, walk: Walk, position: Position): SchemaNode[] {
  walk.count += 1;
  if (walk.count > maxNodes) return [];
  // Opened on its own, so that a circular reference still has a type.
  const { schema } = openSchema(of.raw, walk.root);
  return [
    {
      name,
      type: typeName(schema, walk.root),
      isRequired: of.isRequired,
      description: textOf(schema.description) ?? textOf(schema.title),
      facts: factsOf(schema, walk.root),
      children: childrenOf(of.raw, walk, position),
    },
  ];
}

/** Returns alternatives with nested properties. The others are part of the type name. */
function alternatives(schema: JsonSchema, walk: Walk, position: Position): SchemaNode[] {
  const variants = variantsOf(schema)?.map((each) => openSchema(each, walk.root, position.path)) ?? [];
  const withParts = variants.filter(({ schema: each, isCircular }) => !isCircular && hasParts(each));
  if (withParts.length === 1) return withParts.flatMap((each) => childrenOf(each.schema, walk, position));
  return withParts.flatMap(({ schema: each, path }, index) => {
    const name = textOf(each.title) ?? `either ${index + 1}`;
    return toNode(name, { raw: each, isRequired: false }, walk, { ...position, path });
  });
}

function hasParts(schema: JsonSchema): boolean {
  return isRecord(schema.properties) || isRecord(schema.items);
}

function typeName(schema: JsonSchema, root: JsonSchema, depth = 0): string {
  const { types, isNullable } = typesOf(schema);
  const names = new Set<string>();
  for (const type of types) names.add(type === 'array' ? listName(schema, root, depth) : type);
  if (types.length === 0) {
    for (const each of depth > 3 ? [] : (variantsOf(schema) ?? []))
      names.add(typeName(openSchema(each, root).schema, root, depth + 1));
    const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
    for (const value of values) names.add(value === null ? 'null' : typeof value);
  }
  if (isNullable) names.add('null');
  return names.size === 0 ? 'anything' : [...names].join(' | ');
}

function listName(schema: JsonSchema, root: JsonSchema, depth: number): string {
  if (!isRecord(schema.items) || depth > 3) return 'array';
  const item = typeName(openSchema(schema.items, root).schema, root, depth + 1);
  return item.includes(' ') ? `(${item})[]` : `${item}[]`;
}

function factsOf(schema: JsonSchema, root: JsonSchema): string[] {
  const items = isRecord(schema.items) ? openSchema(schema.items, root).schema : undefined;
  const pattern = textOf(schema.pattern);
  const format = textOf(schema.format);
  return [
    ...choiceFacts(schema),
    ...(items ? [...choiceFacts(items), ...limitFacts(items).map((fact) => `each ${fact}`)] : []),
    ...limitFacts(schema),
    ...(format ? [`format ${format}`] : []),
    ...(pattern ? [`pattern ${pattern}`] : []),
    ...(schema.uniqueItems === true ? ['unique entries'] : []),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}

function choiceFacts(schema: JsonSchema): string[] {
  if ('const' in schema) return [`always ${JSON.stringify(schema.const)}`];
  if (!Array.isArray(schema.enum)) return [];
  const shown = schema.enum.slice(0, maxChoices).map(labelOf).join(', ');
  const rest = schema.enum.length - maxChoices;
  return [`one of: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`];
}

function limitFacts(schema: JsonSchema): string[] {
  const above = numberOf(schema.exclusiveMinimum);
  const below = numberOf(schema.exclusiveMaximum);
  const step = numberOf(schema.multipleOf);
  return [
    ...span(numberOf(schema.minLength), numberOf(schema.maxLength), ' characters'),
    ...span(numberOf(schema.minItems), numberOf(schema.maxItems), ' entries'),
    ...span(numberOf(schema.minimum), numberOf(schema.maximum), ''),
    ...(above === undefined ? [] : [`more than ${above}`]),
    ...(below === undefined ? [] : [`less than ${below}`]),
    ...(step === undefined ? [] : [`multiple of ${step}`]),
  ];
}

function span(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min !== undefined && max !== undefined) return [min === max ? `exactly ${min}${unit}` : `${min}–${max}${unit}`];
  if (min !== undefined) return [`at least ${min}${unit}`];
  return max === undefined ? [] : [`at most ${max}${unit}`];
}
