import type {
  JsonSchemaDefinition,
  SubSchema,
  ToolInputSchema,
} from '../../../../src/agents/exposes/tool-parameters.ts';
import { newId } from '../../../../src/base/ids.ts';
import { isRecord } from '../../../../src/base/is-record.ts';
import type { UnreadText } from '../../../parts/schema-form/form-value.ts';

/** `other` stands for several types or none; only the JSON shows them. */
export type ParameterType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'other';

/** A keyword's value as typed, even if it cannot be parsed yet. */
export type Typed = string | number | boolean | UnreadText;

/**
 * A schema while it is edited. Its parts have ids, so that property names may be empty or duplicate for a while, and a
 * field keeps focus during a rename.
 */
export interface SchemaNode {
  id: string;
  keywords: Keywords;
  /** Keywords without a field, unchanged. */
  other: Readonly<Record<string, unknown>>;
  /** The typed text, while it cannot be parsed. */
  otherText?: string;
  /** The keywords in the schema's order; new ones come last. */
  order: readonly string[];
  /** Set for a schema that is just `true` or `false`. */
  verdict?: boolean;
}

export interface PropertyNode {
  name: string;
  node: SchemaNode;
}

export interface Keywords {
  type: ParameterType;
  title?: string;
  description?: string;
  enum?: Typed[];
  default?: Typed;
  examples?: Typed[];
  minLength?: Typed;
  maxLength?: Typed;
  pattern?: Typed;
  format?: Typed;
  minimum?: Typed;
  maximum?: Typed;
  exclusiveMinimum?: Typed;
  exclusiveMaximum?: Typed;
  multipleOf?: Typed;
  items?: SchemaNode;
  prefixItems?: SchemaNode[];
  minItems?: Typed;
  maxItems?: Typed;
  uniqueItems?: boolean;
  properties?: PropertyNode[];
  /** Node ids. */
  required?: string[];
  additionalProperties?: boolean | SchemaNode;
  minProperties?: Typed;
  maxProperties?: Typed;
}

type NumberKeyword =
  | 'minLength'
  | 'maxLength'
  | 'minimum'
  | 'maximum'
  | 'minItems'
  | 'maxItems'
  | 'minProperties'
  | 'maxProperties'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'multipleOf';
export type OptionalKeyword =
  | NumberKeyword
  | 'pattern'
  | 'format'
  | 'title'
  | 'default'
  | 'enum'
  | 'examples'
  | 'uniqueItems'
  | 'additionalProperties';

const numberLimits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;

/** The optional keywords of each type, in display order. */
export const keywordsOf: Record<ParameterType, readonly OptionalKeyword[]> = {
  string: ['title', 'default', 'examples', 'enum', 'minLength', 'maxLength', 'pattern', 'format'],
  number: ['title', 'default', 'examples', 'enum', ...numberLimits],
  integer: ['title', 'default', 'examples', 'enum', ...numberLimits],
  boolean: ['title', 'default'],
  array: ['title', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['title', 'additionalProperties', 'minProperties', 'maxProperties'],
  other: ['title'],
};

const structure: Partial<Record<ParameterType, readonly string[]>> = {
  object: ['properties', 'required'],
  array: ['items', 'prefixItems'],
};

/** Whether the builder has a field for a keyword of a schema of this type. */
export function hasField(type: ParameterType, keyword: string): boolean {
  const optional: readonly string[] = keywordsOf[type];
  const isHead = keyword === 'description' || (keyword === 'type' && type !== 'other');
  return isHead || optional.includes(keyword) || (structure[type] ?? []).includes(keyword);
}

/** Converts a schema to a node. Parts that also exist in `before` keep their ids. */
export function toNode(schema: SubSchema, before?: SchemaNode): SchemaNode {
  const id = before?.id ?? newId('node');
  if (typeof schema === 'boolean') return { id, keywords: { type: 'other' }, other: {}, order: [], verdict: schema };
  const type = typeOf(schema);
  const properties = isRecord(schema.properties) ? propertyNodes(schema.properties, before?.keywords.properties) : [];
  const keywords: [string, unknown][] = [];
  const other: [string, unknown][] = [];
  for (const [key, value] of Object.entries(schema)) {
    const isEdited = hasField(type, key) && isEditable(key, value, schema);
    if (isEdited) keywords.push([key, part(key, value, { properties, before })]);
    else other.push([key, value]);
  }
  return {
    id,
    // Keywords have the same names in both.
    keywords: { ...(Object.fromEntries(keywords) as Partial<Keywords>), type },
    other: Object.fromEntries(other),
    order: Object.keys(schema),
  };
}

/** Returns the schema of a tool's parameters. */
export function toParameters(root: SchemaNode): ToolInputSchema {
  // The builder allows only an object at the root.
  return toSchema(root) as ToolInputSchema;
}

/** Converts a node to a schema. `findProblems` reports what a schema cannot express, such as duplicate names. */
export function toSchema(node: SchemaNode): SubSchema {
  const { keywords, other, order, verdict } = node;
  const { type, ...rest } = keywords;
  if (verdict !== undefined && Object.keys(rest).length === 0) return verdict;
  const { properties = [] } = keywords;
  const nameOf = new Map(properties.map((property) => [property.node.id, property.name]));
  const known = Object.entries(keywords).map(([key, value]: [string, unknown]): [string, unknown] => {
    if (key === 'properties') {
      return [key, Object.fromEntries(properties.map((property) => [property.name, toSchema(property.node)]))];
    }
    if (key === 'required') return [key, (keywords.required ?? []).map((id) => nameOf.get(id) ?? '')];
    if (key === 'additionalProperties' && typeof keywords.additionalProperties === 'object') {
      return [key, toSchema(keywords.additionalProperties)];
    }
    if (key === 'items' && keywords.items) return [key, toSchema(keywords.items)];
    if (key === 'prefixItems') return [key, (keywords.prefixItems ?? []).map(toSchema)];
    return [key, value];
  });
  const typed = type === 'other' ? known.filter(([key]) => key !== 'type') : known;
  const all = new Map([...typed, ...Object.entries(verdict === false ? { not: {}, ...other } : other)]);
  const ordered = [...order.filter((key) => all.has(key)), ...[...all.keys()].filter((key) => !order.includes(key))];
  // The reverse of `toNode`. `findProblems` checks new input before the schema is used.
  return Object.fromEntries(ordered.map((key) => [key, all.get(key)]));
}

/** Returns the direct children in display order. */
export function childrenOf({ keywords }: SchemaNode): SchemaNode[] {
  const { properties = [], items, prefixItems = [], additionalProperties: others } = keywords;
  return [
    ...properties.map((property) => property.node),
    ...prefixItems,
    ...(items ? [items] : []),
    ...(typeof others === 'object' ? [others] : []),
  ];
}

function typeOf({ type }: JsonSchemaDefinition): ParameterType {
  return typeof type === 'string' && type !== 'null' ? type : 'other';
}

/** Whether the keyword's field can show its value. */
function isEditable(key: string, value: unknown, { properties, type }: JsonSchemaDefinition): boolean {
  switch (key) {
    case 'required':
      return (value as string[]).every((name) => Object.hasOwn(properties ?? {}, name));
    case 'items':
      return isRecord(value);
    case 'prefixItems':
      return Array.isArray(value) && value.every(isRecord);
    case 'enum':
    case 'examples':
    case 'default':
      return [value].flat().every((each) => typeof each === (type === 'integer' ? 'number' : type));
    default:
      return true;
  }
}

interface Parts {
  properties: PropertyNode[];
  before: SchemaNode | undefined;
}

function part(key: string, value: unknown, { properties, before }: Parts): unknown {
  const old = before?.keywords;
  // `isEditable` and `ToolInputSchema` have checked the types.
  const schemas = value as JsonSchemaDefinition & JsonSchemaDefinition[] & string[];
  switch (key) {
    case 'properties':
      return properties;
    case 'required':
      return schemas.flatMap((name: string) => idOf(properties, name));
    case 'items':
      return toNode(schemas, old?.items);
    case 'prefixItems':
      return schemas.map((each: JsonSchemaDefinition, index) => toNode(each, old?.prefixItems?.[index]));
    case 'additionalProperties':
      return isRecord(value) ? toNode(value, asNode(old?.additionalProperties)) : value;
    default:
      return value;
  }
}

function asNode(value: boolean | SchemaNode | undefined): SchemaNode | undefined {
  return typeof value === 'object' ? value : undefined;
}

function idOf(properties: readonly PropertyNode[], name: string): string[] {
  const found = properties.find((property) => property.name === name);
  return found ? [found.node.id] : [];
}

/** Matches properties by name, then by position, which means a rename. */
function propertyNodes(schemas: Record<string, SubSchema>, before: readonly PropertyNode[] = []): PropertyNode[] {
  const byName = new Map(before.map((property) => [property.name, property.node]));
  return Object.entries(schemas).map(([name, schema], index) => {
    const inPlace = before[index];
    const isFree = inPlace !== undefined && !Object.hasOwn(schemas, inPlace.name);
    return { name, node: toNode(schema, byName.get(name) ?? (isFree ? inPlace.node : undefined)) };
  });
}
