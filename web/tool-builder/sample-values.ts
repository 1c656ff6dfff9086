import type {
  ArraySchema,
  JsonSchemaDefinition,
  NumericSchema,
  ObjectSchema,
  StringSchema,
  ToolInputSchema,
} from '../../src/agents/tool-parameters.ts';

const mostItems = 20;

/** Values that show what a call looks like: an example, else the default, else something that fits. */
export function sampleValues(parameters: ToolInputSchema): Record<string, unknown> {
  return sampleObject(parameters);
}

function sample(schema: JsonSchemaDefinition, name: string, variant = 0): unknown {
  switch (schema.type) {
    case 'string':
      return sampleText(schema, name, variant);
    case 'number':
    case 'integer':
      return sampleNumber(schema, variant);
    case 'boolean':
      return schema.default ?? variant === 0;
    case 'array':
      return sampleList(schema, name);
    case 'object':
      return sampleObject(schema);
  }
}

function sampleText(schema: StringSchema, name: string, variant: number): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const fits = (text: string) => {
    const length = [...text].length;
    return length >= minLength && length <= maxLength && (schema.enum?.includes(text) ?? true);
  };
  const known = [...(schema.examples ?? []), ...(schema.default === undefined ? [] : [schema.default])];
  const fitting = [...known, ...(schema.enum ?? [])].filter(fits);
  const chosen = fitting[variant] ?? (variant === 0 ? undefined : fitting.at(-1));
  if (chosen !== undefined && (variant === 0 || fitting.length > variant)) return chosen;
  const word = `${name.replaceAll(/[_-]+/g, ' ').trim() || 'text'}${variant > 0 ? ` ${variant + 1}` : ''}`;
  return [...word.padEnd(Math.min(minLength, 1_000), ' …')].slice(0, Math.max(0, maxLength)).join('');
}

function sampleNumber(schema: NumericSchema, variant: number): number {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const fits = (value: number) => value >= minimum && value <= maximum && (schema.enum?.includes(value) ?? true);
  const known = [...(schema.examples ?? []), ...(schema.default === undefined ? [] : [schema.default])];
  const fitting = [...known, ...(schema.enum ?? [])].filter(fits);
  const chosen = fitting[variant];
  if (chosen !== undefined) return chosen;
  const first = minimum > Number.NEGATIVE_INFINITY ? minimum : Math.min(1, maximum);
  return (schema.type === 'integer' ? Math.ceil(first) : first) + variant;
}

function sampleList(schema: ArraySchema, name: string): unknown[] {
  const { items, minItems = 0, maxItems = mostItems } = schema;
  if (Array.isArray(items)) return items.slice(0, maxItems).map((each, index) => sample(each, `${name} ${index + 1}`));
  const length = Math.min(Math.max(1, minItems), maxItems, mostItems);
  return Array.from({ length }, (_, index) => sample(items, name, index));
}

/** With what may be left out too, as far as it has room: a preview shows all. */
function sampleObject(schema: ObjectSchema): Record<string, unknown> {
  const { properties = {}, required = [], maxProperties = Number.POSITIVE_INFINITY } = schema;
  const room = Math.max(0, maxProperties - required.length);
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const shown = new Set([...required, ...optional.slice(0, room)]);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, each]) => (shown.has(name) ? [[name, sample(each, name)]] : [])),
  );
}
