import { isDeepStrictEqual } from 'node:util';
import { parse as parseToml, TomlError } from 'smol-toml';
import { LineCounter, parseDocument } from 'yaml';
import { type Entry, type EntryFormat, entryText } from '../../base/entry-text.ts';
import { HubError } from '../../base/hub-error.ts';
import { isRecord } from '../../base/is-record.ts';
import { readTextFile, replaceTextFile, type TextFile } from '../edit/text-file.ts';
import { JsonTextError, parseJsonText, setJsonEntry } from './edit-json.ts';
import { setTomlEntry } from './edit-toml.ts';
import { setYamlEntry } from './edit-yaml.ts';

export interface ClientFile {
  path: string;
  /** How messages name the file. */
  shown: string;
  format: EntryFormat;
}

/** The config of another program, as it was read. */
export type ReadClientFile = ClientFile & TextFile;

/** Reads the config of an MCP client. Throws INVALID_CONFIG if it is not a text file. */
export async function readClientFile(file: ClientFile): Promise<ReadClientFile> {
  return { ...file, ...(await readTextFile(file)) };
}

/** Returns the entry in a client's config; undefined if there is none. Throws INVALID_CONFIG if the config cannot be parsed. */
export function entryIn(file: ReadClientFile, { section, name }: Pick<Entry, 'section' | 'name'>): unknown {
  const document = parsed(file, file.text ?? '');
  const servers = isRecord(document) ? document[section] : undefined;
  return isRecord(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined;
}

/**
 * Writes an entry into the config of a client: all at once, or not at all. Everything else in the file keeps its bytes, and the file its
 * mode; a new file is for this user only. Throws INVALID_CONFIG if the entry cannot be added, and CONFLICT if the file has changed since.
 */
export async function writeClientFile(file: ReadClientFile, entry: Entry): Promise<void> {
  await replaceTextFile(file, withEntry(file, entry));
}

/** Returns the text with the entry. Throws INVALID_CONFIG if anything else would change, too. */
export function withEntry(file: ReadClientFile, entry: Entry): string {
  const { text, format } = file;
  if (text === undefined || text.trim() === '') return entryText(format, entry);
  const before = parsed(file, text);
  const after = edited[format](text, entry);
  const isExact =
    after !== undefined && isRecord(before) && isDeepStrictEqual(tryParse(format, after), expected(before, entry));
  if (isExact) return after;
  throw new HubError(
    'INVALID_CONFIG',
    `The entry cannot be added to ${file.shown} without changing other parts of it. Nothing was changed. Add the entry by hand.`,
  );
}

const edited: Record<EntryFormat, (text: string, entry: Entry) => string | undefined> = {
  json: setJsonEntry,
  toml: setTomlEntry,
  yaml: setYamlEntry,
};

function expected(before: Record<string, unknown>, { section, name, fields }: Entry): unknown {
  const servers = before[section];
  return plain({ ...before, [section]: { ...(isRecord(servers) ? servers : {}), [name]: fields } });
}

function tryParse(format: EntryFormat, text: string): unknown {
  try {
    return plain(read[format](text));
  } catch {
    return undefined;
  }
}

/** Compares values, not classes or prototypes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

const read: Record<EntryFormat, (text: string) => unknown> = {
  json: parseJsonText,
  toml: (text) => parseToml(text, { maxDepth: 200, integersAsBigInt: 'asNeeded' }),
  yaml: (text) => {
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines });
    const [error] = document.errors;
    if (error) throw Object.assign(error, { line: lines.linePos(error.pos[0]).line });
    return document.toJS() ?? {};
  },
};

function parsed({ format, shown }: ReadClientFile, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return read[format](text);
  } catch (error) {
    const isKnown =
      error instanceof JsonTextError || error instanceof TomlError || (error instanceof Error && 'line' in error);
    const line = isKnown && 'line' in error && typeof error.line === 'number' ? `, line ${error.line},` : '';
    throw new HubError(
      'INVALID_CONFIG',
      `${shown}${line} is not valid ${format.toUpperCase()}. Nothing was changed. Correct the file, or add the entry by hand.`,
      { cause: error },
    );
  }
}
