import { nameProblem, parameterProblems } from '../../../../src/agents/exposes/tool-parameters.ts';
import { UnreadText } from '../../../parts/schema-form/form-value.ts';
import { readOther } from './edit-nodes.ts';
import { childrenOf, hasField, type Keywords, type SchemaNode, toSchema } from './schema-node.ts';

/** A field of a node: a keyword, its property name, its other rules, or the node itself. */
export type NodeField = keyof Keywords | 'name' | 'other' | '';

/** Returns the key of a field's message. */
export function problemKey(id: string, field: NodeField): string {
  return `${id}.${field}`;
}

/** Returns messages by `problemKey`. A tree without problems is a schema the hub accepts. */
export function findProblems(root: SchemaNode): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  walk(root, problems);
  for (const { path, message } of parameterProblems(toSchema(root))) {
    const found = locate(root, path);
    addOnce(problems, problemKey(found.node.id, found.field), toMessage(found, message));
  }
  return problems;
}

/** Adds the problems a schema cannot express: duplicate names, and rules that are not JSON. */
function walk(node: SchemaNode, problems: Map<string, string>): void {
  const unread = node.otherText === undefined ? undefined : readOther(node, node.otherText);
  if (unread && 'problem' in unread) addOnce(problems, problemKey(node.id, 'other'), unread.problem);
  const seen = new Set<string>();
  for (const { name, node: child } of node.keywords.properties ?? []) {
    const key = problemKey(child.id, 'name');
    const wrong = nameProblem(name);
    if (name === '') addOnce(problems, key, 'Enter a name.');
    else if (seen.has(name)) addOnce(problems, key, `“${name}” is already used. Choose another name.`);
    else if (wrong !== undefined) addOnce(problems, key, sentence(wrong));
    seen.add(name);
  }
  for (const child of childrenOf(node)) walk(child, problems);
}

interface Located {
  node: SchemaNode;
  field: NodeField;
  /** The remaining path below the field. */
  rest: readonly (string | number)[];
}

/** Returns the field at a path of the schema. */
function locate(node: SchemaNode, path: readonly (string | number)[]): Located {
  const [key, step] = path;
  if (key === undefined) return { node, field: '', rest: [] };
  const { properties = [], items, prefixItems = [], additionalProperties: others } = node.keywords;
  const named = key === 'properties' ? properties.findLast(({ name }) => name === step)?.node : undefined;
  const positional = key === 'prefixItems' && typeof step === 'number' ? prefixItems[step] : undefined;
  const child = named ?? positional;
  if (child && path.length === 2) return { node: child, field: named ? 'name' : '', rest: [] };
  if (child) return locate(child, path.slice(2));
  if (key === 'items' && items) return locate(items, path.slice(1));
  if (key === 'additionalProperties' && typeof others === 'object') return locate(others, path.slice(1));
  const isField = typeof key === 'string' && hasField(node.keywords.type, key) && key in node.keywords;
  // A keyword that has a field is one of `Keywords`.
  return { node, field: isField ? (key as keyof Keywords) : 'other', rest: isField ? path.slice(1) : path };
}

function toMessage({ node, field, rest }: Located, message: string): string {
  if (field === '') return sentence(node.verdict === undefined ? `the schema ${message}` : message);
  if (field === 'name') return sentence(message);
  if (field === 'other') return `${rest.join('.')}: ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
  const value = valueAt(node.keywords[field], rest[0]);
  const text =
    value instanceof UnreadText
      ? value.text.trim() === ''
        ? 'Enter a number.'
        : 'This is not a number.'
      : sentence(message.replace(/^must have at least one value$/, 'add at least one value'));
  return typeof rest[0] === 'number' ? `Value ${rest[0] + 1}: ${lower(text)}` : text;
}

function valueAt(value: unknown, index: string | number | undefined): unknown {
  return Array.isArray(value) && typeof index === 'number' ? value[index] : value;
}

function addOnce(problems: Map<string, string>, key: string, message: string): void {
  if (!problems.has(key)) problems.set(key, message);
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
}

function lower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
