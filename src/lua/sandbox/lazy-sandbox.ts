import { HubError } from '../../base/hub-error.ts';
import { lazy, once } from '../../base/lazy.ts';
import type { LuaSandbox } from './lua-job.ts';

/** Loads the sandbox with the first script. */
export function lazySandbox(): LuaSandbox {
  const sandbox = lazy(once(async () => (await import('./sandbox.ts')).createLuaSandbox()));
  let isClosed = false;
  return {
    async run(job) {
      if (isClosed) throw new HubError('UNAVAILABLE', 'The hub is closing; scripts no longer run.');
      return sandbox.run(job);
    },
    async close() {
      isClosed = true;
      await sandbox.close();
    },
  };
}
