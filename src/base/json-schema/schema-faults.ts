import { isRecord } from '../is-record.ts';
import type { FieldIssue } from '../validate.ts';
import { LinearPattern } from './linear-pattern.ts';
import { PatternFault } from './read-pattern.ts';
import {
  childSchemas,
  effectiveSchema,
  maxAddressLength,
  SchemaDocument,
  type SchemaObject,
  type SchemaResource,
  schemaKeywords,
  schemaListKeywords,
  schemaMapKeywords,
} from './schema-document.ts';

type Path = readonly (string | number)[];
export interface SchemaFault {
  path: Path;
  message: string;
}

/** Returns the faults that make a JSON Schema unusable, each with its path. */
export function schemaFaults(schema: unknown): FieldIssue[] {
  return findSchemaFaults(schema).map(({ path, message }) => ({ path: path.join('.'), message }));
}

const maxFaults = 20;

export function findSchemaFaults(schema: unknown): SchemaFault[] {
  let document: SchemaDocument;
  try {
    document = new SchemaDocument(schema);
  } catch (error) {
    if (error instanceof RangeError) return [{ path: [], message: error.message }];
    throw error;
  }
  const faults: SchemaFault[] = [];
  const cycles = new SchemaCycles(document);
  const open: { schema: unknown; path: Path; outer: SchemaResource }[] = [{ schema, path: [], outer: document.main }];
  for (let next = open.pop(); next && faults.length < maxFaults; next = open.pop()) {
    const { schema: each, path, outer } = next;
    if (typeof each === 'boolean') continue;
    if (!isRecord(each)) {
      faults.push({ path, message: 'must be a schema such as {"type": "string"}' });
      continue;
    }
    const resource = document.resourceOf(each, outer);
    faults.push(...keywordFaults(each, path).slice(0, maxFaults));
    faults.push(...referenceFaults({ schema: each, path, document, resource, cycles }));
    const inner = [...childSchemas(each)].reverse();
    for (const [step, child] of inner) open.push({ schema: child, path: [...path, ...step], outer: resource });
  }
  return faults;
}

function keywordFaults(schema: SchemaObject, path: Path): SchemaFault[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    const message = Object.hasOwn(shapes, key) ? shapes[key]?.(value) : undefined;
    if (message !== undefined) return [{ path: [...path, key], message }];
    return key === 'patternProperties' && isRecord(value)
      ? Object.keys(value).flatMap((source) => {
          const fault = patternFault(source);
          return fault === undefined ? [] : [{ path: [...path, key, source], message: fault }];
        })
      : [];
  });
}

interface References {
  schema: SchemaObject;
  path: Path;
  document: SchemaDocument;
  resource: SchemaResource;
  cycles: SchemaCycles;
}

function referenceFaults({ schema, path, document, resource, cycles }: References): SchemaFault[] {
  const broken = ['$ref', '$dynamicRef'].flatMap((key) => {
    const value = schema[key];
    if (typeof value !== 'string' || document.find(value, resource)) return [];
    if (value.length > maxAddressLength)
      return [{ path: [...path, key], message: `must not be longer than ${maxAddressLength} characters` }];
    const message = `this schema has nothing at "${value.slice(0, 80)}", and other documents are not fetched; define it under "$defs" and refer to "#/$defs/NAME"`;
    return [{ path: [...path, key], message }];
  });
  if (broken.length > 0 || !cycles.has(schema, resource)) return broken;
  return [{ path, message: 'refers to itself, so checking a value would never end' }];
}

type Shape = (value: unknown) => string | undefined;

const typeNames = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const rule =
  (holds: (value: unknown) => boolean, message: string): Shape =>
  (value) =>
    holds(value) ? undefined : message;
const text = rule((value) => typeof value === 'string', 'must be a string');
const boolean = rule((value) => typeof value === 'boolean', 'must be true or false');
const number = rule((value) => Number.isFinite(value), 'must be a number');
const count = rule((value) => Number.isInteger(value) && Number(value) >= 0, 'must be a whole number, 0 or more');
const names = rule(isListOfStrings, 'must be a list of names');
const isTypeName = (value: unknown) => typeNames.includes(String(value)) && typeof value === 'string';
const typeRule = 'must be string, number, integer, boolean, array, object or null';

const shapes: Record<string, Shape> = {
  ...each(
    schemaListKeywords,
    rule((value) => Array.isArray(value) && value.length > 0, 'must be a list of at least one schema'),
  ),
  ...each(schemaMapKeywords, rule(isRecord, 'must be an object whose values are schemas')),
  ...each(
    [...schemaKeywords].filter((key) => key !== 'items'),
    rule(isSchema, 'must be a schema such as {"type": "string"}'),
  ),
  items: rule(
    (value) => isSchema(value) || (Array.isArray(value) && value.length > 0),
    'must be a schema such as {"type": "string"}',
  ),
  ...each(['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'], count),
  ...each(['minProperties', 'maxProperties'], count),
  ...each(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], number),
  multipleOf: rule((value) => Number.isFinite(value) && Number(value) > 0, 'must be a number above 0'),
  ...each(
    ['$id', '$schema', '$ref', '$dynamicRef', '$anchor', '$dynamicAnchor', '$comment', 'title', 'description'],
    text,
  ),
  ...each(['format', 'contentEncoding', 'contentMediaType'], text),
  ...each(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'], boolean),
  ...each(['enum', 'examples'], rule(Array.isArray, 'must be a list')),
  required: names,
  dependentRequired: rule(
    (value) => isRecord(value) && Object.values(value).every(isListOfStrings),
    'must be an object whose values are lists of names',
  ),
  type(value) {
    if (isTypeName(value)) return undefined;
    if (!Array.isArray(value) || value.length === 0 || !value.every(isTypeName)) return typeRule;
    return new Set(value).size === value.length ? undefined : 'must not name a type twice';
  },
  pattern: (value) => (typeof value === 'string' ? patternFault(value) : 'must be a string'),
};

function patternFault(source: string): string | undefined {
  try {
    new LinearPattern(source);
    return undefined;
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    throw error;
  }
}

/** Known keywords whose values are not checked. */
const otherKeywords = ['const', 'default', '$vocabulary'];

export const schemaKeywordNames: readonly string[] = [...Object.keys(shapes), ...otherKeywords];
const known = new Set(schemaKeywordNames);

export function isSchemaKeyword(key: string): boolean {
  return known.has(key);
}

function each(keys: Iterable<string>, shape: Shape): Record<string, Shape> {
  return Object.fromEntries([...keys].map((key) => [key, shape]));
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isRecord(value);
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

interface Visit {
  schema: SchemaObject;
  /** The order of the first visit. */
  number: number;
  /** The lowest number of an undecided schema that can be reached from here. */
  earliest: number;
  open: Located[];
}

/** Finds the schemas that refer back to themselves for the same value. Visits each schema once. */
class SchemaCycles {
  readonly #document: SchemaDocument;
  readonly #visits = new Map<unknown, Visit>();
  readonly #inCycles = new Set<unknown>();
  /** The visited schemas that are not yet known to be in a cycle or outside. */
  readonly #undecided: Visit[] = [];
  readonly #isUndecided = new Set<Visit>();

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  has(schema: SchemaObject, resource: SchemaResource): boolean {
    if (!this.#visits.has(schema)) this.#explore(schema, resource);
    return this.#inCycles.has(schema);
  }

  /** Tarjan's algorithm for strongly connected components. */
  #explore(start: SchemaObject, resource: SchemaResource): void {
    const path = [this.#arrive(start, resource)];
    for (let here = path.at(-1); here; here = path.at(-1)) {
      const next = here.open.pop();
      if (!next) {
        path.pop();
        const before = path.at(-1);
        if (before) before.earliest = Math.min(before.earliest, here.earliest);
        if (here.earliest === here.number) this.#decide(here);
        continue;
      }
      if (!isRecord(next.schema)) continue;
      if (next.schema === here.schema) this.#inCycles.add(here.schema);
      const known = this.#visits.get(next.schema);
      if (!known) path.push(this.#arrive(next.schema, next.resource));
      else if (this.#isUndecided.has(known)) here.earliest = Math.min(here.earliest, known.number);
    }
  }

  #arrive(schema: SchemaObject, resource: SchemaResource): Visit {
    const number = this.#visits.size;
    const visit = { schema, number, earliest: number, open: schemasForSameValue(schema, this.#document, resource) };
    this.#visits.set(schema, visit);
    this.#undecided.push(visit);
    this.#isUndecided.add(visit);
    return visit;
  }

  /** All undecided schemas that were visited after the first one of a component belong to that component. */
  #decide(first: Visit): void {
    const isCycle = this.#undecided.at(-1) !== first;
    for (let each = this.#undecided.pop(); each; each = each === first ? undefined : this.#undecided.pop()) {
      this.#isUndecided.delete(each);
      if (isCycle) this.#inCycles.add(each.schema);
    }
  }
}

/** A schema and the resource that its references are relative to. */
interface Located {
  schema: unknown;
  resource: SchemaResource;
}

/** Returns the schemas that check the same value as this one. */
function schemasForSameValue(written: SchemaObject, document: SchemaDocument, outer: SchemaResource): Located[] {
  const resource = document.resourceOf(written, outer);
  const schema = effectiveSchema(written, resource);
  const listed = ['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
    Array.isArray(schema[key]) ? (schema[key] as unknown[]) : [],
  );
  const single = ['not', 'if', 'then', 'else'].flatMap((key) => (isRecord(schema[key]) ? [schema[key]] : []));
  const dependent = isRecord(schema.dependentSchemas) ? Object.values(schema.dependentSchemas) : [];
  const referred = ['$ref', '$dynamicRef'].flatMap((key) => {
    const found = typeof schema[key] === 'string' ? document.find(schema[key], resource) : undefined;
    return found ? [{ schema: found.schema, resource: found.resource }] : [];
  });
  return [...[...listed, ...single, ...dependent].map((each) => ({ schema: each, resource })), ...referred];
}
