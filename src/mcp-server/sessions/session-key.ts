import type { InstallationKeys } from '../../base/installation-keys.ts';
import type { Logger } from '../../base/logger.ts';

export interface KeyParts {
  readonly store: { readonly installationKeys: Pick<InstallationKeys, 'key'> };
  readonly logger: Logger;
}

const known = new WeakMap<object, Promise<Buffer>>();

/**
 * Returns the key that signs what clients carry from one request to the next. It is the same in all processes of an installation. If there
 * is no place for such a key, each process has its own, and what it has signed is valid only there.
 */
export function sessionKey({ store, logger }: KeyParts): Promise<Buffer> {
  const { installationKeys } = store;
  let key = known.get(installationKeys);
  if (!key) {
    key = installationKeys.key('sessions').catch((error: unknown) => {
      logger.warn({ err: error }, 'MCP sessions cannot continue in another process, and end with this one');
      return process.getBuiltinModule('node:crypto').randomBytes(32);
    });
    known.set(installationKeys, key);
  }
  return key;
}
