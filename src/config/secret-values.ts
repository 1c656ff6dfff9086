import { isSecretSetting } from '../base/secret-names.ts';

/** Shorter ones are words that stand in any text. */
const shortest = 8;

/** Values that a file holds under a key that is named like a secret: a token of a server, a key of a provider. */
export function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string') return isSecret && value.length >= shortest ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => secretsIn(each, isSecretSetting(key)));
}

/** Values of variables that are named like a secret, or that `[log] secret_env` names. Longest first: one may hold another. */
export function secretValues(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
  others: readonly string[] = [],
): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value = '']) => {
    if (named.includes(name)) return value.length >= 4 ? [value] : [];
    return isSecretSetting(name) && value.length >= shortest ? [value] : [];
  });
  return [...new Set([...values, ...others])].toSorted((one, other) => other.length - one.length);
}
