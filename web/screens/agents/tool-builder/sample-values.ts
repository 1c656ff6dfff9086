import type {
  JsonSchemaDefinition,
  SubSchema,
  ToolInputSchema,
} from '../../../../src/agents/exposes/tool-parameters.ts';
import { isRecord } from '../../../../src/base/is-record.ts';
import { compileJsonSchema } from '../../../../src/base/json-schema/json-schema.ts';
import { openSchema, typesOf, variantsOf } from '../../../parts/schema-form/schema-parts.ts';

const maxItems = 20;
const maxDepth = 12;

/** Generates sample values: an example, the default, or else a value that fits as far as possible. */
export function sampleValues(parameters: ToolInputSchema): Record<string, unknown> {
  const values = sample(parameters, { name: '', variant: 0, depth: 0, root: parameters });
  return isRecord(values) ? values : {};
}

interface SampleContext {
  name: string;
  /** The index among a list's items, which should differ. */
  variant: number;
  depth: number;
  root: ToolInputSchema;
}

function sample(schema: SubSchema | undefined, context: SampleContext): unknown {
  if (typeof schema !== 'object' || context.depth > maxDepth) return context.name || 'any';
  const open = merged(schema, context);
  const known = [
    ...('const' in open ? [open.const] : []),
    ...(open.examples ?? []),
    ...('default' in open ? [open.default] : []),
    ...(open.enum ?? []),
  ].filter((value) => fits(open, value, context.root));
  const chosen = known[context.variant];
  if (chosen !== undefined) return chosen;
  switch (typesOf(open).types[0]) {
    case 'string':
      return sampleText(open, context);
    case 'number':
    case 'integer':
      return sampleNumber(open, context.variant);
    case 'boolean':
      return context.variant === 0;
    case 'array':
      return sampleList(open, context);
    case 'object':
      return sampleObject(open, context);
    default:
      return typesOf(open).isNullable ? null : (known[0] ?? (context.name || 'any'));
  }
}

/** Resolves references and merges in the first alternative. */
function merged(schema: JsonSchemaDefinition, { root, depth }: SampleContext): JsonSchemaDefinition {
  const { schema: open, isCircular } = openSchema(schema, root);
  const alternatives = variantsOf(open);
  if (isCircular || !alternatives || depth > maxDepth) return open;
  const { anyOf: _any, oneOf: _one, ...rest } = open;
  const real = alternatives.find((each) => isRecord(each) && each.type !== 'null');
  return merged({ allOf: [rest, isRecord(real) ? real : {}] }, { root, depth: depth + 1, name: '', variant: 0 });
}

/** Checks a value against the merged schema alone. */
function fits(schema: JsonSchemaDefinition, value: unknown, { $defs, definitions }: ToolInputSchema): boolean {
  try {
    compileJsonSchema({
      ...($defs !== undefined && { $defs }),
      ...(definitions !== undefined && { definitions }),
      ...schema,
    })(value);
    return true;
  } catch {
    return false;
  }
}

const samplesByFormat: Record<string, string> = {
  date: '2026-11-17',
  'date-time': '2026-11-17T09:30:00Z',
  time: '09:30:00Z',
  duration: 'PT1H',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/path',
  uuid: '0b9f6c1e-8d7a-4c7b-9f6e-2f1d3c5b7a90',
};

function sampleText(
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format = '' }: JsonSchemaDefinition,
  { name, variant }: SampleContext,
): string {
  if (Object.hasOwn(samplesByFormat, format)) return samplesByFormat[format] ?? '';
  const word = `${name.replaceAll(/[_-]+/g, ' ').trim() || 'text'}${variant > 0 ? ` ${variant + 1}` : ''}`;
  return [...word.padEnd(Math.min(minLength, 1_000), ' …')].slice(0, Math.max(0, maxLength)).join('');
}

function sampleNumber(schema: JsonSchemaDefinition, variant: number): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = multipleOf ?? (schema.type === 'integer' ? 1 : undefined);
  const upper = Math.min(maximum ?? Number.POSITIVE_INFINITY, exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  const lower = Math.max(minimum ?? Number.NEGATIVE_INFINITY, exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const start = lower > Number.NEGATIVE_INFINITY ? lower : Math.min(1, upper);
  const width = step ?? (upper < start + 1 ? (upper - start) / 2 : 1);
  const first = step === undefined ? start : Math.ceil(start / step) * step;
  const isOver = first === exclusiveMinimum || (lower === Number.NEGATIVE_INFINITY && first === exclusiveMaximum);
  const moved = isOver ? first + (first === exclusiveMinimum ? width : -width) : first;
  return moved + variant * (step ?? 1);
}

function sampleList(schema: JsonSchemaDefinition, { name, depth, root }: SampleContext): unknown[] {
  const { items, prefixItems, minItems = 0, maxItems: limit = maxItems } = schema;
  const positional = prefixItems ?? (Array.isArray(items) ? items : []);
  const first = positional
    .slice(0, limit)
    .map((each, index) => sample(each, { name: `${name} ${index + 1}`, variant: 0, depth: depth + 1, root }));
  if (Array.isArray(items) || items === false) return first;
  const count = Math.min(Math.max(positional.length > 0 ? 0 : 1, minItems), limit, maxItems);
  const rest = Array.from({ length: Math.max(0, count - first.length) }, (_, index) =>
    sample(items ?? {}, { name, variant: index, depth: depth + 1, root }),
  );
  return [...first, ...rest];
}

/** Includes optional properties up to `maxProperties`, so that previews show everything. */
function sampleObject(schema: JsonSchemaDefinition, { depth, root }: SampleContext): Record<string, unknown> {
  const { properties = {}, required = [], maxProperties = Number.POSITIVE_INFINITY } = schema;
  const room = Math.max(0, maxProperties - required.length);
  const optional = Object.keys(properties).filter(
    (name) => !required.includes(name) && (depth < 4 || properties[name] === true),
  );
  const shown = new Set([...required, ...optional.slice(0, room)]);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, each]) =>
      shown.has(name) && each !== false ? [[name, sample(each, { name, variant: 0, depth: depth + 1, root })]] : [],
    ),
  );
}
