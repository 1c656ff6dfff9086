import { mask } from '../../servers/mask-secrets.ts';
import { secretsOf } from '../../servers/secrets-of.ts';
import type { ServerDefinition } from '../../servers/server-definition.ts';

/** Takes the credentials of a definition out of what its server writes: servers like to log how they were started. */
export function maskSecrets(definition: ServerDefinition): (text: string) => string {
  // Longer ones first: one may be the beginning of another.
  const secrets = secretsOf(definition).toSorted((one, other) => other.length - one.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, mask), text);
}
