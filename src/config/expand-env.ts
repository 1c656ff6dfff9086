import { HubError } from '../base/hub-error.ts';

export type LookUp = (name: string) => string | undefined;

/** Nobody nests a setting deeper; a file that does is hostile or broken. */
const deepest = 64;

/**
 * Copies a parsed TOML value with `${VAR}` filled in every string; `$${VAR}` stands for the text `${VAR}` itself.
 * Throws INVALID_CONFIG that names variable and key. The value of a variable never enters a message.
 */
export function expandEnv(value: unknown, lookUp: LookUp, path: readonly string[] = []): unknown {
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
