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
 * Puts the previous secrets back in place of their masks, if they still go where they were entered for. Throws INVALID_ARGUMENTS for a
 * mask without a previous secret, and for a secret that would go elsewhere.
 */
export function unmaskDefinition<T extends ServerDefinitionInput>(previous: ServerDefinition | undefined, next: T): T {
  const moved = previous && changedTarget(previous, next);
  const known = moved === undefined ? previous : undefined;
  // The shape is unchanged: only strings were replaced by strings.
  return restore({ masked: known && maskDefinition(known), previous: known, next, path: [], moved }) as T;
}

/** Names the change that would send stored secrets elsewhere, because the editor of a definition may not know them. */
function changedTarget(previous: ServerDefinition, next: ServerDefinitionInput): string | undefined {
  if (previous.transport !== 'stdio' && next.transport !== 'stdio') {
    return originOf(previous.url) === originOf(next.url) ? undefined : 'another host';
  }
  if (previous.transport !== 'stdio' || next.transport !== 'stdio') return 'another transport';
  if (previous.command !== next.command || previous.cwd !== next.cwd) return 'another command';
  // `npx one-package` and `npx another` are different programs. Secrets in the arguments may change.
  if (maskArguments(previous.args).join('\0') !== maskArguments(next.args ?? []).join('\0')) return 'other arguments';
  const masked = maskAll(previous.env);
  const steering = Object.entries(next.env ?? {}).find(
    ([name, value]) => changesProgram(name) && value !== at(masked, name) && value !== at(previous.env, name),
  );
  return steering && `another value of ${steering[0]}`;
}

const destinations =
  /URL|URI|HOST|ENDPOINT|ADDR|PROXY|SERVER|DOMAIN|ORIGIN|GATEWAY|REGISTRY|(?:^|_)(?:BASE|PORT|SITE|DSN)(?:_|$)|^PG/i;
const loaders =
  /^(?:PATH|PATHEXT|HOME|USERPROFILE|(?:LOCAL)?APPDATA|PREFIX|SHELL|COMSPEC|EDITOR|VISUAL|PAGER|BROWSER|ENV|BASH_ENV|CLASSPATH|GOFLAGS|GOTOOLCHAIN|REQUESTS_CA_BUNDLE|(?:NODE|LD|DYLD|PYTHON|RUBY|PERL5?|_?JAVA|JDK|NPM_CONFIG|UV|PIP|DENO|BUN|GIT|SSL_CERT|CURL_CA|OPENSSL|DOCKER|CONTAINERS|XDG)(?:$|_|[A-Z]).*)/i;

/** Tells whether a variable usually says where a program connects, or which code it loads. */
export function changesProgram(variable: string): boolean {
  return destinations.test(variable) || loaders.test(variable);
}

/** A URL with variables in its host counts as another origin as soon as its text changes. */
function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address;
}

interface Restoring {
  masked: unknown;
  previous: unknown;
  next: unknown;
  path: readonly string[];
  moved: string | undefined;
}

function restore({ masked, previous, next, path, moved }: Restoring): unknown {
  const inside = (key: string | number, each: unknown) =>
    restore({
      masked: at(masked, key),
      previous: at(previous, key),
      next: each,
      path: [...path, String(key)],
      moved,
    });
  if (typeof next === 'string') {
    if (!next.includes(mask)) return next;
    if (next === masked && typeof previous === 'string') return previous;
    throw maskedError(path.join('.'), moved);
  }
  if (Array.isArray(next)) return next.map((each, index) => inside(index, each));
  if (typeof next !== 'object' || next === null) return next;
  return Object.fromEntries(Object.entries(next).map(([key, each]) => [key, inside(key, each)]));
}

function maskedError(path: string, moved: string | undefined): HubError {
  const [message, issue] =
    moved === undefined
      ? [`"${mask}" stands for a stored secret, and none is stored here. Enter the value, or \${VAR}.`, 'is masked']
      : [
          `the stored secret is not sent to a server with ${moved}. Enter it again, or \${VAR}.`,
          'must be entered again',
        ];
  return new HubError('INVALID_ARGUMENTS', `${path}: ${message}`, { details: { issues: [{ path, message: issue }] } });
}

function at(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string | number, unknown>)[key];
}

/** Masks a secret, unless it only refers to variables. */
export function maskText(text: string): string {
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
export function maskArguments(values: readonly string[], hide = maskText): string[] {
  return values.map((value, index) => {
    const before = values[index - 1];
    if (before?.startsWith('-') && !before.includes('=') && isSecretSetting(before) && !value.startsWith('-'))
      return hide(value);
    const assigned = /^([\w.-]{1,100}(?:=|:\s*))(.+)$/s.exec(value);
    if (assigned?.[1] && assigned[2] && isSecretSetting(assigned[1])) return `${assigned[1]}${hide(assigned[2])}`;
    return value.includes('://') ? maskAddress(value, hide) : value;
  });
}

/** Masks the password, the token of a NATS address and query parameters with secret-like names; leaves the rest as written. */
export function maskAddress(address: string, hide = maskText): string {
  return address
    .replace(/^((?:nats|tls):\/\/)([^\s/:@?#]+)@/i, (_whole, before, token) => `${before}${hide(token)}@`)
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
