import { isRecord } from '../is-record.ts';

/** A schema that is not `true` or `false`. */
export type SchemaObject = { [key: string]: unknown };

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
export const schemaKeywords: ReadonlySet<string> = new Set([
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains', 'additionalProperties', 'unevaluatedProperties'],
  ...['propertyNames', 'not', 'if', 'then', 'else', 'contentSchema'],
]);
export const schemaListKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
export const schemaMapKeywords: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
]);

/** Yields the direct subschemas of a schema with their paths. Skips malformed keywords. */
export function* childSchemas(schema: SchemaObject): Generator<[path: (string | number)[], child: unknown]> {
  for (const [key, value] of Object.entries(schema)) {
    // Before draft 2020-12, `items` could be a list, with the meaning of today's `prefixItems`.
    if (schemaListKeywords.has(key) || (key === 'items' && Array.isArray(value))) {
      if (Array.isArray(value)) for (const [index, each] of value.entries()) yield [[key, index], each];
    } else if (schemaKeywords.has(key)) yield [[key], value];
    else if (schemaMapKeywords.has(key) && isRecord(value)) {
      for (const [name, each] of Object.entries(value)) if (!Array.isArray(each)) yield [[key, name], each];
    }
  }
}

/** A schema with its own identity (`$id`). References inside it are relative to this. */
export interface SchemaResource {
  uri: string;
  root: unknown;
  anchors: Map<string, SchemaObject>;
  dynamicAnchors: Map<string, SchemaObject>;
  /** Up to draft-07, keywords beside `$ref` are ignored. */
  ignoresBesideRef: boolean;
}

export interface FoundSchema {
  schema: unknown;
  resource: SchemaResource;
  /** Set for a reference that a `$dynamicAnchor` of this name may redirect. */
  dynamicName: string | undefined;
}

/** Limits the length of addresses, because every reference is resolved against one. */
export const maxAddressLength = 4_096;
const schemaLimits = { depth: 256, schemas: 20_000 } as const;
const draftsUntil07 = /^https?:\/\/json-schema\.org\/draft-0[1-7]\/(?:hyper-)?schema#?$/;

/** Returns the schema without the keywords that its draft ignores. */
export function effectiveSchema(schema: SchemaObject, { ignoresBesideRef }: SchemaResource): SchemaObject {
  return ignoresBesideRef && typeof schema.$ref === 'string' ? { $ref: schema.$ref } : schema;
}

/** Finds the schemas inside a schema by reference. Throws a RangeError for a schema that is unreasonably large. */
export class SchemaDocument {
  readonly main: SchemaResource;
  readonly #byUri = new Map<string, SchemaResource>();
  readonly #byRoot = new Map<unknown, SchemaResource>();

  constructor(root: unknown) {
    this.main = this.#addResource('schema:///', root, undefined);
    this.#read(root);
  }

  /** Returns the resource that a schema inside `outer` belongs to. */
  resourceOf(schema: unknown, outer: SchemaResource): SchemaResource {
    return this.#byRoot.get(schema) ?? outer;
  }

  /** Returns undefined for a reference that leads nowhere or to another document; never fetches anything. */
  find(reference: string, from: SchemaResource): FoundSchema | undefined {
    if (reference.length > maxAddressLength) return undefined;
    const [address, fragment] = split(reference, from.uri);
    const resource = address === undefined ? undefined : this.#byUri.get(address);
    if (!resource || fragment === undefined) return undefined;
    if (fragment === '') return { schema: resource.root, resource, dynamicName: undefined };
    if (fragment.startsWith('/')) return this.#followPointer(fragment, resource);
    const schema = resource.anchors.get(fragment);
    if (!schema) return undefined;
    return { schema, resource, dynamicName: resource.dynamicAnchors.has(fragment) ? fragment : undefined };
  }

  #followPointer(pointer: string, start: SchemaResource): FoundSchema | undefined {
    let resource = start;
    const schema = followPointer(pointer, start.root, (passed) => {
      resource = this.resourceOf(passed, resource);
    });
    if (typeof schema !== 'boolean' && !isRecord(schema)) return undefined;
    return { schema, resource, dynamicName: undefined };
  }

  #read(root: unknown): void {
    const open: { schema: unknown; outer: SchemaResource; depth: number }[] = [
      { schema: root, outer: this.main, depth: 1 },
    ];
    let count = 0;
    for (let next = open.pop(); next; next = open.pop()) {
      const { schema, outer, depth } = next;
      count += 1;
      if (count > schemaLimits.schemas) throw new RangeError(`has more than ${schemaLimits.schemas} schemas in it`);
      if (!isRecord(schema)) continue;
      if (depth > schemaLimits.depth) throw new RangeError(`is nested deeper than ${schemaLimits.depth} levels`);
      const resource = this.#identify(schema, outer);
      const { $id, $anchor, $dynamicAnchor } = effectiveSchema(schema, resource);
      // Up to draft-07, an anchor was written as an `$id` that begins with `#`.
      if (resource.ignoresBesideRef && typeof $id === 'string' && $id.startsWith('#'))
        setOnce(resource.anchors, $id.slice(1), schema);
      if (typeof $anchor === 'string') setOnce(resource.anchors, $anchor, schema);
      if (typeof $dynamicAnchor === 'string') {
        setOnce(resource.anchors, $dynamicAnchor, schema);
        setOnce(resource.dynamicAnchors, $dynamicAnchor, schema);
      }
      for (const [, child] of childSchemas(schema)) open.push({ schema: child, outer: resource, depth: depth + 1 });
    }
  }

  #identify(schema: SchemaObject, outer: SchemaResource): SchemaResource {
    const { $id } = effectiveSchema(schema, outer);
    if (typeof $id !== 'string' || $id.startsWith('#')) return outer;
    const isTooLong = $id.length > maxAddressLength;
    const [address] = isTooLong ? [] : split($id, outer.uri);
    if (isTooLong || (address !== undefined && address.length > maxAddressLength))
      throw new RangeError(`has an "$id" longer than ${maxAddressLength} characters`);
    if (address === undefined) return outer;
    if (schema !== this.main.root) return this.#addResource(address, schema, outer);
    this.main.uri = address;
    setOnce(this.#byUri, address, this.main);
    return this.main;
  }

  #addResource(uri: string, root: unknown, outer: SchemaResource | undefined): SchemaResource {
    const draft = isRecord(root) ? root.$schema : undefined;
    const ignoresBesideRef = typeof draft === 'string' ? draftsUntil07.test(draft) : (outer?.ignoresBesideRef ?? false);
    const resource: SchemaResource = { uri, root, anchors: new Map(), dynamicAnchors: new Map(), ignoresBesideRef };
    setOnce(this.#byUri, uri, resource);
    if (isRecord(root)) setOnce(this.#byRoot, root, resource);
    return resource;
  }
}

/** Returns the value at a JSON pointer such as `/$defs/a`, or undefined if there is none. */
export function followPointer(pointer: string, root: unknown, onPass: (value: unknown) => void = () => {}): unknown {
  let value: unknown = root;
  for (const step of pointer.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
    onPass(value);
  }
  return value;
}

function split(reference: string, base: string): [address?: string, fragment?: string] {
  try {
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = '';
    return [url.href, fragment];
  } catch {
    return [];
  }
}

function setOnce<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (!map.has(key)) map.set(key, value);
}
