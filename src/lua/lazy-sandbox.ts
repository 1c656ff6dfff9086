import type { LuaSandbox } from './lua-job.ts';

/** A sandbox that is loaded with its first script: whoever has none waits for nothing. */
export function lazySandbox(): LuaSandbox {
  let opening: Promise<LuaSandbox> | undefined;
  return {
    async run(job) {
      opening ??= import('./sandbox.ts').then(({ createLuaSandbox }) => createLuaSandbox());
      return (await opening).run(job);
    },
    async close() {
      await (await opening)?.close();
    },
  };
}
