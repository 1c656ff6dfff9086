import { z } from 'zod';
import * as rules from './parameter-rules.ts';
import { text } from './text-fields.ts';

/** JSON Schema for the parameters of a tool: a discriminated part of 2020-12 that a form can be built from. */

export const parameterLimits = {
  depth: 16,
  /** Schemas in one tool, counted at every level. */
  schemas: 1_000,
  /** Of the whole as JSON. */
  characters: 200_000,
  name: 128,
  enum: 1_000,
  examples: 100,
} as const;

const annotations = {
  title: text(200).exactOptional(),
  description: text(4_000).exactOptional(),
};
const count = z.int().min(0).exactOptional();

const string = {
  type: z.literal('string'),
  ...annotations,
  enum: rules.uniqueList(z.string(), parameterLimits.enum).exactOptional(),
  default: z.string().exactOptional(),
  examples: z.array(z.string()).max(parameterLimits.examples).exactOptional(),
  minLength: count,
  maxLength: count,
};
const StringSchema = z.strictObject(string, keysOf(string)).superRefine(rules.checkString);
export type StringSchema = z.infer<typeof StringSchema>;

const numeric = {
  type: z.enum(['number', 'integer']),
  ...annotations,
  enum: rules.uniqueList(z.number(), parameterLimits.enum).exactOptional(),
  default: z.number().exactOptional(),
  examples: z.array(z.number()).max(parameterLimits.examples).exactOptional(),
  minimum: z.number().exactOptional(),
  maximum: z.number().exactOptional(),
};
const NumericSchema = z.strictObject(numeric, keysOf(numeric)).superRefine(rules.checkNumeric);
export type NumericSchema = z.infer<typeof NumericSchema>;

const boolean = { type: z.literal('boolean'), ...annotations, default: z.boolean().exactOptional() };
const BooleanSchema = z.strictObject(boolean, keysOf(boolean));
export type BooleanSchema = z.infer<typeof BooleanSchema>;

const arrayRest = {
  type: z.literal('array'),
  ...annotations,
  minItems: count,
  maxItems: count,
  uniqueItems: z.boolean().exactOptional(),
};
const objectRest = {
  type: z.literal('object'),
  ...annotations,
  required: z.array(z.string()).exactOptional(),
  minProperties: count,
  maxProperties: count,
};
// The compiler cannot infer a type through itself: the members that nest are written, everything else follows the schemas.
type ObjectOf<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;
type Items = JsonSchemaDefinition | JsonSchemaDefinition[];
export type ArraySchema = ObjectOf<typeof arrayRest> & { items: Items };
export type ObjectSchema = ObjectOf<typeof objectRest> & {
  properties?: Record<string, JsonSchemaDefinition>;
  additionalProperties?: boolean | JsonSchemaDefinition;
};
export type JsonSchemaDefinition = StringSchema | NumericSchema | BooleanSchema | ArraySchema | ObjectSchema;
type Nested<T> = z.ZodType<T, T>;

const array = {
  ...arrayRest,
  /** One schema for all, or one for each place from the first on; what comes after the last of them is free. */
  get items(): Nested<Items> {
    return z.union([JsonSchemaDefinition, z.array(JsonSchemaDefinition).min(1).max(100)], { error: rules.innermost });
  },
};
const ArraySchema = z.strictObject(array, keysOf(array)).superRefine(rules.checkArray);

/** What a template can name, and no prototype knows. */
const PropertyName = z
  .string()
  .min(1)
  .max(parameterLimits.name)
  .refine((name) => !/[{}\p{Cc}\p{Cs}]/u.test(name), 'must not contain { } or control characters')
  .refine((name) => !rules.isPrototypeKey(name), 'is a word of JavaScript and no name for a property');

const object = {
  ...objectRest,
  get properties(): z.ZodExactOptional<Nested<Record<string, JsonSchemaDefinition>>> {
    return z.record(PropertyName, JsonSchemaDefinition, { error: rules.badName }).exactOptional();
  },
  get additionalProperties(): z.ZodExactOptional<Nested<boolean | JsonSchemaDefinition>> {
    return z.union([z.boolean(), JsonSchemaDefinition], { error: rules.innermost }).exactOptional();
  },
};
const ObjectSchema = z.strictObject(object, keysOf(object)).superRefine(rules.checkObject);

export const JsonSchemaDefinition = z.discriminatedUnion(
  'type',
  [StringSchema, NumericSchema, BooleanSchema, ArraySchema, ObjectSchema],
  { error: rules.unknownType },
);

/** What MCP asks of the root: an object. */
export const ToolInputSchema = ObjectSchema.superRefine((schema, context) => {
  const { depth, schemas } = rules.measure(schema);
  if (depth > parameterLimits.depth) rules.report(context, [], `is nested deeper than ${parameterLimits.depth} levels`);
  if (schemas > parameterLimits.schemas) {
    rules.report(context, [], `holds ${schemas} schemas; at most ${parameterLimits.schemas} are accepted`);
  }
  const { length } = JSON.stringify(schema);
  if (length > parameterLimits.characters) {
    rules.report(context, [], `has ${length} characters; at most ${parameterLimits.characters} are accepted`);
  }
});
export type ToolInputSchema = ObjectSchema;

function keysOf(shape: object) {
  return { error: rules.unknownKeyword(Object.keys(shape)) };
}
