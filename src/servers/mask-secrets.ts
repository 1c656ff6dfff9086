import { HubError } from '../base/hub-error.ts';
import { isSecretSetting } from '../base/secret-names.ts';
import type { ServerDefinition, ServerDefinitionInput } from './server-definition.ts';

/** Replaces a secret, whatever its length. */
export const mask = '••••••••';

/** A value that only refers to variables reveals nothing. */
const onlyVariables = /^(?:(?:bearer|basic|token)\s+)?(?:\$\{[A-Za-z_][A-Za-z0-9_]*\}[\s:]*)+$/i;

/** The fields of a masked definition that the log shows: where the server is and how it is trusted. */
export function briefDefinition(masked: ServerDefinition): object {
  const { transport, trust, prefix } = masked;
  const place = masked.transport === 'stdio' ? { command: masked.command, args: masked.args } : { url: masked.url };
  return { transport, ...place, trust, prefix };
}

/** Returns the definition for display: masks values of `env`, headers, tokens, and everything in arguments and URLs that looks like a secret. */
export function maskDefinition(definition: ServerDefinition): ServerDefinition {
  if (definition.transport === 'stdio')
    return { ...definition, args: maskArguments(definition.args), env: maskAll(definition.env) };
  return {
    ...definition,
    url: maskAddress(definition.url),
    headers: maskAll(definition.headers),
    auth: definition.auth && maskAuth(definition.auth),
  };
}

/**
 * Puts the previous secrets back in place of their masks. Throws INVALID_ARGUMENTS for a mask without a previous secret.
 */
export function unmaskDefinition<T extends ServerDefinitionInput>(previous: ServerDefinition | undefined, next: T): T {
  const known = previous && isSameOrigin(previous, next) ? previous : undefined;
  // The shape is unchanged: only strings were replaced by strings.
  return restore(known && maskDefinition(known), known, next, []) as T;
}

/** A secret for one host must not go to another host, which whoever edits the definition may have chosen. */
function isSameOrigin(previous: ServerDefinition, next: ServerDefinitionInput): boolean {
  if (previous.transport === 'stdio' || next.transport === 'stdio') return true;
  return originOf(previous.url) === originOf(next.url);
}

/** A URL with variables in its host counts as another origin as soon as its text changes. */
function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address;
}

function restore(masked: unknown, previous: unknown, next: unknown, path: readonly string[]): unknown {
  if (typeof next === 'string') {
    if (!next.includes(mask)) return next;
    if (next === masked && typeof previous === 'string') return previous;
    throw new HubError(
      'INVALID_ARGUMENTS',
      `${path.join('.')}: "${mask}" stands for a stored secret, and none is stored here. Enter the value, or \${VAR}.`,
      { details: { issues: [{ path: path.join('.'), message: 'is masked' }] } },
    );
  }
  if (Array.isArray(next))
    return next.map((each, index) => restore(at(masked, index), at(previous, index), each, [...path, String(index)]));
  if (typeof next !== 'object' || next === null) return next;
  return Object.fromEntries(
    Object.entries(next).map(([key, each]) => [key, restore(at(masked, key), at(previous, key), each, [...path, key])]),
  );
}

function at(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string | number, unknown>)[key];
}

function maskText(text: string): string {
  return text === '' || onlyVariables.test(text) ? text : mask;
}

function maskAll(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, maskText(value)]));
}

function maskAuth(auth: NonNullable<Exclude<ServerDefinition, { transport: 'stdio' }>['auth']>): typeof auth {
  switch (auth.type) {
    case 'bearer':
      return { ...auth, token: maskText(auth.token) };
    case 'api-key':
      return { ...auth, key: maskText(auth.key) };
    case 'headers':
      return { ...auth, headers: maskAll(auth.headers) };
    case 'oauth':
      return { ...auth, ...(auth.clientSecret !== undefined && { clientSecret: maskText(auth.clientSecret) }) };
  }
}

/** Masks `--token=x`, `--api-key x`, `TOKEN=x`, `Authorization: x`, and passwords in URLs. */
function maskArguments(values: readonly string[], hide = maskText): string[] {
  return values.map((value, index) => {
    const before = values[index - 1];
    if (before?.startsWith('-') && !before.includes('=') && isSecretSetting(before) && !value.startsWith('-'))
      return hide(value);
    const assigned = /^([\w.-]{1,100}(?:=|:\s*))(.+)$/s.exec(value);
    if (assigned?.[1] && assigned[2] && isSecretSetting(assigned[1])) return `${assigned[1]}${hide(assigned[2])}`;
    return value.includes('://') ? maskAddress(value, hide) : value;
  });
}

/** Masks the password and query parameters with secret-like names; leaves the rest as written. */
function maskAddress(address: string, hide = maskText): string {
  return address
    .replace(
      /^([a-z][a-z0-9+.-]*:\/\/[^\s/:@?#]*:)([^\s/@?#]+)@/i,
      (_whole, before, password) => `${before}${hide(password)}@`,
    )
    .replace(/([?&])([^=&#]+)=([^&#]+)/g, (whole, sign, name, value) =>
      isSecretSetting(name) ? `${sign}${name}=${hide(value)}` : whole,
    );
}

/** Shorter values are ordinary words that appear in any text. */
const minSecretLength = 8;

/** Returns the values of a filled-in definition that must never appear in a log or a message. */
export function secretsOf(definition: ServerDefinition): string[] {
  const values: string[] = [];
  const collect = (secret: string) => {
    values.push(secret);
    return secret;
  };
  if (definition.transport === 'stdio') {
    maskArguments(definition.args, collect);
    for (const [name, value] of Object.entries(definition.env)) {
      if (isSecretSetting(name)) collect(value);
      else maskAddress(value, collect);
    }
  } else {
    maskAddress(definition.url, collect);
    values.push(...Object.values(definition.headers), ...authSecrets(definition.auth));
  }
  return values
    .flatMap((value) => [value, value.replace(/^(?:bearer|basic|token)\s+/i, '')])
    .filter((value) => value.length >= minSecretLength);
}

function authSecrets(auth: Exclude<ServerDefinition, { transport: 'stdio' }>['auth']): string[] {
  switch (auth?.type) {
    case 'bearer':
      return [auth.token];
    case 'api-key':
      return [auth.key];
    case 'headers':
      return Object.values(auth.headers);
    case 'oauth':
      return auth.clientSecret === undefined ? [] : [auth.clientSecret];
    case undefined:
      return [];
  }
}

/** Returns a function that masks a definition's credentials in a server's output: servers like to log how they were started. */
export function maskSecrets(definition: ServerDefinition): (text: string) => string {
  // Longer secrets first: one may be the beginning of another.
  const secrets = secretsOf(definition).toSorted((one, other) => other.length - one.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, mask), text);
}
