import { HubError } from '../base/hub-error.ts';
import type { ServerDefinition } from './server-definition.ts';

export type LookUp = (name: string) => string | undefined;

/** `${VAR}` or `${VAR:-default}`; `$${VAR}` stands for the literal text. */
const reference = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Returns the definition with its variables filled in. Throws INVALID_CONFIG that names the variable and the field; messages never
 * contain the value of a variable.
 */
export function fillDefinition(name: string, definition: ServerDefinition, lookUp: LookUp): ServerDefinition {
  // The shape is unchanged: only strings were replaced by strings.
  const filled = fill(definition, []) as ServerDefinition;
  if (filled.transport !== 'stdio' && !isHttpAddress(filled.url)) {
    throw new HubError(
      'INVALID_CONFIG',
      `Server "${name}": url: is not an http or https address after its variables are filled in.`,
    );
  }
  return filled;

  function fill(value: unknown, path: readonly string[]): unknown {
    if (typeof value === 'string') return value.includes('${') ? fillText(value, path) : value;
    if (Array.isArray(value)) return value.map((each, index) => fill(each, [...path, String(index)]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, [...path, key])]));
  }

  function fillText(text: string, path: readonly string[]): string {
    return text.replace(reference, (whole, escaped: string, variable: string, fallback?: string) => {
      if (escaped) return whole.slice(1);
      const found = lookUp(variable) ?? fallback;
      if (found !== undefined) return found;
      throw new HubError(
        'INVALID_CONFIG',
        `Server "${name}": ${path.join('.')}: the environment variable ${variable} is not set. Set it, or write $\${${variable}} for the literal text.`,
        { details: { variable, key: path.join('.') } },
      );
    });
  }
}

function isHttpAddress(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:';
}
