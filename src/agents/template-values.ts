import { nearest } from '../base/nearest.ts';
import type { JsonSchemaDefinition, ToolInputSchema } from './tool-parameters.ts';

/** What a template may name beside the parameters. A parameter of the same name wins. */
export interface TemplateTool {
  name: string;
  description?: string | undefined;
  version?: string | undefined;
  parameters: ToolInputSchema;
}

/** A number is a place in a list. */
type Step = string | number;

type Resolved =
  | { kind: 'tool'; key: (typeof toolWords)[number] }
  | { kind: 'parameter'; steps: readonly Step[]; schema: JsonSchemaDefinition | undefined }
  | { kind: 'unknown'; problem: string };

const toolWords = ['name', 'description', 'version'] as const;
/** No name of a part of a part is longer. */
const longest = 1_000;
const place = /^(?:0|[1-9][0-9]{0,8})$/;

/** What a reference means for this tool, whatever a call will say; or a sentence on why it means nothing. */
export function resolveReference(path: string, tool: TemplateTool): Resolved {
  const word = toolWords.find((each) => each === path);
  if (word !== undefined && !Object.hasOwn(tool.parameters.properties ?? {}, word)) return { kind: 'tool', key: word };
  if (path.length > longest) return { kind: 'unknown', problem: `{${shorten(path)}} is no parameter of the tool.` };
  return resolveIn(tool.parameters, path.split('.'), []);
}

/** The value of a reference in one call; undefined where it was not given and has no default. */
export function referencedValue(
  resolved: Exclude<Resolved, { kind: 'unknown' }>,
  tool: TemplateTool,
  parameters: Readonly<Record<string, unknown>>,
): unknown {
  if (resolved.kind === 'tool') return tool[resolved.key];
  let value: unknown = parameters;
  for (const step of resolved.steps) {
    // A list that is too short has no such item, whatever an item of it would be by default.
    if (typeof step === 'number' && !(Array.isArray(value) && step < value.length)) return undefined;
    value = partOf(value, String(step));
  }
  if (value !== undefined) return value;
  const { schema } = resolved;
  return schema && 'default' in schema ? schema.default : undefined;
}

function partOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  // The length of a list is its own, and no part of it.
  return Array.isArray(value) && !place.test(key) ? undefined : (value as Record<string, unknown>)[key];
}

function resolveIn(
  schema: JsonSchemaDefinition | undefined,
  segments: readonly string[],
  before: readonly Step[],
): Exclude<Resolved, { kind: 'tool' }> {
  const [first] = segments;
  if (first === undefined || schema === undefined) {
    return { kind: 'parameter', steps: [...before, ...segments], schema: first === undefined ? schema : undefined };
  }
  const parent = before.join('.');
  const unknown = (why: string): Resolved & { kind: 'unknown' } => ({
    kind: 'unknown',
    problem: `{${shorten([...before, ...segments].join('.'))}}${why}`,
  });
  switch (schema.type) {
    case 'object':
      return resolveProperty(schema, segments, before) ?? unknown(noSuchName(schema, segments, before));
    case 'array': {
      const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
      const most = Math.min(maxItems, Array.isArray(items) ? items.length : Number.POSITIVE_INFINITY);
      if (!place.test(first)) return unknown(`: "${parent}" is a list; name a place in it, such as {${parent}.0}.`);
      if (Number(first) >= most) return unknown(`: "${parent}" has at most ${most} items, and the first is 0.`);
      return resolveIn(Array.isArray(items) ? items[Number(first)] : items, segments.slice(1), [
        ...before,
        Number(first),
      ]);
    }
    default:
      return unknown(`: "${parent}" is of type ${schema.type} and has no parts.`);
  }
}

/** A name may hold dots: the longest one that is there counts. */
function resolveProperty(
  schema: ToolInputSchema,
  segments: readonly string[],
  before: readonly Step[],
): Exclude<Resolved, { kind: 'tool' }> | undefined {
  const { properties = {}, additionalProperties: others } = schema;
  let failed: Exclude<Resolved, { kind: 'tool' }> | undefined;
  for (let length = segments.length; length > 0; length -= 1) {
    const name = segments.slice(0, length).join('.');
    if (!Object.hasOwn(properties, name)) continue;
    const found = resolveIn(properties[name], segments.slice(length), [...before, name]);
    if (found.kind === 'parameter') return found;
    failed ??= found;
  }
  if (failed || others === undefined || others === false || segments[0] === '') return failed;
  return resolveIn(others === true ? undefined : others, segments.slice(1), [...before, segments[0] ?? '']);
}

function noSuchName(schema: ToolInputSchema, segments: readonly string[], before: readonly Step[]): string {
  const [first = ''] = segments;
  const isRoot = before.length === 0;
  const names = [...Object.keys(schema.properties ?? {}), ...(isRoot ? toolWords : [])];
  const near = nearest(first.trim(), names);
  const meant = near === undefined ? '' : `; did you mean {${[...before, near].join('.')}}?`;
  const why = isRoot ? ' is no parameter of the tool' : `: "${before.join('.')}" has no property "${shorten(first)}"`;
  const literal = near === undefined && /[^\w.-]|^$/.test(first) ? ' Write {{ and }} for braces that are text.' : '';
  return `${why}${meant || '.'}${literal}`;
}

function shorten(text: string): string {
  const oneLine = text.replace(/\s+/g, ' ');
  return oneLine.length > 60 ? `${oneLine.slice(0, 60)}…` : oneLine;
}
