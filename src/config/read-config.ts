import { readFile, stat } from 'node:fs/promises';
import { parse, TomlError } from 'smol-toml';
import { HubError, toHubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { fieldIssues } from '../base/validate.ts';
import { parseClamped } from './clamp-settings.ts';
import { Config } from './config.ts';
import { findImpossibleDate } from './impossible-date.ts';
import { lineOfKey } from './line-of-key.ts';

/** The tables of external MCP servers: our own name, and the one that other clients use. */
export const serverTables = ['mcp_servers', 'mcpServers'] as const;

const maxBytes = 4 * 1024 * 1024;

export interface ConfigText {
  text: string;
  modifiedAt: number;
  size: number;
}

/** Reads a text file. Throws INVALID_CONFIG if it is missing, not a file, too large or not UTF-8. `shown` names it in messages. */
export async function readConfigText(file: string, shown: string): Promise<ConfigText> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new HubError('INVALID_CONFIG', `${shown} is not a file.`);
    if (found.size > maxBytes) {
      throw new HubError('INVALID_CONFIG', `${shown} has ${found.size} bytes. The maximum is ${maxBytes}.`);
    }
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
    // The decoder has removed one byte order mark, and the parser would remove another.
    if (decoded.startsWith('\ufeff'))
      throw new HubError('INVALID_CONFIG', `${shown} begins with two byte order marks.`);
    // A file saved on Windows must give the same prompt.
    const text = decoded.replaceAll('\r\n', '\n');
    return { text, modifiedAt: found.mtimeMs, size: found.size };
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError('INVALID_CONFIG', `${shown} cannot be read: ${readingFailure(error)}.`, { cause: error });
  }
}

/** Parses and validates a config. Throws INVALID_CONFIG with file, line if known, key and rule. */
export function parseConfig(text: string, shown: string, lookUp: LookUp): Config {
  return validateConfig(parseToml(text, shown), { text, shown, lookUp }).config;
}

/** The tables of a config file as written, before `${VAR}` is expanded. */
export type RawConfig = Readonly<Record<string, unknown>>;

/** An entry, such as a source or an agent, that does not apply because a variable in it is not set. */
export interface UnsetEntry {
  path: readonly string[];
  /** With file and line. */
  message: string;
}

export interface ValidConfig {
  config: Config;
  /** Warnings with file and line. */
  warnings: readonly string[];
  unset: readonly UnsetEntry[];
}

/** Expands and validates a config, or the part of it that applies. `text` is the whole file, for line numbers. Throws INVALID_CONFIG. */
export function validateConfig(
  raw: RawConfig,
  { text, shown, lookUp }: { text: string; shown: string; lookUp: LookUp },
): ValidConfig {
  const unset: UnsetEntry[] = [];
  const expanded = expandAt(raw, { text, shown, lookUp, unset });
  const { result, clamped } = parseClamped(Config, expanded);
  const place = (path: string) => `${at(shown, lineOfKey(text, path.split('.')))}: ${path}`;
  const warnings = clamped.map(({ path, message }) => `${place(path)}: ${message}`);
  if (result.success) return { config: result.data, warnings, unset };
  const issues = fieldIssues(result.error);
  const line = lineOfKey(text, issues[0]?.path.split('.') ?? []);
  throw new HubError(
    'INVALID_CONFIG',
    `${at(shown, line)}: ${issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')}`,
    { details: { file: shown, line, issues } },
  );
}

/** The options for all TOML files. 64-bit integers are not rounded. */
const tomlOptions = { unsafeKeyBehaviour: 'throw', maxDepth: 64, integersAsBigInt: 'asNeeded' } as const;

/** Parses TOML. Throws INVALID_CONFIG with file, line and rule. */
export function parseToml(text: string, shown: string): RawConfig {
  try {
    const parsed = parse(text, tomlOptions);
    checkDepth(parsed, shown);
    const wrong = findImpossibleDate(text);
    if (!wrong) return parsed;
    throw new HubError(
      'INVALID_CONFIG',
      `${at(shown, wrong.line)}: invalid TOML: the date ${wrong.date} does not exist.`,
      {
        details: { file: shown, line: wrong.line },
      },
    );
  } catch (error) {
    if (!(error instanceof TomlError)) throw toHubError(error);
    const rule = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
    throw new HubError('INVALID_CONFIG', `${at(shown, error.line)}: invalid TOML: ${explain(rule)}.`, {
      details: { file: shown, line: error.line, column: error.column },
    });
  }
}

/** Throws before anything walks through the value: the parser limits neither dotted keys nor headers. */
function checkDepth(value: unknown, shown: string, path: readonly string[] = []): void {
  if (path.length > maxDepth) {
    const key = formatKey(path.slice(0, 3));
    throw new HubError('INVALID_CONFIG', `${shown}: ${key}…: nested deeper than ${maxDepth} levels.`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) checkDepth(each, shown, [...path, key]);
}

interface Expansion {
  text: string;
  shown: string;
  lookUp: LookUp;
  /** Receives the entries that are left out. */
  unset: UnsetEntry[];
}

/** Tables whose variables are read again on connecting, so a missing variable affects only that server. */
const expandedLater = new Set<string>(serverTables);

/**
 * Tables of entries that do not depend on each other, with the number of keys that lead to an entry. An unset variable disables its entry.
 * In other sections it is an error, because the default could store data elsewhere or allow more.
 */
const entryDepths = new Map([
  ['agents', 3],
  ['connectors', 3],
  ['tools', 3],
  ['providers', 2],
  ['a2a', 3],
  ['events', 3],
  ['embedding', 1],
  ['registries', 2],
]);

function expandAt(raw: RawConfig, expansion: Expansion): unknown {
  const { lookUp } = expansion;
  const lenient: LookUp = (name) => lookUp(name) ?? '';
  return Object.fromEntries(
    Object.entries(raw).flatMap(([key, value]) => {
      const depth = entryDepths.get(key);
      if (depth !== undefined) return expandEntries([key], value, depth, expansion);
      const expanded = attempt(() => expandEnv(value, expandedLater.has(key) ? lenient : lookUp, [key]), expansion);
      if (expanded instanceof HubError) throw expanded;
      return [[key, expanded]];
    }),
  );
}

/** Descends while there are only tables, at most to `depth`. Returns the pair of key and value, or nothing for an entry that is left out. */
function expandEntries(
  path: readonly string[],
  value: unknown,
  depth: number,
  expansion: Expansion,
): [string, unknown][] {
  const key = path.at(-1) ?? '';
  if (path.length < depth && isRecord(value) && Object.values(value).every(isRecord) && !(value instanceof Date)) {
    const entries = Object.entries(value).flatMap(([name, each]) =>
      expandEntries([...path, name], each, depth, expansion),
    );
    return [[key, Object.fromEntries(entries)]];
  }
  const expanded = attempt(() => expandEnv(value, expansion.lookUp, path), expansion);
  if (!(expanded instanceof HubError)) return [[key, expanded]];
  const message = expanded.message.replace(/ is not set\. /, ` is not set, so [${formatKey(path)}] is disabled. `);
  expansion.unset.push({ path, message });
  return [];
}

/** Returns the error of an unset variable with file and line. */
function attempt(expand: () => unknown, { text, shown }: Expansion): unknown {
  try {
    return expand();
  } catch (error) {
    const { code, message, details } = toHubError(error);
    const key = typeof details?.key === 'string' ? details.key.split('.') : [];
    const line = lineOfKey(text, key);
    return new HubError(code, `${at(shown, line)}: ${message}`, { details: { file: shown, line, ...details } });
  }
}

/** `zoo.toml:12`, or the file alone. */
export function at(shown: string, line: number | undefined): string {
  return line === undefined ? shown : `${shown}:${line}`;
}

function explain(rule: string): string {
  if (rule.includes('unsafe property')) return 'the keys "__proto__" and "constructor" are not allowed';
  return rule.replace(/\.? aborting\.$/, '').replace(/\.$/, '');
}

function readingFailure(error: unknown): string {
  if (error instanceof TypeError) return 'it is not UTF-8 text';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return typeof code === 'string' ? code : 'unknown error';
}

export type LookUp = (name: string) => string | undefined;

/** The maximum nesting depth of settings. */
const maxDepth = 64;

/**
 * Copies a parsed TOML value and expands `${VAR}` in every string; `$${VAR}` stands for the literal text `${VAR}`.
 * Throws INVALID_CONFIG with variable and key. Messages never contain the value of a variable.
 */
function expandEnv(value: unknown, lookUp: LookUp, path: readonly string[] = []): unknown {
  if (typeof value === 'string') return value.includes('${') ? expandText(value, lookUp, path) : value;
  if (Array.isArray(value)) return value.map((each, index) => expandEnv(each, lookUp, [...path, String(index)]));
  // A number that JavaScript would round stays exact as text. A numeric setting will reject it.
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  // No setting is a date, and JSON has none.
  if (value instanceof Date) return value.toISOString();
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expandEnv(each, lookUp, [...path, key])]));
}

const reference = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Returns the names of the environment variables that a value refers to. */
export function variablesIn(value: unknown): string[] {
  if (typeof value === 'string')
    return [...value.matchAll(reference)].flatMap(([, escaped, name = '']) => (escaped ? [] : [name]));
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(variablesIn))];
}

/** Expands one text. A variable that is not set stays as written. */
export function expandVariables(text: string, lookUp: LookUp): string {
  return text.replace(reference, (whole, escaped: string, name: string) =>
    escaped ? whole.slice(1) : (lookUp(name) ?? whole),
  );
}

function expandText(text: string, lookUp: LookUp, path: readonly string[]): string {
  return text.replace(reference, (_whole, escaped: string, name: string) => {
    if (escaped) return `\${${name}}`;
    const found = lookUp(name);
    if (found !== undefined) return found;
    throw new HubError(
      'INVALID_CONFIG',
      `${formatKey(path)}: the environment variable ${name} is not set. Set it, or write $\${${name}} for the literal text.`,
      { details: { variable: name, key: formatKey(path) } },
    );
  });
}

/** Formats a key as `agents.code-reviewer.tools.0`, quoted as in TOML and shortened. */
function formatKey(path: readonly string[]): string {
  return path
    .map((part) => (part.length > 80 ? `${part.slice(0, 80)}…` : part))
    .map((part) => (/^[A-Za-z0-9_…-]+$/.test(part) ? part : JSON.stringify(part)))
    .join('.');
}
