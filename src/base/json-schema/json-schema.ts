import { HubError } from '../hub-error.ts';
import type { FieldIssue } from '../validate.ts';
import { SchemaDocument, type SchemaObject } from './schema-document.ts';
import { schemaFaults } from './schema-faults.ts';
import { RuleBook } from './schema-rules.ts';
import { OverBudget, type RunLimits, SchemaRun } from './schema-run.ts';

/** A JSON Schema as it travels: ours come from zod, foreign ones are passed through untouched. */
export type JsonSchema = SchemaObject;
/** What MCP asks of a tool's input and output: an object at the root. */
export type ObjectJsonSchema = JsonSchema & { type: 'object' };

/** Steps beyond those that the size of the value explains: what takes more is a schema that multiplies its own work. */
const ownLimits: RunLimits = { steps: 1_000_000, depth: 512 };
const stepsPerValue = 8;
const stepsPerCharacter = 2;
const foreignLimits: RunLimits = { steps: 500_000, depth: 512 };

/**
 * Builds a check by JSON Schema 2020-12 once; the returned function throws INVALID_ARGUMENTS that names path and rule.
 * Throws INVALID_ARGUMENTS for a schema that is none, or that refers to what it does not hold.
 */
export function compileJsonSchema(schema: JsonSchema): (value: unknown) => void {
  const [fault] = schemaFaults(schema);
  if (fault) throw invalid([{ ...fault, message: `The schema cannot be used: ${toLine(fault)}` }], 'only messages');
  const rules = new RuleBook(new SchemaDocument(schema), { judgesPatterns: true });
  return (value) => {
    try {
      judge(rules, value, limitsFor(value));
    } catch (error) {
      throw isTooMuch(error) ? invalid([{ path: '', message: `The input ${reasonOf(error)}` }]) : error;
    }
  };
}

/**
 * The same check by a schema that came from outside. It never fails for the schema's sake and asks nobody: patterns are
 * left to the server, which may read them in another dialect, and so is a rule that is none, a reference to elsewhere and
 * a check that takes too long. Throws INVALID_ARGUMENTS that names path and rule.
 */
export function compileForeignSchema(schema: JsonSchema): (value: unknown) => void {
  let rules: RuleBook | undefined | null = null;
  return (value) => {
    if (!isObject(value)) throw invalid([{ path: '', message: 'must be an object' }]);
    if (rules === null) rules = readForeign(schema);
    try {
      if (rules) judge(rules, value, foreignLimits);
    } catch (error) {
      if (!isTooMuch(error)) throw error;
    }
  };
}

/** Checks values by any of the schemas inside of one, which must have no faults. The function returns the first broken rule. */
export function judgeWithin(root: JsonSchema): (schema: JsonSchema, value: unknown) => FieldIssue | undefined {
  const book = new RuleBook(new SchemaDocument(root), { judgesPatterns: true });
  return (schema, value) => {
    try {
      const run = new SchemaRun(limitsFor(value));
      return run.apply(book.rulesOf(schema), value, null) ? undefined : run.issues?.[0];
    } catch (error) {
      if (isTooMuch(error)) return { path: '', message: reasonOf(error) };
      throw error;
    }
  };
}

/** A large value may take more steps, in proportion: twice the list takes twice the work. */
function limitsFor(value: unknown): RunLimits {
  let { steps } = ownLimits;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    steps += stepsPerValue;
    if (typeof next === 'string') steps += stepsPerCharacter * next.length;
    else if (typeof next === 'object' && next !== null) {
      for (const inner of Object.values(next)) open.push(inner);
    }
  }
  return { ...ownLimits, steps };
}

function readForeign(schema: JsonSchema): RuleBook | undefined {
  try {
    return new RuleBook(new SchemaDocument(schema), { judgesPatterns: false });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function judge(rules: RuleBook, value: unknown, limits: RunLimits): void {
  const run = new SchemaRun(limits);
  if (!run.apply(rules.main, value, null)) throw invalid(run.issues ?? []);
}

/** A value or a schema that is nested too deep ends the stack in places that do not count their steps. */
function isTooMuch(error: unknown): error is Error {
  return error instanceof OverBudget || error instanceof RangeError;
}

function reasonOf(error: Error): string {
  return error instanceof OverBudget ? `${error.message} against its schema.` : 'is nested too deep to be checked.';
}

function invalid(issues: FieldIssue[], shown: 'lines' | 'only messages' = 'lines'): HubError {
  const text = issues.map((issue) => (shown === 'lines' ? toLine(issue) : issue.message)).join('; ');
  return new HubError('INVALID_ARGUMENTS', text || 'The input does not fit the schema.', { details: { issues } });
}

function toLine({ path, message }: FieldIssue): string {
  return path ? `${path}: ${message}` : message;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
