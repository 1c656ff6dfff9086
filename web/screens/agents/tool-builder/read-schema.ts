import type { ToolInputSchema } from '../../../../src/agents/exposes/tool-parameters.ts';
import { readJsonSchema, toJsonSchema } from '../../../../src/agents/exposes/tool-schema.ts';
import { HubError } from '../../../../src/base/hub-error.ts';

export type ReadSchema = { schema: ToolInputSchema } | { problem: string };

export function schemaText(schema: ToolInputSchema): string {
  return JSON.stringify(toJsonSchema(schema), null, 2);
}

/** Parses typed JSON Schema, or returns what is wrong and where. */
export function readSchemaText(text: string): ReadSchema {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `Not valid JSON: ${describeSyntaxError(error, text)}` };
  }
  try {
    return { schema: readJsonSchema(value) };
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { problem: error.message.replace(/^JSON Schema: /, '') };
  }
}

/** Normalizes a browser's message and adds line and column. */
function describeSyntaxError(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error);
  if (text.trim() === '') return 'the text is empty.';
  const [position, line, column] = /\(?(?:at )?line (\d+) column (\d+)/.exec(message) ?? [];
  const what = message
    .slice(0, position === undefined ? undefined : message.indexOf(position))
    .replace(/^JSON\.parse: /, '')
    .replace(/ (?:in JSON at position \d+.*|of the JSON data)\s*$/s, '')
    .replace(/, ".*$/s, '')
    .trim();
  if (line !== undefined) return `${what}, line ${line}, column ${column}.`;
  const at = /position (\d+)/.exec(message)?.[1];
  const offset = at === undefined ? text.length : Number(at);
  const before = text.slice(0, offset).split('\n');
  return `${what}, line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}.`;
}
