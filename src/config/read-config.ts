import { readFile, stat } from 'node:fs/promises';
import { parse, TomlError } from 'smol-toml';
import { HubError, toHubError } from '../base/hub-error.ts';
import { fieldIssues } from '../base/validate.ts';
import { Config } from './config.ts';
import { findImpossibleDate } from './impossible-date.ts';
import { lineOfKey } from './line-of-key.ts';

/** The tables that name external MCP servers: our own word, and the one that other clients use. */
export const serverTables = ['mcp_servers', 'mcpServers'] as const;

const maxBytes = 4 * 1024 * 1024;

export interface ConfigText {
  text: string;
  modifiedAt: number;
  size: number;
}

/** Throws INVALID_CONFIG: not there, not a file, too large, not UTF-8. `shown` names the file in messages. */
export async function readConfigText(file: string, shown: string): Promise<ConfigText> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new HubError('INVALID_CONFIG', `${shown} is not a file.`);
    if (found.size > maxBytes) {
      throw new HubError('INVALID_CONFIG', `${shown} has ${found.size} bytes; at most ${maxBytes} are accepted.`);
    }
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
    // The decoder has dropped the mark at the start, and the parser would drop one more.
    if (decoded.startsWith('\ufeff'))
      throw new HubError('INVALID_CONFIG', `${shown} begins with two byte order marks.`);
    // The same prompt from a file that was saved on Windows.
    const text = decoded.replaceAll('\r\n', '\n');
    return { text, modifiedAt: found.mtimeMs, size: found.size };
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError('INVALID_CONFIG', `${shown} cannot be read: ${readingFailure(error)}.`, { cause: error });
  }
}

/** Text to checked settings. Throws INVALID_CONFIG with file, line where it is known, key path and rule. */
export function parseConfig(text: string, shown: string, lookUp: LookUp): Config {
  // To compile the checks would take longer than to make them once.
  const result = Config.safeParse(expandAt(parseToml(text, shown), text, shown, lookUp), { jitless: true });
  if (result.success) return result.data;
  const issues = fieldIssues(result.error);
  const line = lineOfKey(text, issues[0]?.path.split('.') ?? []);
  throw new HubError(
    'INVALID_CONFIG',
    `${at(shown, line)}: ${issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')}`,
    { details: { file: shown, line, issues } },
  );
}

/** How every config is read. Whole numbers of 64 bits, which TOML has, are not rounded. */
export const tomlOptions = { unsafeKeyBehaviour: 'throw', maxDepth: 64, integersAsBigInt: 'asNeeded' } as const;

function parseToml(text: string, shown: string): unknown {
  try {
    const parsed = parse(text, tomlOptions);
    const wrong = findImpossibleDate(text);
    if (!wrong) return parsed;
    throw new HubError(
      'INVALID_CONFIG',
      `${at(shown, wrong.line)}: this is not valid TOML: there is no ${wrong.date}.`,
      {
        details: { file: shown, line: wrong.line },
      },
    );
  } catch (error) {
    if (!(error instanceof TomlError)) throw toHubError(error);
    const rule = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
    throw new HubError('INVALID_CONFIG', `${at(shown, error.line)}: this is not valid TOML: ${explain(rule)}.`, {
      details: { file: shown, line: error.line, column: error.column },
    });
  }
}

function expandAt(value: unknown, text: string, shown: string, lookUp: LookUp): unknown {
  try {
    return expandAll(value, lookUp);
  } catch (error) {
    const { code, message, details } = toHubError(error);
    const key = typeof details?.key === 'string' ? details.key.split('.') : [];
    const line = lineOfKey(text, key);
    throw new HubError(code, `${at(shown, line)}: ${message}`, { details: { file: shown, line, ...details } });
  }
}

/** Those of external servers are filled anew when one is connected; one that is not set is the affair of that server alone. */
const filledLater = new Set<string>(serverTables);

function expandAll(whole: unknown, lookUp: LookUp): unknown {
  if (typeof whole !== 'object' || whole === null) return whole;
  const lenient: LookUp = (name) => lookUp(name) ?? '';
  return Object.fromEntries(
    Object.entries(whole).map(([key, value]) => [
      key,
      expandEnv(value, filledLater.has(key) ? lenient : lookUp, [key]),
    ]),
  );
}

/** `zoo.toml:12`, or the file alone. */
export function at(shown: string, line: number | undefined): string {
  return line === undefined ? shown : `${shown}:${line}`;
}

function explain(rule: string): string {
  if (rule.includes('unsafe property')) return 'the keys "__proto__" and "constructor" are not accepted';
  return rule.replace(/\.? aborting\.$/, '').replace(/\.$/, '');
}

function readingFailure(error: unknown): string {
  if (error instanceof TypeError) return 'it is not UTF-8 text';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it';
  return typeof code === 'string' ? code : 'unknown error';
}

export type LookUp = (name: string) => string | undefined;

/** Nobody nests a setting deeper; a file that does is hostile or broken. */
const deepest = 64;

/**
 * Copies a parsed TOML value with `${VAR}` filled in every string; `$${VAR}` stands for the text `${VAR}` itself.
 * Throws INVALID_CONFIG that names variable and key. The value of a variable never enters a message.
 */
function expandEnv(value: unknown, lookUp: LookUp, path: readonly string[] = []): unknown {
  if (path.length > deepest) {
    throw new HubError('INVALID_CONFIG', `${formatKey(path.slice(0, 3))}…: nested deeper than ${deepest} levels.`);
  }
  if (typeof value === 'string') return value.includes('${') ? expandText(value, lookUp, path) : value;
  if (Array.isArray(value)) return value.map((each, index) => expandEnv(each, lookUp, [...path, String(index)]));
  // A number that JavaScript would round; as text it is still what was written, and a setting that wants a number says so.
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  // TOML dates; nothing in the config is a date, and JSON has none.
  if (value instanceof Date) return value.toISOString();
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expandEnv(each, lookUp, [...path, key])]));
}

function expandText(text: string, lookUp: LookUp, path: readonly string[]): string {
  return text.replace(/\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, escaped: string, name: string) => {
    if (escaped) return `\${${name}}`;
    const found = lookUp(name);
    if (found !== undefined) return found;
    throw new HubError(
      'INVALID_CONFIG',
      `${formatKey(path)}: the environment variable ${name} is not set. Set it, or write $\${${name}} for the text itself.`,
      { details: { variable: name, key: formatKey(path) } },
    );
  });
}

/** `agents.code-reviewer.tools.0`, with quotes where TOML needs them and long keys cut. */
function formatKey(path: readonly string[]): string {
  return path
    .map((part) => (part.length > 80 ? `${part.slice(0, 80)}…` : part))
    .map((part) => (/^[A-Za-z0-9_…-]+$/.test(part) ? part : JSON.stringify(part)))
    .join('.');
}
