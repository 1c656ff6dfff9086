import type {
  JsonSchemaDefinition,
  SubSchema,
  ToolInputSchema,
} from '../../../../src/agents/exposes/tool-parameters.ts';
import { newId } from '../../../../src/base/ids.ts';
import type { UnreadText } from '../../../parts/schema-form/form-value.ts';
import { isRecord } from '../../../parts/schema-form/schema-parts.ts';

/** `other`: of several types or none, which only its JSON says. */
export type ParameterType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'other';

/** What a person typed for a keyword, also before it can be read. */
export type Typed = string | number | boolean | UnreadText;

/**
 * A schema while it is built. Its parts have ids, so that a property can have no name yet, or that of another, and a
 * field keeps the focus while its property is renamed.
 */
export interface SchemaNode {
  id: string;
  keywords: Keywords;
  /** What the builder has no field for, as it came. */
  other: Readonly<Record<string, unknown>>;
  /** What was typed in its place, while that cannot be read. */
  otherText?: string;
  /** The keywords in the order of the schema; new ones come last. */
  order: readonly string[];
  /** A schema that is only `true` or `false`. */
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
  /** Ids of nodes. */
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

/** What a parameter of each type may say of itself, in the order in which it is shown. */
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
  const own: readonly string[] = keywordsOf[type];
  const isHead = keyword === 'description' || (keyword === 'type' && type !== 'other');
  return isHead || own.includes(keyword) || (structure[type] ?? []).includes(keyword);
}

/** `before`: parts that are still there keep their ids. */
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
    // Each keyword of the schema has its counterpart of the same name.
    keywords: { ...(Object.fromEntries(keywords) as Partial<Keywords>), type },
    other: Object.fromEntries(other),
    order: Object.keys(schema),
  };
}

/** The schema of a whole tool. */
export function toParameters(root: SchemaNode): ToolInputSchema {
  // The root is an object, and the builder offers no other type for it.
  return toSchema(root) as ToolInputSchema;
}

/** What cannot be said as a schema (two properties of one name, text that is no number) is named by `findProblems`. */
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
  const own = type === 'other' ? known.filter(([key]) => key !== 'type') : known;
  const all = new Map([...own, ...Object.entries(verdict === false ? { not: {}, ...other } : other)]);
  const ordered = [...order.filter((key) => all.has(key)), ...[...all.keys()].filter((key) => !order.includes(key))];
  // The reverse of `toNode`; what was typed since then is checked by `findProblems` before anybody uses it.
  return Object.fromEntries(ordered.map((key) => [key, all.get(key)]));
}

/** The nodes right below, in the order in which they are shown. */
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

/** A keyword may be written in ways that its field cannot show. */
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
  // `isEditable` has seen to it that these are schemas, and `ToolInputSchema` to the rest.
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

/** The same name is the same property; of the others, the one in the same place was renamed. */
function propertyNodes(schemas: Record<string, SubSchema>, before: readonly PropertyNode[] = []): PropertyNode[] {
  const byName = new Map(before.map((property) => [property.name, property.node]));
  return Object.entries(schemas).map(([name, schema], index) => {
    const inPlace = before[index];
    const isFree = inPlace !== undefined && !Object.hasOwn(schemas, inPlace.name);
    return { name, node: toNode(schema, byName.get(name) ?? (isFree ? inPlace.node : undefined)) };
  });
}
