import { dereference, type Schema, validate } from '@cfworker/json-schema';
import { HubError } from './hub-error.ts';
import { type JsonSchema, refuse } from './json-schema.ts';
import { isSafePattern } from './safe-pattern.ts';

/** Formats whose check takes no longer than reading the text. */
const formats = new Set(['date', 'time', 'date-time', 'duration', 'uri', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);
/** How often one check may follow a `$ref`: references to references can ask for more steps than there are atoms. */
const mostReferences = 10_000;
const deepest = 200;
const mostCompared = 1_000;

/**
 * A check by a schema that came from outside. It never fails for the schema's sake, takes bounded time, and asks nobody:
 * a pattern that may take forever is left to whoever wrote it, and of a schema that cannot be used (a reference to nowhere,
 * rules that are none) only "an object" is left. Throws INVALID_ARGUMENTS that names path and rule.
 */
export function compileForeignSchema(schema: JsonSchema): (value: unknown) => void {
  let check: ((value: unknown) => void) | undefined;
  return (value) => {
    check ??= compile(schema);
    try {
      check(value);
    } catch (error) {
      if (error instanceof HubError) throw error;
      // Too many steps are the fault of the schema, and would be as many next time; anything else may be the value's.
      if (error instanceof RangeError) check = requireObject;
      requireObject(value);
    }
  };
}

function compile(schema: JsonSchema): (value: unknown) => void {
  try {
    // A copy: the library marks what it has seen, and the server's own object goes to clients.
    const usable = withoutHostile(schema, 0) as Schema;
    const known = dereference(usable);
    return (value) => {
      requireObject(value);
      let left = mostReferences;
      const counted = new Proxy(known, {
        get(target, key) {
          left -= 1;
          if (left < 0) throw new RangeError('The schema follows too many references.');
          return Reflect.get(target, key);
        },
      });
      refuse(validate(value, usable, '2020-12', counted, false));
    };
  } catch {
    return requireObject;
  }
}

function requireObject(value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  const message = 'must be an object';
  throw new HubError('INVALID_ARGUMENTS', message, { details: { issues: [{ path: '', message }] } });
}

/** Keywords whose value is data, which looks like a schema at most by chance. */
const data = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired']);
/** Keywords whose value has names of properties as keys. */
const byName = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

function withoutHostile(schema: unknown, depth: number): unknown {
  if (depth > deepest) throw new RangeError('The schema is nested too deep.');
  if (Array.isArray(schema)) return schema.map((each) => withoutHostile(each, depth + 1));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { patternProperties, ...rest } = schema as JsonSchema;
  const entries = Object.entries(rest).flatMap(([key, value]): [string, unknown][] => {
    if (data.has(key)) return [[key, value]];
    if (key === '$recursiveRef' || key === '$recursiveAnchor') return [];
    if (key === 'pattern') return typeof value === 'string' && isSafePattern(value) ? [[key, value]] : [];
    // The library compares each with each.
    if (key === 'uniqueItems') return Number(rest.maxItems) <= mostCompared ? [[key, value]] : [];
    if (key === 'format') return typeof value === 'string' && formats.has(value) ? [[key, value]] : [];
    if (byName.has(key) && isRecord(value)) return [[key, mapValues(value, depth)]];
    return [[key, withoutHostile(value, depth + 1)]];
  });
  if (!isRecord(patternProperties)) return Object.fromEntries(entries);
  if (Object.keys(patternProperties).every(isSafePattern))
    return Object.fromEntries([...entries, ['patternProperties', mapValues(patternProperties, depth)]]);
  // Without the patterns nobody knows which properties are additional.
  return Object.fromEntries(entries.filter(([key]) => !/^(additional|unevaluated)Properties$/.test(key)));
}

function mapValues(value: JsonSchema, depth: number): JsonSchema {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutHostile(each, depth + 2)]));
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
