import { nearest } from '../../base/nearest.ts';
import { typesOf, viewsOf } from './schema-views.ts';
import type { JsonSchemaDefinition, SubSchema, ToolInputSchema } from './tool-parameters.ts';

/** The names that a template can use besides the parameters. A parameter of the same name wins. */
export interface TemplateTool {
  name: string;
  description?: string | undefined;
  version?: string | undefined;
  parameters: ToolInputSchema;
}

/** One step of a path. A number is a position in a list. */
type Step = string | number;

type Resolved =
  | { kind: 'tool'; key: (typeof toolWords)[number] }
  /** `views`: the schemas that apply (see `viewsOf`); empty if it may be anything. */
  | { kind: 'parameter'; steps: readonly Step[]; views: readonly JsonSchemaDefinition[] }
  /** `isNear`: it is probably a misspelt reference, not text in braces. */
  | { kind: 'unknown'; problem: string; isNear: boolean };

const toolWords = ['name', 'description', 'version'] as const;
/** Longer paths are rejected without a look-up. */
const maxPathCharacters = 1_000;
const indexPattern = /^(?:0|[1-9][0-9]{0,8})$/;

/** Resolves a reference for a tool, independently of a call, or explains why it is unknown. */
export function resolveReference(path: string, tool: TemplateTool): Resolved {
  const word = toolWords.find((each) => each === path);
  if (word !== undefined && !Object.hasOwn(tool.parameters.properties ?? {}, word)) return { kind: 'tool', key: word };
  if (path.length > maxPathCharacters)
    return { kind: 'unknown', problem: `{${shorten(path)}} is not a parameter of the tool.`, isNear: false };
  return resolveIn(tool.parameters, path.split('.'), { before: [], root: tool.parameters });
}

/** Returns the value of a reference in one call, or undefined if it has no value and no default. */
export function referencedValue(
  resolved: Exclude<Resolved, { kind: 'unknown' }>,
  tool: TemplateTool,
  parameters: Readonly<Record<string, unknown>>,
): unknown {
  if (resolved.kind === 'tool') return tool[resolved.key];
  let value: unknown = parameters;
  for (const step of resolved.steps) {
    // An item beyond the end of a list has no value, even if the item schema has a default.
    if (typeof step === 'number' && !(Array.isArray(value) && step < value.length)) return undefined;
    value = partOf(value, String(step));
  }
  if (value !== undefined) return value;
  return resolved.views.find((view) => 'default' in view)?.default;
}

function partOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  // `length` is a property of the list itself.
  return Array.isArray(value) && !indexPattern.test(key) ? undefined : (value as Record<string, unknown>)[key];
}

/** The state of a look-up: the path so far, and the document that references point into. */
interface Within {
  before: readonly Step[];
  root: JsonSchemaDefinition;
}

type Part = Exclude<Resolved, { kind: 'tool' }>;

function resolveIn(schema: SubSchema | undefined, segments: readonly string[], within: Within): Part {
  const [first] = segments;
  const { before } = within;
  const views = viewsOf(schema, within.root);
  if (first === undefined || views.length === 0) {
    return { kind: 'parameter', steps: [...before, ...segments], views: first === undefined ? views : [] };
  }
  const types = typesOf(views);
  // A schema without a type accepts values of any type that its rules do not cover.
  if (types.size === 0) return { kind: 'parameter', steps: [...before, ...segments], views: [] };
  const parent = before.join('.');
  const unknown = (why: string): Part => ({
    kind: 'unknown',
    problem: `{${shorten([...before, ...segments].join('.'))}}${why}`,
    isNear: before.length > 0 || nearName(views, first, before) !== undefined,
  });
  const asObject = types.has('object') ? resolveProperty(views, segments, within) : undefined;
  if (asObject?.kind === 'parameter') return asObject;
  if (types.has('array') && (indexPattern.test(first) || !types.has('object'))) {
    const maxItems = Math.min(...views.map(maxAllowedItems));
    if (!indexPattern.test(first)) return unknown(`: "${parent}" is a list; use an index, such as {${parent}.0}.`);
    if (Number(first) >= maxItems) return unknown(`: "${parent}" has at most ${maxItems} items, and the first is 0.`);
    const item = views.map((view) => itemAt(view, Number(first))).find((each) => each !== undefined);
    return resolveIn(item, segments.slice(1), { ...within, before: [...before, Number(first)] });
  }
  if (types.has('object')) return asObject ?? unknown(noSuchName(views, segments, before));
  return unknown(`: "${parent}" is of type ${[...types].join(' or ')} and has no parts.`);
}

function itemAt({ items, prefixItems }: JsonSchemaDefinition, index: number): SubSchema | undefined {
  const itemSchemas = prefixItems ?? (Array.isArray(items) ? items : []);
  return itemSchemas[index] ?? (Array.isArray(items) ? undefined : items);
}

/** A list with `prefixItems` may have further items, but a reference to one is probably a mistake. */
function maxAllowedItems({ items, prefixItems, maxItems = Number.POSITIVE_INFINITY }: JsonSchemaDefinition): number {
  const itemSchemas = Array.isArray(items) ? items : items === undefined || items === false ? prefixItems : undefined;
  return Math.min(maxItems, itemSchemas?.length ?? Number.POSITIVE_INFINITY);
}

/** Names may contain dots: the longest known name wins. */
function resolveProperty(
  views: readonly JsonSchemaDefinition[],
  segments: readonly string[],
  within: Within,
): Part | undefined {
  let failed: Part | undefined;
  for (let length = segments.length; length > 0; length -= 1) {
    const name = segments.slice(0, length).join('.');
    for (const { properties = {} } of views) {
      if (!Object.hasOwn(properties, name)) continue;
      const before = [...within.before, name];
      const found = resolveIn(properties[name], segments.slice(length), { ...within, before });
      if (found.kind === 'parameter') return found;
      failed ??= found;
    }
  }
  const others = views.map(otherProperties).find((each) => each !== undefined && each !== false);
  if (failed || others === undefined || segments[0] === '') return failed;
  return resolveIn(others, segments.slice(1), { ...within, before: [...within.before, segments[0] ?? ''] });
}

function otherProperties(view: JsonSchemaDefinition): SubSchema | undefined {
  const { additionalProperties, patternProperties } = view;
  return patternProperties === undefined ? additionalProperties : true;
}

function noSuchName(
  views: readonly JsonSchemaDefinition[],
  segments: readonly string[],
  before: readonly Step[],
): string {
  const [first = ''] = segments;
  const isRoot = before.length === 0;
  const near = nearName(views, first, before);
  const suggestion = near === undefined ? '' : `; did you mean {${[...before, near].join('.')}}?`;
  const why = isRoot
    ? ' is not a parameter of the tool'
    : `: "${before.join('.')}" has no property "${shorten(first)}"`;
  const literal = near === undefined && /[^\w.-]|^$/.test(first) ? ' Write {{ and }} for braces that are text.' : '';
  return `${why}${suggestion || '.'}${literal}`;
}

function nearName(views: readonly JsonSchemaDefinition[], name: string, before: readonly Step[]): string | undefined {
  const words = before.length === 0 ? toolWords : [];
  return nearest(name.trim(), [...views.flatMap(({ properties = {} }) => Object.keys(properties)), ...words]);
}

function shorten(text: string): string {
  const oneLine = text.replace(/\s+/g, ' ');
  return oneLine.length > 60 ? `${oneLine.slice(0, 60)}…` : oneLine;
}
