import type { JsonSchema } from './json-schema.ts';
import { isRecord, type SchemaDocument, type SchemaResource, whatCounts } from './schema-document.ts';

interface Visit {
  schema: JsonSchema;
  /** In the order of arrival. */
  number: number;
  /** The earliest schema that is known to be reached from here and leads back. */
  earliest: number;
  open: Located[];
}

/** Finds the schemas that lead back to themselves for one and the same value. Each schema is looked at once. */
export class SchemaCircles {
  readonly #document: SchemaDocument;
  readonly #visits = new Map<unknown, Visit>();
  readonly #inCircles = new Set<unknown>();
  /** Visited, and not yet known to be in a circle or in none. */
  readonly #undecided: Visit[] = [];
  readonly #isUndecided = new Set<Visit>();

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  has(schema: JsonSchema, resource: SchemaResource): boolean {
    if (!this.#visits.has(schema)) this.#explore(schema, resource);
    return this.#inCircles.has(schema);
  }

  /** Goes down every way once, as Tarjan finds the parts of a graph that are connected in both directions. */
  #explore(start: JsonSchema, resource: SchemaResource): void {
    const way = [this.#arrive(start, resource)];
    for (let here = way.at(-1); here; here = way.at(-1)) {
      const next = here.open.pop();
      if (!next) {
        way.pop();
        const before = way.at(-1);
        if (before) before.earliest = Math.min(before.earliest, here.earliest);
        if (here.earliest === here.number) this.#decide(here);
        continue;
      }
      if (!isRecord(next.schema)) continue;
      if (next.schema === here.schema) this.#inCircles.add(here.schema);
      const known = this.#visits.get(next.schema);
      if (!known) way.push(this.#arrive(next.schema, next.resource));
      else if (this.#isUndecided.has(known)) here.earliest = Math.min(here.earliest, known.number);
    }
  }

  #arrive(schema: JsonSchema, resource: SchemaResource): Visit {
    const number = this.#visits.size;
    const visit = { schema, number, earliest: number, open: sameValue(schema, this.#document, resource) };
    this.#visits.set(schema, visit);
    this.#undecided.push(visit);
    this.#isUndecided.add(visit);
    return visit;
  }

  /** All that came after the first one of a part, and is undecided, belongs to that part. */
  #decide(first: Visit): void {
    const isCircle = this.#undecided.at(-1) !== first;
    for (let each = this.#undecided.pop(); each; each = each === first ? undefined : this.#undecided.pop()) {
      this.#isUndecided.delete(each);
      if (isCircle) this.#inCircles.add(each.schema);
    }
  }
}

/** A schema, and where references in it begin. */
interface Located {
  schema: unknown;
  resource: SchemaResource;
}

/** The schemas that are asked about the same value. */
function sameValue(written: JsonSchema, document: SchemaDocument, outer: SchemaResource): Located[] {
  const resource = document.resourceOf(written, outer);
  const schema = whatCounts(written, resource);
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
