import { toHubError } from '../base/hub-error.ts';
import type { RunStore } from '../engine/run-store.ts';

/** Wraps the store of one run, so that a run whose state cannot be stored still answers. Each failure is a warning. */
export function tolerantStore(store: RunStore, warn: (message: string) => void): RunStore {
  let hasBegun = false;
  const attempt = async (id: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : toHubError(error).message;
      warn(`The run "${id}" could not be stored, and continues: ${reason}`);
      return false;
    }
  };
  return {
    async begin(run) {
      hasBegun = await attempt(run.id, () => store.begin(run));
    },
    async save(id, progress) {
      if (hasBegun) await attempt(id, () => store.save(id, progress));
    },
    async finish(id, end) {
      if (hasBegun) await attempt(id, () => store.finish(id, end));
    },
    list: (options) => store.list(options),
    get: (id) => store.get(id),
  };
}
