import type { JsonSchemaDefinition, ToolInputSchema } from '../../src/agents/tool-parameters.ts';
import { newId } from '../../src/base/ids.ts';
import type { UnreadText } from '../schema-form/form-value.ts';

export type ParameterType = JsonSchemaDefinition['type'];

/** What a person typed for a keyword, also before it can be read. */
export type Typed = string | number | boolean | UnreadText;

/**
 * A schema while it is built. Its parts have ids, so that a property can have no name yet, or that of another, and a
 * field keeps the focus while its property is renamed. The order of the keywords is that of the schema.
 */
export interface SchemaNode {
  id: string;
  keywords: Keywords;
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
  minimum?: Typed;
  maximum?: Typed;
  items?: SchemaNode | SchemaNode[];
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

/** `before`: parts that are still there keep their ids. */
export function toNode(schema: JsonSchemaDefinition, before?: SchemaNode): SchemaNode {
  const properties =
    schema.type === 'object' && schema.properties ? propertyNodes(schema.properties, before?.keywords.properties) : [];
  const keywords = Object.entries(schema).map(([key, value]: [string, unknown]): [string, unknown] => {
    if (schema.type === 'object') {
      if (key === 'properties') return [key, properties];
      if (key === 'required') return [key, (schema.required ?? []).flatMap((name) => idOf(properties, name))];
      if (key === 'additionalProperties' && typeof schema.additionalProperties === 'object') {
        return [key, toNode(schema.additionalProperties, asNode(before?.keywords.additionalProperties))];
      }
    }
    if (schema.type === 'array' && key === 'items') {
      const old = before?.keywords.items;
      return Array.isArray(schema.items)
        ? [key, schema.items.map((each, index) => toNode(each, Array.isArray(old) ? old[index] : undefined))]
        : [key, toNode(schema.items, Array.isArray(old) ? undefined : old)];
    }
    return [key, value];
  });
  // Each keyword of the schema has its counterpart of the same name.
  return { id: before?.id ?? newId('node'), keywords: Object.fromEntries(keywords) as unknown as Keywords };
}

/** The schema of a whole tool. */
export function toParameters(root: SchemaNode): ToolInputSchema {
  // The root is an object, and the builder offers no other type for it.
  return toSchema(root) as ToolInputSchema;
}

/** What cannot be said as a schema (two properties of one name, text that is no number) is named by `findProblems`. */
export function toSchema(node: SchemaNode): JsonSchemaDefinition {
  const { keywords } = node;
  const { properties = [] } = keywords;
  const nameOf = new Map(properties.map((property) => [property.node.id, property.name]));
  const entries = Object.entries(keywords).map(([key, value]: [string, unknown]): [string, unknown] => {
    if (key === 'properties') {
      return [key, Object.fromEntries(properties.map((property) => [property.name, toSchema(property.node)]))];
    }
    if (key === 'required') return [key, (keywords.required ?? []).map((id) => nameOf.get(id) ?? '')];
    if (key === 'additionalProperties' && typeof keywords.additionalProperties === 'object') {
      return [key, toSchema(keywords.additionalProperties)];
    }
    if (key === 'items' && keywords.items) {
      const { items } = keywords;
      return [key, Array.isArray(items) ? items.map(toSchema) : toSchema(items)];
    }
    return [key, value];
  });
  // The reverse of `toNode`; what was typed since then is checked by `findProblems` before anybody uses it.
  return Object.fromEntries(entries) as unknown as JsonSchemaDefinition;
}

/** The nodes right below, in the order in which they are shown. */
export function childrenOf({ keywords }: SchemaNode): SchemaNode[] {
  const { properties = [], items = [], additionalProperties: others } = keywords;
  return [
    ...properties.map((property) => property.node),
    ...[items].flat(),
    ...(typeof others === 'object' ? [others] : []),
  ];
}

function asNode(value: boolean | SchemaNode | undefined): SchemaNode | undefined {
  return typeof value === 'object' ? value : undefined;
}

function idOf(properties: readonly PropertyNode[], name: string): string[] {
  const found = properties.find((property) => property.name === name);
  return found ? [found.node.id] : [];
}

/** The same name is the same property; of the others, the one in the same place was renamed. */
function propertyNodes(
  schemas: Record<string, JsonSchemaDefinition>,
  before: readonly PropertyNode[] = [],
): PropertyNode[] {
  const byName = new Map(before.map((property) => [property.name, property.node]));
  return Object.entries(schemas).map(([name, schema], index) => {
    const inPlace = before[index];
    const isFree = inPlace !== undefined && !Object.hasOwn(schemas, inPlace.name);
    return { name, node: toNode(schema, byName.get(name) ?? (isFree ? inPlace.node : undefined)) };
  });
}
