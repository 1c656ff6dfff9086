import { lineText, type TextLines } from '../text-lines.ts';

/** The metadata before the text of a document. */
export interface FrontMatter {
  title: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
  /** The number of lines, including the fences. */
  lines: number;
}

const maxLines = 200;

/**
 * Reads YAML between `---` or TOML between `+++`. Supports a subset: `key: value` with strings, numbers, booleans, and
 * lists in brackets or as lines with `-`. Skips nested values. Never throws, because a text may also begin with a rule.
 */
export function readFrontMatter(lines: TextLines): FrontMatter {
  const none: FrontMatter = { title: null, tags: [], metadata: {}, lines: 0 };
  const fence = lineText(lines, 0).trimEnd();
  if (fence !== '---' && fence !== '+++') return none;
  const end = endOf(lines, fence);
  if (end === undefined) return none;
  const values = readValues(lines, end, fence === '---' ? ':' : '=');
  // Text between two horizontal rules.
  if (values === null) return none;
  const { title, tags, keywords, ...others } = values;
  return {
    title: typeof title === 'string' && title.trim() !== '' ? title.trim().slice(0, 500) : null,
    tags: toTags(tags ?? keywords),
    metadata: others,
    lines: end + 1,
  };
}

function endOf(lines: TextLines, fence: string): number | undefined {
  for (let line = 1; line < Math.min(lines.count, maxLines); line += 1) {
    const text = lineText(lines, line).trimEnd();
    if (text === fence || (fence === '---' && text === '...')) return line;
  }
  return undefined;
}

function readValues(lines: TextLines, end: number, sign: string): Record<string, unknown> | null {
  const values: Record<string, unknown> = Object.create(null);
  let key: string | null = null;
  for (let line = 1; line < end; line += 1) {
    const text = lineText(lines, line).slice(0, 2_000);
    if (text.trim() === '' || text.startsWith('#')) continue;
    const item = /^\s*-\s+(.*)$/.exec(text)?.[1];
    if (item !== undefined && key !== null && sign === ':') {
      const list = values[key];
      if (list === '') values[key] = [toValue(item)];
      else if (Array.isArray(list)) list.push(toValue(item));
      continue;
    }
    // A TOML table: everything after it is nested.
    if (sign === '=' && text.startsWith('[')) break;
    if (/^\s/.test(text)) continue;
    const split = text.indexOf(sign);
    const name = text
      .slice(0, Math.max(0, split))
      .trim()
      .replace(/^["']|["']$/g, '');
    if (!/^[\w.-]{1,100}$/.test(name)) return null;
    key = name.toLowerCase();
    if (key === '__proto__') continue;
    values[key] = toValue(text.slice(split + 1));
  }
  // Nothing between two horizontal rules.
  if (key === null) return null;
  // Drops keys that only have nested values.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

function toValue(text: string): unknown {
  const value = text.trim();
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(value);
  if (quoted) return quoted[1] !== undefined ? unescaped(quoted[1]) : (quoted[2] ?? '').replaceAll("''", "'");
  const list = /^\[(.*)\]/.exec(value)?.[1];
  if (list !== undefined) return splitList(list).map(toValue);
  const bare = value.replace(/(?:^|\s)#.*$/, '').trim();
  if (bare === 'true' || bare === 'false') return bare === 'true';
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(bare)) return Number(bare);
  return /^(?:[|>][+-]?|\{.*|~|null)$/.test(bare) ? '' : bare;
}

function splitList(list: string): string[] {
  const items = list.match(/\s*"(?:[^"\\]|\\.)*"|\s*'[^']*'|[^,]+/g) ?? [];
  return items.filter((item) => item.trim() !== '');
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign === 't' ? '\t' : sign));
}

function toTags(value: unknown): string[] {
  const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  const tags = items
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .map((item) => String(item).trim().replace(/^#/, '').slice(0, 200))
    .filter((tag) => tag !== '');
  return [...new Set(tags)].slice(0, 50);
}
