import { isRecord } from '../../../src/base/is-record.ts';
import type { JsonSchema } from '../../../src/base/json-schema/json-schema.ts';
import { numberOf, openSchema, requiredOf, textOf, typesOf, variantsOf } from './schema-parts.ts';

interface Common {
  title: string | undefined;
  description: string | undefined;
  isNullable: boolean;
  /** Undefined if the schema has none. */
  defaultValue: unknown;
}

export interface ObjectProperty {
  name: string;
  isRequired: boolean;
  field: SchemaField;
}

interface Choice {
  label: string;
  value: unknown;
}

/** What a form shows for a schema. A schema without a matching control becomes `json`, a JSON text field. */
export type SchemaField = Common &
  (
    | { kind: 'text'; isLong: boolean; format: string | undefined; limits: TextLimits }
    | { kind: 'number'; isWhole: boolean; limits: NumberLimits }
    | { kind: 'boolean' }
    | { kind: 'choice'; options: Choice[] }
    | { kind: 'list'; item: SchemaField; min: number | undefined; max: number | undefined }
    | { kind: 'object'; properties: ObjectProperty[] }
    | { kind: 'variants'; options: { label: string; field: SchemaField }[] }
    | { kind: 'json' }
  );

export interface TextLimits {
  min: number | undefined;
  max: number | undefined;
  pattern: string | undefined;
}

export interface NumberLimits {
  min: number | undefined;
  max: number | undefined;
  above: number | undefined;
  below: number | undefined;
  step: number | undefined;
}

const maxDepth = 10;
/** Schemas are untrusted: a few references can expand to millions of fields. */
const maxFields = 2_000;
const longNames =
  /(?:^|_)(?:content|text|body|prompt|message|description|code|script|markdown|html|sql|details|notes?|comment|reasoning)$|Text$/i;

interface Walk {
  root: JsonSchema;
  count: number;
}

export function fieldOf(schema: JsonSchema): SchemaField {
  return walkField(schema, { root: schema, count: 0 }, { name: '', depth: 0, path: [] });
}

interface Position {
  name: string;
  depth: number;
  path: readonly string[];
}

function walkField(raw: unknown, walk: Walk, position: Position): SchemaField {
  const { schema, path, isCircular } = openSchema(raw, walk.root, position.path);
  const { types, isNullable } = typesOf(schema);
  const common: Common = {
    title: textOf(schema.title),
    description: textOf(schema.description),
    isNullable,
    defaultValue: schema.default,
  };
  walk.count += 1;
  if (isCircular || position.depth > maxDepth || walk.count > maxFields) return { ...common, kind: 'json' };
  const inner = (name: string): Position => ({ name, depth: position.depth + 1, path });
  const choices = choicesOf(schema, walk.root);
  if (choices) return { ...common, ...choices, isNullable: isNullable || choices.isNullable };
  const variants = variantsOf(schema);
  if (variants) return variantsField({ schema, variants, common, walk, position: inner(position.name) });
  if (types.length > 1) {
    const options = types.map((type) => ({
      label: type,
      field: walkField({ ...schema, type, default: undefined }, walk, inner(position.name)),
    }));
    return { ...common, kind: 'variants', options };
  }
  switch (types[0]) {
    case 'string':
      return { ...common, ...textField(schema, position.name) };
    case 'number':
    case 'integer':
      return { ...common, kind: 'number', isWhole: types[0] === 'integer', limits: numberLimits(schema) };
    case 'boolean':
      return { ...common, kind: 'boolean' };
    case 'array':
      if (!isRecord(schema.items) || schema.prefixItems !== undefined) return { ...common, kind: 'json' };
      return {
        ...common,
        kind: 'list',
        item: walkField(schema.items, walk, inner(position.name)),
        min: numberOf(schema.minItems),
        max: numberOf(schema.maxItems),
      };
    case 'object':
      return objectField({ schema, common, walk, position: inner('') });
    default:
      return { ...common, kind: 'json' };
  }
}

function objectField(parts: { schema: JsonSchema; common: Common; walk: Walk; position: Position }): SchemaField {
  const { schema, common, walk, position } = parts;
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  // A map with free keys becomes a JSON field, except at the root.
  const isMap = properties.length === 0 && schema.additionalProperties !== false;
  if (isMap && position.depth > 1) return { ...common, kind: 'json' };
  const required = requiredOf(schema);
  return {
    ...common,
    kind: 'object',
    properties: properties.map(([name, property]) => ({
      name,
      isRequired: required.has(name),
      field: walkField(property, walk, { ...position, name }),
    })),
  };
}

function textField(
  schema: JsonSchema,
  name: string,
): { kind: 'text'; isLong: boolean; format: string | undefined; limits: TextLimits } {
  const max = numberOf(schema.maxLength);
  const format = schema.writeOnly === true ? 'password' : textOf(schema.format);
  return {
    kind: 'text',
    isLong: format === undefined && (max === undefined || max >= 300) && longNames.test(name),
    format,
    limits: { min: numberOf(schema.minLength), max, pattern: textOf(schema.pattern) },
  };
}

function numberLimits(schema: JsonSchema): NumberLimits {
  return {
    min: numberOf(schema.minimum),
    max: numberOf(schema.maximum),
    above: numberOf(schema.exclusiveMinimum),
    below: numberOf(schema.exclusiveMaximum),
    step: numberOf(schema.multipleOf),
  };
}

/** Returns the options of `enum`, `const`, or alternatives with one value each. */
function choicesOf(
  schema: JsonSchema,
  root: JsonSchema,
): { kind: 'choice'; options: Choice[]; isNullable: boolean } | undefined {
  if (Array.isArray(schema.enum)) return choiceField(schema.enum.map((value) => ({ value, label: labelOf(value) })));
  if ('const' in schema) return choiceField([{ value: schema.const, label: labelOf(schema.const) }]);
  const options = variantsOf(schema)?.map((each) => openSchema(each, root).schema);
  if (!options?.every((each) => 'const' in each)) return undefined;
  return choiceField(options.map((each) => ({ value: each.const, label: textOf(each.title) ?? labelOf(each.const) })));
}

function choiceField(all: Choice[]): { kind: 'choice'; options: Choice[]; isNullable: boolean } {
  const options = all.filter(({ value }) => value !== null);
  return { kind: 'choice', options, isNullable: options.length < all.length };
}

interface VariantParts {
  schema: JsonSchema;
  variants: unknown[];
  common: Common;
  walk: Walk;
  position: Position;
}

function variantsField({ schema, variants, common, walk, position }: VariantParts): SchemaField {
  const { oneOf: _one, anyOf: _any, title: _title, description: _description, default: _default, ...base } = schema;
  const hasBase = isRecord(base.properties);
  const opened = variants.map((each) => openSchema(each, walk.root, position.path));
  const nonNull = opened.filter((each) => each.schema.type !== 'null');
  const isNullable = common.isNullable || nonNull.length < opened.length;
  const fields = nonNull.map(({ schema: each, path }, index) => {
    const whole = hasBase ? { ...base, allOf: [each] } : each;
    return {
      label: variantLabel(each, index),
      field: walkField(whole, walk, { ...position, path }),
    };
  });
  const [only] = fields;
  if (only && fields.length === 1) return { ...only.field, ...defined(common), isNullable };
  return { ...common, isNullable, kind: 'variants', options: fields };
}

/** Returns the fields to prefer over those of a single alternative. */
function defined(common: Common): Partial<Common> {
  return {
    ...(common.title !== undefined && { title: common.title }),
    ...(common.description !== undefined && { description: common.description }),
    ...(common.defaultValue !== undefined && { defaultValue: common.defaultValue }),
  };
}

function variantLabel(schema: JsonSchema, index: number): string {
  const title = textOf(schema.title);
  if (title) return title;
  for (const [name, property] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    if (isRecord(property) && 'const' in property) return `${name}: ${labelOf(property.const)}`;
  }
  const { types } = typesOf(schema);
  return types.length > 0 ? types.join(' or ') : `Option ${index + 1}`;
}

export function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
