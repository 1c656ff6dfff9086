import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import type { JsonSchema } from '../base/json-schema/json-schema.ts';
import { fieldIssues } from '../base/validate.ts';
import { isTable } from '../config/script-sections.ts';
import { checkDefaults, SchemaFault, tidySchema } from './tool-schema.ts';

/** One entry of `tool.parameters` as Context Harness writes it; other keys of JSON Schema are passed on. */
const Parameter = z.looseObject({
  name: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'must be 1–64 of A–Z a–z 0–9 _ - and begin with a letter or _'),
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object']).default('string'),
  description: z.string().optional(),
  required: z.boolean().default(false),
});

export interface ToolParameters {
  schema: JsonSchema;
  /** What the script gets for a parameter that was not given. */
  defaults: Record<string, unknown>;
}

/** `tool.parameters` of a script: a list of parameters, or a JSON Schema. Throws TOOL_ERROR that names key and rule. */
export function toolParameters(given: unknown, shown: string): ToolParameters {
  const refuse = (rule: string): never => {
    throw new HubError('TOOL_ERROR', `${shown}: tool.parameters${rule}`);
  };
  const parameters = given === undefined || isEmpty(given) ? [] : given;
  if (Array.isArray(parameters)) return fromList(parameters, refuse);
  if (!isTable(parameters) || parameters.type !== 'object') {
    return refuse(
      ' must be a list such as { { name = "title", type = "string" } }, or a JSON Schema of type "object".',
    );
  }
  const schema = checked({ properties: {}, ...parameters }, refuse);
  return { schema, defaults: defaultsOf(schema) };
}

function fromList(list: readonly unknown[], refuse: (rule: string) => never): ToolParameters {
  const result = z.array(Parameter).max(100).safeParse(list);
  if (!result.success) {
    return refuse(
      fieldIssues(result.error)
        .map(({ path, message }) => `${path}: ${message}`)
        .join('; '),
    );
  }
  const names = result.data.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return refuse(`: "${twice}" is there twice.`);
  const properties = Object.fromEntries(result.data.map(({ name, required: _, ...rest }) => [name, rest]));
  const required = result.data.filter((each) => each.required).map(({ name }) => name);
  const schema = checked({ type: 'object', properties, required, additionalProperties: false }, refuse);
  return { schema, defaults: defaultsOf(schema) };
}

/** A schema that no input could be checked against is found now, not at the first call. */
function checked(given: Record<string, unknown>, refuse: (rule: string) => never): JsonSchema {
  try {
    const schema = tidySchema(given);
    checkDefaults(schema);
    return schema;
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    return refuse(`: ${error.path.replace(/^properties\./, '')}: ${error.message}`);
  }
}

function defaultsOf({ properties }: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(isTable(properties) ? properties : {}).flatMap(([name, schema]) =>
      isTable(schema) && schema.default !== undefined ? [[name, schema.default]] : [],
    ),
  );
}

function isEmpty(value: unknown): boolean {
  return isTable(value) && Object.keys(value).length === 0;
}
