import type { ServerDefinition } from '../servers/server-definition.ts';

const mask = '••••••••';
const secretName = /key|token|secret|pass|auth|credential|cookie/i;
const minLength = 6;

/** Takes the credentials of a definition out of what its server writes: servers like to log how they were started. */
export function maskSecrets(definition: ServerDefinition): (text: string) => string {
  const secrets = secretsOf(definition).filter((secret) => secret.length >= minLength);
  // Longer ones first: one may be the beginning of another.
  secrets.sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, mask), text);
}

function secretsOf(definition: ServerDefinition): string[] {
  if (definition.transport === 'stdio') {
    return Object.entries(definition.env).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  }
  const { auth, headers } = definition;
  const named = Object.entries(headers).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  switch (auth?.type) {
    case 'bearer':
      return [...named, auth.token];
    case 'api-key':
      return [...named, auth.key];
    case 'headers':
      return [...named, ...Object.values(auth.headers)];
    case 'oauth':
      return auth.clientSecret === undefined ? named : [...named, auth.clientSecret];
    default:
      return named;
  }
}
