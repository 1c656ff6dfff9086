import { isRecord } from '../../../src/base/is-record.ts';
import type { JsonSchema } from '../../../src/base/json-schema/json-schema.ts';

/** A schema with its references resolved and its `allOf` merged. */
export interface OpenedSchema {
  schema: JsonSchema;
  /** The references followed so far; a repeated one is a cycle. */
  path: readonly string[];
  isCircular: boolean;
}

const maxSteps = 20;

/** Resolves `$ref` within the document (`#/$defs/x`). An external or broken reference allows everything. */
export function openSchema(schema: unknown, root: JsonSchema, path: readonly string[] = []): OpenedSchema {
  let opened = asSchema(schema);
  let walked = path;
  for (let step = 0; typeof opened.$ref === 'string' && step < maxSteps; step += 1) {
    const { $ref, ...beside } = opened;
    if (walked.includes($ref)) return { schema: beside, path: walked, isCircular: true };
    walked = [...walked, $ref];
    opened = { ...asSchema(findPointer(root, $ref)), ...beside };
  }
  if (Array.isArray(opened.allOf)) {
    const { allOf, ...rest } = opened;
    const parts = (opened.allOf as unknown[]).map((part) => openSchema(part, root, walked));
    if (parts.some((part) => part.isCircular)) return { schema: rest, path: walked, isCircular: true };
    opened = parts.reduce<JsonSchema>((all, part) => mergeSchemas(all, part.schema), rest);
    walked = [...new Set([...walked, ...parts.flatMap((part) => part.path)])];
  }
  return { schema: opened, path: walked, isCircular: false };
}

/** Returns the allowed types without `null`; empty if unspecified. */
export function typesOf(schema: JsonSchema): { types: string[]; isNullable: boolean } {
  const named = [schema.type].flat().filter((type) => typeof type === 'string');
  const types = named.filter((type) => type !== 'null');
  return {
    types: types.length === 0 && isRecord(schema.properties) ? ['object'] : types,
    isNullable: named.includes('null'),
  };
}

/** Returns the alternatives, if any. */
export function variantsOf(schema: JsonSchema): unknown[] | undefined {
  const list = schema.oneOf ?? schema.anyOf;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function requiredOf(schema: JsonSchema): Set<unknown> {
  return new Set(Array.isArray(schema.required) ? schema.required : []);
}

/** `true` and `{}` allow everything. */
function asSchema(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}

function mergeSchemas(left: JsonSchema, right: JsonSchema): JsonSchema {
  const properties = { ...asSchema(left.properties), ...asSchema(right.properties) };
  const required = [...requiredOf(left), ...requiredOf(right)];
  return {
    ...right,
    ...left,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function findPointer(root: JsonSchema, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decodePart(part);
    if (Array.isArray(found)) found = found[Number(key)];
    else if (isRecord(found) && Object.hasOwn(found, key)) found = found[key];
    else return undefined;
  }
  return found;
}

function decodePart(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // An invalid escape stays as it is.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}
