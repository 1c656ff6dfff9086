import { type Schema, Validator } from '@cfworker/json-schema';
import { HubError } from './hub-error.ts';

/** A JSON Schema as it travels: ours come from zod, foreign ones are passed through untouched. */
export type JsonSchema = { [key: string]: unknown };
/** What MCP asks of a tool's input and output: an object at the root. */
export type ObjectJsonSchema = JsonSchema & { type: 'object' };

/** Builds the check once; the returned function throws INVALID_ARGUMENTS that names path and rule. */
export function compileJsonSchema(schema: JsonSchema): (value: unknown) => void {
  const validator = new Validator(schema as Schema, '2020-12', false);
  return (value) => refuse(validator.validate(value));
}

/** What the validator found. Its own type would bind whoever uses the published types to the validator's package. */
interface Verdict {
  valid: boolean;
  errors: readonly BrokenRule[];
}
interface BrokenRule {
  keyword: string;
  instanceLocation: string;
  error: string;
}

/** Throws INVALID_ARGUMENTS that names path and rule. */
export function refuse(result: Verdict): void {
  if (result.valid) return;
  const issues = result.errors.filter(isLeaf).slice(0, 20).map(toIssue);
  const text = issues.map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message)).join('; ');
  throw new HubError('INVALID_ARGUMENTS', text || 'The input does not fit the schema.', { details: { issues } });
}

/** cfworker reports every enclosing keyword too; the innermost ones say what is wrong. */
function isLeaf(unit: BrokenRule): boolean {
  return !['properties', 'items', 'prefixItems', '$ref', 'additionalProperties'].includes(unit.keyword);
}

function toIssue(unit: BrokenRule): { path: string; message: string } {
  const path = unit.instanceLocation.replace(/^#\/?/, '').split('/').map(fromPointer).join('.');
  const missing = unit.keyword === 'required' ? /"(.*)"/.exec(unit.error)?.[1] : undefined;
  if (missing !== undefined) return { path: path ? `${path}.${missing}` : missing, message: 'is required' };
  if (unit.keyword === 'false') return { path, message: 'is not known here' };
  // The library says "at least" of both.
  if (unit.keyword === 'maxProperties') return { path, message: unit.error.replace(/^.*?(\d+)/, 'has more than $1') };
  // A foreign schema may hold a list of megabytes, and the library shows all of it.
  const { error } = unit;
  return { path, message: error.length > longestMessage ? `${error.slice(0, longestMessage)}…` : error };
}

const longestMessage = 500;

/** One step of a JSON pointer, as it was written. */
function fromPointer(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}
