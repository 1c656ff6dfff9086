import type {
  JsonSchemaDefinition,
  SubSchema,
  ToolInputSchema,
} from '../../../../src/agents/exposes/tool-parameters.ts';
import { compileJsonSchema } from '../../../../src/base/json-schema/json-schema.ts';
import { isRecord, openSchema, typesOf, variantsOf } from '../../../parts/schema-form/schema-parts.ts';

const maxItems = 20;
const maxDepth = 12;

/** Values that show what a call looks like: an example, else the default, else something that fits as far as it can be told. */
export function sampleValues(parameters: ToolInputSchema): Record<string, unknown> {
  const made = sample(parameters, { name: '', variant: 0, depth: 0, root: parameters });
  return isRecord(made) ? made : {};
}

interface Wanted {
  name: string;
  /** Which of several entries of a list: they should differ. */
  variant: number;
  depth: number;
  root: ToolInputSchema;
}

function sample(schema: SubSchema | undefined, wanted: Wanted): unknown {
  if (typeof schema !== 'object' || wanted.depth > maxDepth) return wanted.name || 'any';
  const open = merged(schema, wanted);
  const known = [
    ...('const' in open ? [open.const] : []),
    ...(open.examples ?? []),
    ...('default' in open ? [open.default] : []),
    ...(open.enum ?? []),
  ].filter((value) => fits(open, value, wanted.root));
  const chosen = known[wanted.variant];
  if (chosen !== undefined) return chosen;
  switch (typesOf(open).types[0]) {
    case 'string':
      return sampleText(open, wanted);
    case 'number':
    case 'integer':
      return sampleNumber(open, wanted.variant);
    case 'boolean':
      return wanted.variant === 0;
    case 'array':
      return sampleList(open, wanted);
    case 'object':
      return sampleObject(open, wanted);
    default:
      return typesOf(open).isNullable ? null : (known[0] ?? (wanted.name || 'any'));
  }
}

/** With its references and parts folded in, and the first of its alternatives. */
function merged(schema: JsonSchemaDefinition, { root, depth }: Wanted): JsonSchemaDefinition {
  const { schema: open, isCircular } = openSchema(schema, root);
  const alternatives = variantsOf(open);
  if (isCircular || !alternatives || depth > maxDepth) return open;
  const { anyOf: _any, oneOf: _one, ...rest } = open;
  const real = alternatives.find((each) => isRecord(each) && each.type !== 'null');
  return merged({ allOf: [rest, isRecord(real) ? real : {}] }, { root, depth: depth + 1, name: '', variant: 0 });
}

/** By its own rules alone: what it refers to is folded in. */
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

const ofFormat: Record<string, string> = {
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
  { name, variant }: Wanted,
): string {
  if (Object.hasOwn(ofFormat, format)) return ofFormat[format] ?? '';
  const word = `${name.replaceAll(/[_-]+/g, ' ').trim() || 'text'}${variant > 0 ? ` ${variant + 1}` : ''}`;
  return [...word.padEnd(Math.min(minLength, 1_000), ' …')].slice(0, Math.max(0, maxLength)).join('');
}

function sampleNumber(schema: JsonSchemaDefinition, variant: number): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = multipleOf ?? (schema.type === 'integer' ? 1 : undefined);
  const most = Math.min(maximum ?? Number.POSITIVE_INFINITY, exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  const least = Math.max(minimum ?? Number.NEGATIVE_INFINITY, exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const start = least > Number.NEGATIVE_INFINITY ? least : Math.min(1, most);
  const width = step ?? (most < start + 1 ? (most - start) / 2 : 1);
  const first = step === undefined ? start : Math.ceil(start / step) * step;
  const isOver = first === exclusiveMinimum || (least === Number.NEGATIVE_INFINITY && first === exclusiveMaximum);
  const moved = isOver ? first + (first === exclusiveMinimum ? width : -width) : first;
  return moved + variant * (step ?? 1);
}

function sampleList(schema: JsonSchemaDefinition, { name, depth, root }: Wanted): unknown[] {
  const { items, prefixItems, minItems = 0, maxItems: most = maxItems } = schema;
  const places = prefixItems ?? (Array.isArray(items) ? items : []);
  const first = places
    .slice(0, most)
    .map((each, index) => sample(each, { name: `${name} ${index + 1}`, variant: 0, depth: depth + 1, root }));
  if (Array.isArray(items) || items === false) return first;
  const wanted = Math.min(Math.max(places.length > 0 ? 0 : 1, minItems), most, maxItems);
  const rest = Array.from({ length: Math.max(0, wanted - first.length) }, (_, index) =>
    sample(items ?? {}, { name, variant: index, depth: depth + 1, root }),
  );
  return [...first, ...rest];
}

/** With what may be left out too, as far as it has room: a preview shows all. */
function sampleObject(schema: JsonSchemaDefinition, { depth, root }: Wanted): Record<string, unknown> {
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
