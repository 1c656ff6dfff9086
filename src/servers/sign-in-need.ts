import { isSecretSetting } from '../base/secret-names.ts';
import type { ServerDefinition } from './server-definition.ts';

type HttpServer = Exclude<ServerDefinition, { transport: 'stdio' }>;

/** Whether the hub may sign in to the server: not to a command, and not if the definition sets other credentials in `auth`. */
export function allowsSignIn(definition: ServerDefinition): definition is HttpServer {
  return definition.transport !== 'stdio' && (definition.auth === null || definition.auth.type === 'oauth');
}

/** Whether a sign-in is what the server needs when it refuses the hub. If headers have credentials, those are wrong instead. */
export function needsSignIn(definition: ServerDefinition): definition is HttpServer {
  if (!allowsSignIn(definition)) return false;
  return definition.auth !== null || !Object.keys(definition.headers).some(isSecretSetting);
}

/** Said beside a button that starts the sign-in. */
export const signInNeeded = 'Its tools cannot be called until you sign in.';
