import type { ServerDefinition } from './server-definition.ts';

/** Shorter ones are words that stand in any text. */
const shortest = 8;
const secretName = /token|secret|passw|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth|pat$|pwd/i;

/** Values of a filled definition that must stand in no log and no message. */
export function secretsOf(definition: ServerDefinition): string[] {
  const values =
    definition.transport === 'stdio'
      ? Object.entries(definition.env).flatMap(([name, value]) => (secretName.test(name) ? [value] : []))
      : [...Object.values(definition.headers), ...ofAuth(definition.auth)];
  return values
    .flatMap((value) => [value, value.replace(/^(?:bearer|basic|token)\s+/i, '')])
    .filter((value) => value.length >= shortest);
}

function ofAuth(auth: Exclude<ServerDefinition, { transport: 'stdio' }>['auth']): string[] {
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
