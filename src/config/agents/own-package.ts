import { registerHooks } from 'node:module';
import { workerUrl } from '../../base/worker-url.ts';

/**
 * While it runs, imported files may ask for this package by its name. A project that has it installed gets its own copy; anywhere
 * else, where the command came from elsewhere, the one that runs serves.
 */
export async function withOwnPackage<T>(run: () => Promise<T>): Promise<T> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      try {
        const found = next(specifier, context);
        // Its entry would read the library at once, while this process may be waiting for a part of it.
        return found.url === workerUrl('entry').href ? { ...found, url: workerUrl('index').href } : found;
      } catch (error) {
        if (specifier !== 'agent-zoo' || !isNotFound(error)) throw error;
        return { url: workerUrl('index').href, shortCircuit: true };
      }
    },
  });
  try {
    return await run();
  } finally {
    hooks.deregister();
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
