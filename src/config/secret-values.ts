import { isSecretSetting } from '../base/secret-names.ts';

/** Shorter values could be ordinary words. */
const minLength = 8;

/** Returns the values of all keys whose names suggest a secret, such as tokens and API keys. */
export function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string') return isSecret && value.length >= minLength ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => secretsIn(each, isSecretSetting(key)));
}

/** Returns the passwords in addresses, and the tokens of NATS addresses. */
export function secretsInAddresses(addresses: readonly (string | undefined)[]): string[] {
  return addresses.flatMap((address) => {
    if (address === undefined || !URL.canParse(address)) return [];
    const { protocol, username, password } = new URL(address);
    const secret = password || (/^(?:nats|tls):$/.test(protocol) ? username : '');
    return [secret, decode(secret)].filter((each) => each.length >= minLength);
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the values of environment variables whose names suggest a secret or are listed in `[log] secret_env`. Longest first, because one can contain another. */
export function secretValues(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
  others: readonly string[] = [],
): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value = '']) => {
    if (named.includes(name)) return value.length >= 4 ? [value] : [];
    return isSecretSetting(name) && value.length >= minLength ? [value] : [];
  });
  return [...new Set([...values, ...others])].toSorted((one, other) => other.length - one.length);
}
