import { isSecretSetting } from '../base/secret-names.ts';
import { maskAddress, maskArguments } from './mask-secrets.ts';
import type { ServerDefinition } from './server-definition.ts';

/** Shorter ones are words that stand in any text. */
const shortest = 8;

/** Values of a filled definition that must stand in no log and no message. */
export function secretsOf(definition: ServerDefinition): string[] {
  const values: string[] = [];
  const find = (secret: string) => {
    values.push(secret);
    return secret;
  };
  if (definition.transport === 'stdio') {
    maskArguments(definition.args, find);
    for (const [name, value] of Object.entries(definition.env)) {
      if (isSecretSetting(name)) find(value);
      else maskAddress(value, find);
    }
  } else {
    maskAddress(definition.url, find);
    values.push(...Object.values(definition.headers), ...ofAuth(definition.auth));
  }
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
