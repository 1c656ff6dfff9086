import type { z } from 'zod';
import { isPrototypeKey } from '../../src/agents/parameter-rules.ts';
import { JsonSchemaDefinition, ToolInputSchema } from '../../src/agents/tool-parameters.ts';
import { UnreadText } from '../schema-form/form-value.ts';
import { childrenOf, type Keywords, type SchemaNode, toSchema } from './schema-node.ts';

/** Where a message belongs: a keyword of a node, or its name among the properties of its object. */
export function placeOf(id: string, field: keyof Keywords | 'name' | ''): string {
  return `${id}.${field}`;
}

/** By place. A tree without problems is a schema that the hub accepts. */
export function findProblems(root: SchemaNode): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  walk(root, problems);
  if (problems.size > 0) return problems;
  const whole = ToolInputSchema.safeParse(toSchema(root));
  if (!whole.success) {
    const [first] = whole.error.issues;
    problems.set(placeOf(root.id, ''), sentence(`the schema ${first?.message ?? 'is not accepted'}`));
  }
  return problems;
}

function walk(node: SchemaNode, problems: Map<string, string>): void {
  for (const [field, message] of ownProblems(node)) addOnce(problems, placeOf(node.id, field), message);
  const seen = new Set<string>();
  for (const { name, node: child } of node.keywords.properties ?? []) {
    const place = placeOf(child.id, 'name');
    if (name === '') addOnce(problems, place, 'A name is needed.');
    else if (seen.has(name)) addOnce(problems, place, `There is another “${name}” here.`);
    else if (isPrototypeKey(name)) addOnce(problems, place, 'Is a word of JavaScript and no name for a property.');
    seen.add(name);
    const named = JsonSchemaDefinition.safeParse({ type: 'object', properties: { [name]: { type: 'string' } } });
    if (!named.success) addOnce(problems, place, sentence(named.error.issues[0]?.message ?? ''));
  }
  for (const child of childrenOf(node)) walk(child, problems);
}

/** Each schema is asked alone, as one inside a list or a choice of two does not say where it is wrong. */
function* ownProblems(node: SchemaNode): Generator<[field: keyof Keywords, message: string]> {
  const { keywords } = node;
  const { properties: _properties, required: _required, items, additionalProperties, ...own } = keywords;
  const plain = { type: 'string' };
  const alone = {
    ...own,
    ...(items && { items: Array.isArray(items) ? items.map(() => plain) : plain }),
    ...(additionalProperties !== undefined && { additionalProperties: true }),
  };
  const result = JsonSchemaDefinition.safeParse(alone);
  for (const issue of result.success ? [] : result.error.issues) {
    const [field, index] = issue.path;
    // The first step of a path in one schema is one of its keywords.
    const keyword = field as keyof Keywords | undefined;
    if (keyword === undefined) continue;
    const message = messageOf(issue, valueAt(keywords[keyword], index));
    yield [keyword, typeof index === 'number' ? `Value ${index + 1}: ${lower(message)}` : message];
  }
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value instanceof UnreadText) return value.text.trim() === '' ? 'Is empty.' : 'Is not a number.';
  if (issue.code === 'too_small' && issue.origin !== 'string' && issue.origin !== 'array') {
    return `Must be at least ${issue.minimum}.`;
  }
  if (issue.code === 'too_small' && issue.origin === 'array') return 'Needs a value.';
  if (issue.code === 'too_big' && issue.origin === 'string') return `At most ${issue.maximum} characters.`;
  if (issue.code === 'invalid_type' && issue.expected === 'int') return 'Must be a whole number.';
  return sentence(issue.message);
}

function valueAt(value: unknown, index: PropertyKey | undefined): unknown {
  return Array.isArray(value) && typeof index === 'number' ? value[index] : value;
}

function addOnce(problems: Map<string, string>, place: string, message: string): void {
  if (!problems.has(place)) problems.set(place, message);
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
}

function lower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
