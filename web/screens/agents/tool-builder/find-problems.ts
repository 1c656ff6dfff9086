import { nameProblem, parameterProblems } from '../../../../src/agents/exposes/tool-parameters.ts';
import { UnreadText } from '../../../parts/schema-form/form-value.ts';
import { readOther } from './edit-nodes.ts';
import { childrenOf, hasField, type Keywords, type SchemaNode, toSchema } from './schema-node.ts';

/** A field of a node: one of its keywords, its name among the properties of its object, or the rest of its rules. */
export type NodeField = keyof Keywords | 'name' | 'other' | '';

/** Where a message belongs. */
export function placeOf(id: string, field: NodeField): string {
  return `${id}.${field}`;
}

/** By place. A tree without problems is a schema that the hub accepts. */
export function findProblems(root: SchemaNode): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  walk(root, problems);
  for (const { path, message } of parameterProblems(toSchema(root))) {
    const found = locate(root, path);
    addOnce(problems, placeOf(found.node.id, found.field), words(found, message));
  }
  return problems;
}

/** What a schema cannot say: two properties of one name, and rules that are not JSON yet. */
function walk(node: SchemaNode, problems: Map<string, string>): void {
  const unread = node.otherText === undefined ? undefined : readOther(node, node.otherText);
  if (unread && 'problem' in unread) addOnce(problems, placeOf(node.id, 'other'), unread.problem);
  const seen = new Set<string>();
  for (const { name, node: child } of node.keywords.properties ?? []) {
    const place = placeOf(child.id, 'name');
    const wrong = nameProblem(name);
    if (name === '') addOnce(problems, place, 'A name is needed.');
    else if (seen.has(name)) addOnce(problems, place, `There is another “${name}” here.`);
    else if (wrong !== undefined) addOnce(problems, place, sentence(wrong));
    seen.add(name);
  }
  for (const child of childrenOf(node)) walk(child, problems);
}

interface Located {
  node: SchemaNode;
  field: NodeField;
  /** The steps below the field. */
  rest: readonly (string | number)[];
}

/** The field that a path of the schema leads to. */
function locate(node: SchemaNode, path: readonly (string | number)[]): Located {
  const [key, step] = path;
  if (key === undefined) return { node, field: '', rest: [] };
  const { properties = [], items, prefixItems = [], additionalProperties: others } = node.keywords;
  const named = key === 'properties' ? properties.findLast(({ name }) => name === step)?.node : undefined;
  const place = key === 'prefixItems' && typeof step === 'number' ? prefixItems[step] : undefined;
  const child = named ?? place;
  if (child && path.length === 2) return { node: child, field: named ? 'name' : '', rest: [] };
  if (child) return locate(child, path.slice(2));
  if (key === 'items' && items) return locate(items, path.slice(1));
  if (key === 'additionalProperties' && typeof others === 'object') return locate(others, path.slice(1));
  const isOwn = typeof key === 'string' && hasField(node.keywords.type, key) && key in node.keywords;
  // A keyword that has a field is one of `Keywords`.
  return { node, field: isOwn ? (key as keyof Keywords) : 'other', rest: isOwn ? path.slice(1) : path };
}

function words({ node, field, rest }: Located, message: string): string {
  if (field === '') return sentence(node.verdict === undefined ? `the schema ${message}` : message);
  if (field === 'name') return sentence(message);
  if (field === 'other') return `${rest.join('.')}: ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
  const value = valueAt(node.keywords[field], rest[0]);
  const said =
    value instanceof UnreadText
      ? value.text.trim() === ''
        ? 'Is empty.'
        : 'Is not a number.'
      : sentence(message.replace(/^must hold at least one value$/, 'needs a value'));
  return typeof rest[0] === 'number' ? `Value ${rest[0] + 1}: ${lower(said)}` : said;
}

function valueAt(value: unknown, index: string | number | undefined): unknown {
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
