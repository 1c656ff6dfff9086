import { HubError } from '../base/hub-error.ts';
import type { LuaSandbox } from './lua-job.ts';

/** A sandbox that is loaded with its first script: whoever has none waits for nothing. */
export function lazySandbox(): LuaSandbox {
  let opening: Promise<LuaSandbox> | undefined;
  let isClosed = false;
  return {
    async run(job) {
      if (isClosed) throw new HubError('UNAVAILABLE', 'The hub is closing; scripts no longer run.');
      opening ??= import('./sandbox.ts').then(({ createLuaSandbox }) => createLuaSandbox());
      return (await opening).run(job);
    },
    async close() {
      isClosed = true;
      await (await opening)?.close();
    },
  };
}
