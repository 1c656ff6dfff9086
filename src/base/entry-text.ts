export type EntryFormat = 'json' | 'toml' | 'yaml';

/** One named entry in a section of a config file: a server under `mcpServers`. */
export interface Entry {
  section: string;
  name: string;
  fields: EntryFields;
}

/** The values that all three formats can write. */
export type EntryFields = Record<string, EntryValue>;
type EntryValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/** Returns a config file that contains only this entry. */
export function entryText(format: EntryFormat, { section, name, fields }: Entry): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify({ [section]: { [name]: fields } }, null, 2)}\n`;
    case 'toml':
      return tomlTable({ section, name, fields });
    case 'yaml':
      return `${section}:\n${yamlEntry(name, fields, 2)}`;
  }
}

/** Returns the entry as a TOML table. Tables in it are inline, so that the entry is one block. */
export function tomlTable({ section, name, fields }: Entry): string {
  const lines = Object.entries(fields).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}\n`);
  return `[${tomlKey(section)}.${tomlKey(name)}]\n${lines.join('')}`;
}

export function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlString(key);
}

/** JSON and TOML write numbers and booleans in the same way. */
export function tomlValue(value: EntryValue): string {
  if (isList(value)) return `[${value.map(tomlString).join(', ')}]`;
  if (typeof value === 'string') return tomlString(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, each]) => `${tomlKey(key)} = ${tomlString(each)}`);
  return `{ ${pairs.join(', ')} }`;
}

/** JSON and TOML write strings in the same way, except for one character. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

/** Returns the entry as an indented block of YAML. */
export function yamlEntry(name: string, fields: EntryFields, indent: number, step = 2): string {
  const space = (depth: number) => ' '.repeat(indent + depth * step);
  const lines = Object.entries(fields).flatMap(([key, value]) => {
    if (typeof value !== 'object' || isList(value)) return `${space(1)}${key}: ${yamlScalar(value)}\n`;
    const pairs = Object.entries(value).map(([inner, each]) => `${space(2)}${inner}: ${JSON.stringify(each)}\n`);
    return [`${space(1)}${key}:\n`, ...pairs];
  });
  return `${space(0)}${name}:\n${lines.join('')}`;
}

/** Quotes strings, unless they are one plain word. JSON is valid YAML. */
function yamlScalar(value: EntryValue): string {
  const isWord = typeof value === 'string' && /^[a-z]+_[a-z_]+$/.test(value);
  return isWord ? value : JSON.stringify(value);
}

function isList(value: EntryValue): value is readonly string[] {
  return Array.isArray(value);
}
