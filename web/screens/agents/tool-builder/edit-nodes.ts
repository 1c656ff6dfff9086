import { newId } from '../../../../src/base/ids.ts';
import { isRecord } from '../../../../src/base/is-record.ts';
import {
  childrenOf,
  hasField,
  type Keywords,
  type ParameterType,
  type PropertyNode,
  type SchemaNode,
} from './schema-node.ts';

/** Changes one node in a tree of schemas. Unchanged parts stay the same objects. */

export function changeNode(root: SchemaNode, id: string, change: (node: SchemaNode) => SchemaNode): SchemaNode {
  if (root.id === id) return change(root);
  const { properties, items, prefixItems, additionalProperties: others } = root.keywords;
  const inner = (node: SchemaNode) => changeNode(node, id, change);
  const changed: Partial<Keywords> = {};
  if (properties) {
    const next = mapSame(properties, (property) => {
      const node = inner(property.node);
      return node === property.node ? property : { ...property, node };
    });
    if (next !== properties) changed.properties = next;
  }
  if (items) {
    const next = inner(items);
    if (next !== items) changed.items = next;
  }
  if (prefixItems) {
    const next = mapSame(prefixItems, inner);
    if (next !== prefixItems) changed.prefixItems = next;
  }
  if (typeof others === 'object') {
    const next = inner(others);
    if (next !== others) changed.additionalProperties = next;
  }
  return Object.keys(changed).length === 0 ? root : { ...root, keywords: { ...root.keywords, ...changed } };
}

/** Sets a keyword; undefined removes it. */
export function setKeyword<K extends keyof Keywords>(node: SchemaNode, key: K, value?: Keywords[K]): SchemaNode {
  if (value !== undefined) return { ...node, keywords: { ...node.keywords, [key]: value } };
  const { [key]: _, ...rest } = node.keywords;
  // `type` is required, and no caller removes it.
  return { ...node, keywords: rest as Keywords };
}

/** Sets the rules that have no field, from typed JSON. Text that cannot be parsed is kept as typed. */
export function setOther(node: SchemaNode, text: string): SchemaNode {
  const { otherText: _, ...rest } = node;
  const read = readOther(node, text);
  return 'problem' in read ? { ...rest, otherText: text } : { ...rest, other: read.other };
}

export type ReadOther = { other: Record<string, unknown> } | { problem: string };

export function readOther({ keywords }: SchemaNode, text: string): ReadOther {
  if (text.trim() === '') return { other: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'This is not valid JSON. Write an object such as {"deprecated": true}.' };
  }
  if (!isRecord(value)) return { problem: 'Write an object such as {"deprecated": true}.' };
  const known = Object.keys(value).find(
    (key) => hasField(keywords.type, key) && (key in keywords || !mayBeOther.has(key)),
  );
  if (known !== undefined) return { problem: `“${known}” has its own field. Change it there.` };
  return { other: value };
}

/** Keywords whose field cannot show every value. */
const mayBeOther = new Set(['required', 'items', 'prefixItems', 'enum', 'examples', 'default']);

/** Changes the type and drops the keywords that do not apply to it. */
export function changeType(node: SchemaNode, type: ParameterType): SchemaNode {
  const { keywords } = node;
  if (keywords.type === type) return node;
  const isNumeric = (each: ParameterType) => each === 'number' || each === 'integer';
  if (isNumeric(keywords.type) && isNumeric(type)) return { ...node, keywords: { ...keywords, type } };
  const { title, description } = keywords;
  return {
    id: node.id,
    other: {},
    order: ['type', ...node.order.filter((key) => key !== 'type')],
    keywords: {
      type,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(type === 'array' && { items: newNode('string') }),
    },
  };
}

export function newNode(type: ParameterType): SchemaNode {
  const keywords: Keywords = { type, ...(type === 'array' && { items: newNode('string') }) };
  return { id: newId('node'), keywords, other: {}, order: ['type'] };
}

export function addProperty(parent: SchemaNode, node = newNode('string'), name?: string): SchemaNode {
  const { properties = [] } = parent.keywords;
  return setKeyword(parent, 'properties', [
    ...properties,
    { name: name ?? freeName(properties, 'parameter', properties.length + 1), node },
  ]);
}

export function renameProperty(root: SchemaNode, id: string, name: string): SchemaNode {
  return changeProperties(root, id, (properties) =>
    properties.map((property) => (property.node.id === id ? { ...property, name } : property)),
  );
}

export function removeProperty(root: SchemaNode, id: string): SchemaNode {
  return changeProperties(root, id, (properties) => properties.filter((property) => property.node.id !== id));
}

/** Adds a copy right after the property. */
export function duplicateProperty(root: SchemaNode, id: string): SchemaNode {
  return changeProperties(root, id, (properties) => {
    const index = properties.findIndex((property) => property.node.id === id);
    const property = properties[index];
    if (!property) return properties;
    const name = freeName(properties, `${property.name}_`, 2);
    return properties.toSpliced(index + 1, 0, { name, node: copyNode(property.node) });
  });
}

/** Moves a property to the position of another one in the same object. */
export function moveProperty(root: SchemaNode, id: string, overId: string): SchemaNode {
  return changeProperties(root, id, (properties) => {
    const from = properties.findIndex((property) => property.node.id === id);
    const to = properties.findIndex((property) => property.node.id === overId);
    const moving = properties[from];
    return moving && to >= 0 ? properties.toSpliced(from, 1).toSpliced(to, 0, moving) : properties;
  });
}

export function isRequired(parent: SchemaNode, id: string): boolean {
  return parent.keywords.required?.includes(id) ?? false;
}

export function setRequired(root: SchemaNode, id: string, required: boolean): SchemaNode {
  const parent = parentOf(root, id);
  if (!parent || isRequired(parent, id) === required) return root;
  const before = parent.keywords.required ?? [];
  const next = required ? [...before, id] : before.filter((each) => each !== id);
  return changeNode(root, parent.id, (node) => setKeyword(node, 'required', next.length > 0 ? next : undefined));
}

/** Returns the object that contains a property. */
export function parentOf(root: SchemaNode, id: string): SchemaNode | undefined {
  if (root.keywords.properties?.some((property) => property.node.id === id)) return root;
  for (const child of childrenOf(root)) {
    const found = parentOf(child, id);
    if (found) return found;
  }
  return undefined;
}

function changeProperties(
  root: SchemaNode,
  id: string,
  change: (properties: PropertyNode[]) => PropertyNode[],
): SchemaNode {
  const parent = parentOf(root, id);
  if (!parent) return root;
  const properties = change(parent.keywords.properties ?? []);
  const required = parent.keywords.required?.filter((each) => properties.some(({ node }) => node.id === each));
  return changeNode(root, parent.id, (node) => {
    const next = setKeyword(node, 'properties', properties);
    return required?.length === node.keywords.required?.length
      ? next
      : setKeyword(next, 'required', required?.length ? required : undefined);
  });
}

function copyNode(node: SchemaNode): SchemaNode {
  const { properties, required, items, prefixItems, additionalProperties: others, ...rest } = node.keywords;
  const copies = properties?.map((property) => ({ name: property.name, node: copyNode(property.node) }));
  const newIdOf = new Map(properties?.map((property, index) => [property.node.id, copies?.[index]?.node.id ?? '']));
  return {
    ...node,
    id: newId('node'),
    keywords: {
      ...rest,
      ...(copies && { properties: copies }),
      ...(required && { required: required.map((id) => newIdOf.get(id) ?? id) }),
      ...(items && { items: copyNode(items) }),
      ...(prefixItems && { prefixItems: prefixItems.map(copyNode) }),
      ...(others !== undefined && { additionalProperties: typeof others === 'object' ? copyNode(others) : others }),
    },
  };
}

function freeName(properties: readonly PropertyNode[], stem: string, from: number): string {
  for (let number = from; ; number += 1) {
    const name = `${stem}${number}`;
    if (!properties.some((property) => property.name === name)) return name;
  }
}

function mapSame<T>(list: T[], change: (each: T) => T): T[] {
  const next = list.map(change);
  return next.every((each, index) => each === list[index]) ? list : next;
}
