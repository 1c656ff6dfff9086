import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { type Entry, yamlEntry } from '../../base/entry-text.ts';

/** Sets one entry and keeps everything else as it is. Returns undefined if the section is not a map. Throws the parser's error. */
export function setYamlEntry(text: string, entry: Entry): string | undefined {
  const { section, name, fields } = entry;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const block = (indent: number, step?: number) => yamlEntry(name, fields, indent, step).replaceAll('\n', newline);
  const document = parseDocument(text);
  if (document.errors[0]) throw document.errors[0];
  const root = document.contents;
  if (root !== null && !isMap(root)) return undefined;
  const found = root && pairOf(root, section);
  if (!found) {
    const end = text === '' || text.endsWith('\n') ? '' : newline;
    return `${text}${end}${section}:${newline}${block(2)}`;
  }
  const servers = found.value;
  if (isEmpty(servers)) {
    const start = rangeOf(found.key)[1] + 1;
    const end = isMap(servers) ? rangeOf(servers)[1] : start;
    const lineEnd = /^[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(end))?.[0];
    const after = lineEnd === undefined ? newline : lineEnd;
    return `${text.slice(0, start)}${after}${block(2)}${text.slice(end + (lineEnd?.length ?? 0))}`;
  }
  if (!isMap(servers)) return undefined;
  const [start] = rangeOf(servers);
  const indent = start - (text.lastIndexOf('\n', start - 1) + 1);
  const old = pairOf(servers, name);
  if (servers.flow) {
    const item = `${JSON.stringify(name)}: ${JSON.stringify(fields)}`;
    if (old) return text.slice(0, rangeOf(old.key)[0]) + item + text.slice(rangeOf(old.value)[1]);
    const end = rangeOf(servers.items.at(-1)?.value)[1];
    return `${text.slice(0, end)}, ${item}${text.slice(end)}`;
  }
  if (old) {
    const [from] = rangeOf(old.key);
    const to = lineAfter(text, rangeOf(old.value ?? old.key)[1]);
    return text.slice(0, from) + block(indent).trimStart() + text.slice(to);
  }
  const to = lineAfter(text, rangeOf(servers.items.at(-1)?.value ?? servers)[1]);
  const before = text.slice(0, to);
  return `${before}${before.endsWith('\n') ? '' : newline}${block(indent)}${text.slice(to)}`;
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name);
}

/** `extensions:` and `extensions: {}`. */
function isEmpty(node: unknown): boolean {
  if (isMap(node)) return node.items.length === 0;
  return node === null || (isScalar(node) && node.value === null);
}

function rangeOf(node: unknown): [start: number, end: number] {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  if (!Array.isArray(range)) throw new Error('a node of a parsed document has no range');
  return [range[0], range[1]];
}

/** Returns the start of the next line, or the position itself if a line starts there. */
function lineAfter(text: string, at: number): number {
  if (text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}
