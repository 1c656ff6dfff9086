import { z } from 'zod';
import { parameterProblems } from './parameter-rules.ts';

/** JSON Schema 2020-12 for the parameters of a tool. What it says beyond the keywords that are named here is kept as it is. */

export type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';
export type SubSchema = boolean | JsonSchemaDefinition;

export interface JsonSchemaDefinition {
  type?: SchemaType | SchemaType[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  /** A list is the older word for `prefixItems`, and goes out under the new one. */
  items?: SubSchema | SubSchema[];
  prefixItems?: SubSchema[];
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, SubSchema>;
  required?: string[];
  additionalProperties?: SubSchema;
  minProperties?: number;
  maxProperties?: number;
  [keyword: string]: unknown;
}

export type StringSchema = JsonSchemaDefinition & { type: 'string' };
export type NumericSchema = JsonSchemaDefinition & { type: 'number' | 'integer' };
export type BooleanSchema = JsonSchemaDefinition & { type: 'boolean' };
export type ArraySchema = JsonSchemaDefinition & { type: 'array' };
export type ObjectSchema = JsonSchemaDefinition & { type: 'object' };

/** What MCP asks of the root: an object. */
export type ToolInputSchema = ObjectSchema;

// `parameterProblems` refuses everything that is not of this type, and the value itself goes on untouched.
export const ToolInputSchema = z
  .unknown()
  .superRefine((schema, context) => {
    for (const { path, message } of parameterProblems(schema)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .meta({ type: 'object', description: 'JSON Schema 2020-12 with "type": "object"' }) as unknown as z.ZodType<
  ToolInputSchema,
  ToolInputSchema
>;
