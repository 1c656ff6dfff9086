import { isRecord } from '../../base/is-record.ts';
import { followPointer } from '../../base/json-schema/schema-document.ts';
import type { JsonSchemaDefinition, SchemaType, SubSchema } from './tool-parameters.ts';

/** The maximum number of views, because a few references can expand to millions of schemas. */
const maxViews = 100;

/**
 * Returns all schemas that may apply to one value: the schema itself, its references within the document, and its alternatives.
 * Empty for a schema without rules.
 */
export function viewsOf(schema: SubSchema | undefined, root: JsonSchemaDefinition): JsonSchemaDefinition[] {
  const views = new Set<JsonSchemaDefinition>();
  const open: unknown[] = [schema];
  for (let next = open.shift(); open.length > 0 || next !== undefined; next = open.shift()) {
    if (!isRecord(next) || views.has(next) || views.size >= maxViews) continue;
    views.add(next);
    const { $ref, allOf, anyOf, oneOf } = next;
    if (typeof $ref === 'string') open.push(referred($ref, root));
    for (const list of [allOf, anyOf, oneOf]) if (Array.isArray(list)) open.push(...list);
    // Conditional schemas may apply too.
    open.push(next.if, next.then, next.else);
    if (isRecord(next.dependentSchemas)) open.push(...Object.values(next.dependentSchemas));
  }
  return [...views].filter((view) => Object.keys(view).length > 0);
}

/** Returns the types that the views name or imply by their keywords. */
export function typesOf(views: readonly JsonSchemaDefinition[]): Set<SchemaType> {
  const types = views.flatMap((view): SchemaType[] => {
    if (view.type !== undefined) return [view.type].flat();
    if (isRecord(view.properties) || isRecord(view.patternProperties)) return ['object'];
    return view.items !== undefined || view.prefixItems !== undefined ? ['array'] : [];
  });
  return new Set(types);
}

function referred(reference: string, root: JsonSchemaDefinition): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  try {
    return followPointer(decodeURIComponent(reference.slice(1)), root);
  } catch {
    return undefined;
  }
}
